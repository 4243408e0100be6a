"""A place: coordinates, with a name and an address where they were given."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from core.i18n.catalogs import N_
from core.values.field_checks import optional_text
from core.values.geo import route_url
from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.linked.client import MediaFileBody
from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.fields import KindFields, ResolveFile


class LocationFields(KindFields):
    latitude: float = Field(ge=-90, le=90, examples=[41.0082])
    longitude: float = Field(ge=-180, le=180, examples=[28.9784])
    name: Annotated[str | None, optional_text("name", 200)] = Field(
        None, max_length=200, description="The name of the place, shown with the address."
    )
    address: Annotated[str | None, optional_text("address", 400)] = Field(None, max_length=400)

    def message_content(self, _resolve_file: ResolveFile) -> dict[str, Any]:
        return self.place()

    def place(self) -> dict[str, Any]:
        return {
            "latitude": self.latitude,
            "longitude": self.longitude,
            **_words({"name": self.name, "address": self.address}),
        }


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
    fields=LocationFields,
    event_text="never",
    cloud_part=_cloud_part,
    linked_part=_linked_part,
    public_content=_public_content,
)
