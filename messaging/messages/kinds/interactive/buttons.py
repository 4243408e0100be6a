"""A text with up to three reply buttons."""

from typing import Any

from pydantic import Field, model_validator

from core.i18n.catalogs import N_
from messaging.messages.kinds.base import Choice
from messaging.messages.kinds.interactive.base import (
    BODY,
    FOOTER,
    HEADER,
    AnyHeader,
    Body,
    Button,
    Content,
    Footer,
    InteractiveFields,
    interactive_kind,
    numbered_text,
    unique,
)

MOST_BUTTONS = 3


class ButtonsFields(InteractiveFields):
    body: Body = BODY
    header: AnyHeader = HEADER
    footer: Footer = FOOTER
    buttons: list[Button] = Field(
        min_length=1, max_length=MOST_BUTTONS, description="One to three buttons."
    )

    @model_validator(mode="after")
    def _different(self) -> "ButtonsFields":
        unique([one.title for one in self.buttons], "buttons", "title")
        unique([one.id for one in self.buttons], "buttons", "id")
        return self


def _action(content: Content) -> dict[str, Any]:
    return {
        "buttons": [
            {"type": "reply", "reply": {"id": one["id"], "title": one["title"]}}
            for one in content["buttons"]
        ]
    }


def _choices(content: Content) -> list[Choice]:
    return [Choice(one["id"], one["title"]) for one in content["buttons"]]


BUTTONS = interactive_kind(
    N_("Buttons"),
    "button",
    ButtonsFields,
    _action,
    plain_text=lambda content: numbered_text(content, _choices(content)),
    choices=_choices,
)
