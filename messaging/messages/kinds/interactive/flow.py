"""A form of several screens inside the chat, made with WhatsApp Flows."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from core.i18n.catalogs import N_
from core.values.field_checks import field_error
from messaging.lines.drivers.cloud.templates.payload import UNUSED_TOKEN
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
    interactive_kind,
)

VERSION = "3"
Name = Annotated[str | None, Field(min_length=1, max_length=200)]


class FlowFields(InteractiveFields):
    body: Body = BODY
    header: AnyHeader = HEADER
    footer: Footer = FOOTER
    text: Label = LABEL
    flow_id: Name = Field(None, description="The flow's id at Meta.", examples=["1218346"])
    flow_name: Name = Field(None, description="The flow's name instead of its id.")
    token: Name = Field(None, description="Your own mark, returned with the answers.")
    action: Literal["navigate", "data_exchange"] = Field(
        "navigate", description="`data_exchange`: your own server chooses the first screen."
    )
    screen: Name = Field(None, description="The first screen, for `navigate`.")
    data: dict[str, Any] | None = Field(None, description="Values for the first screen.")
    mode: Literal["published", "draft"] = Field(
        "published", description="`draft`: try out a flow that is not published yet."
    )

    @model_validator(mode="after")
    def _parts(self) -> "FlowFields":
        if (self.flow_id is None) == (self.flow_name is None):
            raise field_error(
                "invalid_flow", "give `flow_id` or `flow_name`, one of the two", "flow_id"
            )
        if self.action == "data_exchange" and (self.screen or self.data):
            raise field_error(
                "invalid_flow", "with `data_exchange` your server gives screen and data", "action"
            )
        if self.data and self.screen is None:
            raise field_error("invalid_flow", "data needs the `screen` that it is for", "screen")
        return self


def _action(content: Content) -> dict[str, Any]:
    named = "flow_id" if "flow_id" in content else "flow_name"
    parameters: dict[str, Any] = {
        "flow_message_version": VERSION,
        named: content[named],
        "flow_cta": content["text"],
        "flow_token": content.get("token") or UNUSED_TOKEN,
        "flow_action": content["action"],
    }
    if content["mode"] == "draft":
        parameters["mode"] = "draft"
    if content.get("screen"):
        payload = {"screen": content["screen"]}
        parameters["flow_action_payload"] = {
            **payload,
            **({"data": content["data"]} if content.get("data") else {}),
        }
    return {"name": "flow", "parameters": parameters}


FLOW = interactive_kind(N_("Flow"), "flow", FlowFields, _action)
