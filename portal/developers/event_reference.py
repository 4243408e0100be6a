"""The page "Events": every event with its fields and an example, from the OpenAPI document."""

from dataclasses import dataclass
from typing import Any

from flask import Flask, current_app, render_template
from markupsafe import Markup

from core.openapi.document import openapi_document
from portal.developers.markdown import render_inline
from portal.developers.reference import FieldDoc, body_fields, developers, pretty_json
from portal.web.auth import open_to_all
from webhooks.event_types import EVENT_GROUPS

SHARED_FIELDS = ("event", "event_id", "occurred_at", "sequence")


@dataclass(frozen=True)
class EventReference:
    name: str
    text: Markup
    summary: str
    fields: list[FieldDoc]
    example: str

    @property
    def id(self) -> str:
        return self.name.replace(".", "-")


@developers.get("/reference/events")
@open_to_all
def events() -> Any:
    return render_template("reference/events.html", groups=event_groups(current_app))


def event_groups(app: Flask) -> dict[str, list[EventReference]]:
    known: dict[str, list[EventReference]] | None = app.extensions.get("event_reference")
    if known is None:
        known = app.extensions["event_reference"] = _read_events(app)
    return known


def _read_events(app: Flask) -> dict[str, list[EventReference]]:
    document = openapi_document(app)
    shapes, webhooks = document["components"]["schemas"], document["webhooks"]
    return {
        group: [_read_event(name, webhooks[name]["post"], shapes) for name in names]
        for group, names in EVENT_GROUPS.items()
    }


def _read_event(name: str, operation: dict[str, Any], shapes: dict[str, Any]) -> EventReference:
    body = operation["requestBody"]["content"]["application/json"]
    fields = [one for one in body_fields(body["schema"], shapes) if one.name not in SHARED_FIELDS]
    summary = operation["description"]
    return EventReference(
        name, render_inline(summary), summary, fields, pretty_json(body["example"])
    )
