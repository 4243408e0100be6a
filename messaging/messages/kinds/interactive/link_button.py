"""A text with one button that opens a web page."""

from typing import Any

from pydantic import Field

from core.i18n.catalogs import N_
from messaging.messages.kinds.interactive.base import (
    BODY,
    FOOTER,
    HEADER,
    LABEL,
    AnyHeader,
    Body,
    Content,
    Footer,
    InteractiveFields,
    Label,
    WebAddress,
    interactive_kind,
    joined_text,
)


class LinkButtonFields(InteractiveFields):
    body: Body = BODY
    header: AnyHeader = HEADER
    footer: Footer = FOOTER
    text: Label = LABEL
    url: WebAddress = Field(
        max_length=2000,
        description="The page that the button opens.",
        examples=["https://example.com/menu"],
    )


def link_action(content: Content) -> dict[str, Any]:
    return {
        "name": "cta_url",
        "parameters": {"display_text": content["text"], "url": content["url"]},
    }


LINK_BUTTON = interactive_kind(
    N_("Link button"),
    "cta_url",
    LinkButtonFields,
    link_action,
    plain_text=lambda content: joined_text(content, f"{content['text']}: {content['url']}"),
)
