"""Requests for a person's location, or for their phone number."""

from core.i18n.catalogs import N_
from messaging.messages.kinds.interactive.base import (
    BODY,
    Body,
    InteractiveFields,
    interactive_kind,
)


class LocationRequestFields(InteractiveFields):
    body: Body = BODY


class ContactRequestFields(InteractiveFields):
    body: Body = BODY


LOCATION_REQUEST = interactive_kind(
    N_("Location request"),
    "location_request_message",
    LocationRequestFields,
    lambda _content: {"name": "send_location"},
    icon="pin",
)
CONTACT_REQUEST = interactive_kind(
    N_("Contact request"),
    "request_contact_info",
    ContactRequestFields,
    lambda _content: {"name": "request_contact_info"},
    icon="person",
)
