"""The parts of a message besides its text, as events and the API show them."""

from collections.abc import Mapping
from typing import Any

from core.values.geo import route_url

PUBLIC_KINDS = ("contacts", "order", "button", "reaction")
_MESSAGE_METADATA = ("reply_to", "forwarded", "referral")


def public_content(kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return for example {"location": {…}} for a location. Empty for texts and media."""
    if kind == "location":
        latitude, longitude = content["latitude"], content["longitude"]
        return {
            "location": {
                "latitude": latitude,
                "longitude": longitude,
                "name": content.get("name"),
                "address": content.get("address"),
                "route_url": route_url(latitude, longitude),
            }
        }
    if kind in PUBLIC_KINDS:
        return {kind: {k: v for k, v in content.items() if k not in _MESSAGE_METADATA}}
    return {}
