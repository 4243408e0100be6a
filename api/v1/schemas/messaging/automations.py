"""Schemas of store connections and automations."""

from typing import Any

from pydantic import BaseModel, Field

from api.paging import PageQuery


class ConnectionPath(BaseModel):
    connection_id: str = Field(max_length=40)


class AutomationPath(BaseModel):
    automation_id: str = Field(max_length=40)


class RunQuery(PageQuery):
    state: str | None = Field(
        None, pattern="^(waiting|sent|skipped|cancelled|failed)$", description="Only these."
    )


class ConnectionShape(BaseModel):
    id: str = Field(examples=["cnx_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    kind: str = Field(description="shopify, woocommerce, store or form", examples=["shopify"])
    name: str
    enabled: bool
    state: str = Field(description="waiting until the first event has come, then connected")
    refused: int = Field(description="Requests with an invalid signature.")
    first_event_at: str | None
    last_event_at: str | None
    created_at: str


class ConnectionPage(BaseModel):
    data: list[ConnectionShape]
    next: None


class AutomationShape(BaseModel):
    id: str = Field(examples=["aut_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    recipe: str = Field(examples=["abandoned_cart"])
    trigger: str = Field(examples=["checkout.created"])
    name: str
    enabled: bool
    connection_id: str | None = Field(description="null: every connection.")
    instance_id: int | None = Field(description="null: the default line.")
    delay_minutes: int
    conditions: dict[str, Any]
    message: str = Field(description="The text; empty if a template is sent.")
    template: dict[str, Any] | None
    card: dict[str, Any] | None = Field(
        description="What is shown below the text: `kind` is `buttons`, `list` or `link_button`. "
        "The id of a button or a row is its title.",
        examples=[{"kind": "buttons", "buttons": ["Yes", "No"]}],
    )
    marketing: bool = Field(description="Marketing respects a customer's opt-out.")
    created_at: str
    changed_at: str


class AutomationPage(BaseModel):
    data: list[AutomationShape]
    next: str | None


class RunShape(BaseModel):
    id: str = Field(examples=["run_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    connection_id: str
    event: str | None = Field(examples=["order.created"])
    cause: str = Field(
        description="What started the run. Each cause starts one run.", examples=["order:1001"]
    )
    state: str = Field(description="waiting, sent, skipped, cancelled or failed")
    because: str = Field(description="Why nothing was sent; empty if a message was sent.")
    phone: str
    message_id: str | None = Field(description="The Comanda id of the message.")
    message_status_code: str | None
    due_at: str | None
    created_at: str
    ended_at: str | None


class RunPage(BaseModel):
    data: list[RunShape]
    next: str | None
