"""The status of an order that was sent with its details before."""

from typing import Annotated, Any, Literal

from pydantic import Field

from core.i18n.catalogs import N_
from core.values.field_checks import optional_text, required_text
from messaging.messages.kinds.fields import ResolveFile
from messaging.messages.kinds.interactive.base import (
    LONGEST_BODY,
    Content,
    InteractiveFields,
    interactive_kind,
)

LONGEST_REFERENCE, LONGEST_DESCRIPTION = 35, 120
Status = Literal["pending", "processing", "partially_shipped", "shipped", "completed", "canceled"]


class OrderStatusFields(InteractiveFields):
    reference: Annotated[str, required_text("reference", LONGEST_REFERENCE)] = Field(
        description="The order's reference, as in the message with its details. It is also the "
        "`reference` of this message.",
        examples=["order-184"],
    )
    status: Status = Field(description="The new status of the order.", examples=["shipped"])
    description: Annotated[str | None, optional_text("description", LONGEST_DESCRIPTION)] = Field(
        None, description="120 characters at most.", examples=["The courier is on the way."]
    )
    body: Annotated[str | None, optional_text("body", LONGEST_BODY)] = Field(
        None, description="The text of the message. Empty: the description or the status."
    )

    def message_text(self) -> str:
        return self.body or self.description or f"{self.reference}: {self.status}"

    def parts(self, resolve_file: ResolveFile) -> dict[str, Any]:
        return {**super().parts(resolve_file), "body": self.message_text()}


def _action(content: Content) -> dict[str, Any]:
    order = {"status": content["status"]}
    if content.get("description"):
        order["description"] = content["description"]
    return {
        "name": "review_order",
        "parameters": {"reference_id": content["reference"], "order": order},
    }


ORDER_STATUS = interactive_kind(
    N_("Order status"),
    "order_status",
    OrderStatusFields,
    _action,
    icon="shop",
    plain_text=lambda content: str(content["body"]),
)
