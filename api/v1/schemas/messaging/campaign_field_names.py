"""Rename the fields in a campaign's errors to their names in the API."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from core.errors import DomainError

WIRE_NAMES = {
    "text": "message",
    "line_id": "instance_id",
    "quiet_from": "quiet_hours",
    "parameters": "template.parameters",
    "header": "template.header",
    "header_url": "template.header_url",
    "header_file": "template.header_url",
    "buttons": "template.buttons",
    "code": "template.buttons",
    "location": "template.header_location",
    "location_name": "template.header_location.name",
    "location_address": "template.header_location.address",
    "button_1": "card.buttons",
    "rows": "card.rows",
    "list_button": "card.list_button",
    "link_text": "card.link_text",
    "link_url": "card.link_url",
}


@contextmanager
def wire_field_names() -> Iterator[None]:
    try:
        yield
    except DomainError as error:
        error.faults = [
            replace(one, field=WIRE_NAMES.get(one.field, one.field)) for one in error.faults
        ]
        raise
