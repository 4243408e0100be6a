"""A place: coordinates, with a name and an address where they were given."""

from collections.abc import Mapping
from typing import Any

from core.i18n.catalogs import N_
from core.values.geo import route_url
from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.linked.client import MediaFileBody
from messaging.messages.kinds.base import MessageKind


def _words(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: content[name] for name in ("name", "address") if content.get(name)}


def _cloud_part(envelope: Envelope) -> dict[str, Any]:
    content = envelope.content
    return {
        "latitude": content["latitude"],
        "longitude": content["longitude"],
        **_words(content),
    }


def _linked_part(
    envelope: Envelope, _media: MediaFileBody | None
) -> tuple[str, dict[str, Any], str]:
    facts = {
        "degreesLatitude": envelope.content["latitude"],
        "degreesLongitude": envelope.content["longitude"],
        **_words(envelope.content),
    }
    return "locationMessage", facts, ""


def _public_content(content: Mapping[str, Any]) -> dict[str, Any]:
    latitude, longitude = content["latitude"], content["longitude"]
    return {
        "latitude": latitude,
        "longitude": longitude,
        "name": content.get("name"),
        "address": content.get("address"),
        "route_url": route_url(latitude, longitude),
    }


LOCATION = MessageKind(
    N_("Location"),
    icon="pin",
    event_text="never",
    cloud_part=_cloud_part,
    linked_part=_linked_part,
    public_content=_public_content,
)
