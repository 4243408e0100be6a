"""The predefined automations: trigger, default text and options of each."""

from dataclasses import dataclass, field
from typing import Any

from core.i18n.catalogs import N_, PORTAL_TEXTS


@dataclass(frozen=True)
class Recipe:
    """`marketing` recipes respect an opt-out; `to_owner` recipes write to the business."""

    code: str
    trigger: str
    default_text: str
    delay_minutes: int = 0
    shortest_delay: int = 0
    marketing: bool = False
    to_owner: bool = False
    conditions: dict[str, Any] = field(default_factory=dict)

    def text(self, locale: str) -> str:
        return PORTAL_TEXTS.gettext(locale, self.default_text)


BUTTON_TAPPED = "button.tapped"
RECIPES = {
    one.code: one
    for one in (
        Recipe(
            "order_confirmation",
            "order.created",
            N_(
                "Hi {{customer.first_name|there}}, thank you for your order {{order.number}}.\n"
                "{{order.items}}\nTotal: {{order.total}}\n\n{{shop.name}}"
            ),
        ),
        Recipe(
            "shipping_link",
            "order.fulfilled",
            N_(
                "Hi {{customer.first_name|there}}, your order {{order.number}} is on its way.\n"
                "Tracking number: {{tracking.number}}\n{{tracking.url|}}\n\n{{shop.name}}"
            ),
            conditions={"tracking": True},
        ),
        Recipe(
            "order_cancelled",
            "order.cancelled",
            N_(
                "Hi {{customer.first_name|there}}, your order {{order.number}} was cancelled. "
                "Write to us here if this is not what you wanted.\n\n{{shop.name}}"
            ),
        ),
        Recipe(
            "abandoned_cart",
            "checkout.created",
            N_(
                "Hi {{customer.first_name|there}}, your cart is waiting for you:\n"
                "{{checkout.items}}\n\nGo on here: {{checkout.url}}\n\n{{shop.name}}"
            ),
            delay_minutes=60,
            shortest_delay=5,
            marketing=True,
        ),
        Recipe(
            "form_reply",
            "form.submitted",
            N_(
                "Hi {{customer.first_name|there}}, thank you for writing to us. We have your "
                "message and will answer soon.\n\n{{shop.name}}"
            ),
            # A visitor can enter anyone's phone in a form.
            conditions={"consent": True},
        ),
        Recipe(
            "owner_notice",
            "form.submitted",
            N_("New submission of {{form.name|your form}}:\n\n{{form.summary}}"),
            to_owner=True,
        ),
        Recipe(
            "button_reply",
            BUTTON_TAPPED,
            N_("Thank you {{customer.first_name|}}! You chose: {{button.title}}\n\n{{shop.name}}"),
        ),
    )
}
# Events with different names that start the same automations.
TRIGGERS_BY_EVENT = {
    "order.created": "order.created",
    "order.fulfilled": "order.fulfilled",
    "order.cancelled": "order.cancelled",
    "checkout.created": "checkout.created",
    "checkout.updated": "checkout.created",
    "form.submitted": "form.submitted",
    BUTTON_TAPPED: BUTTON_TAPPED,
}


def recipes_started_by(trigger: str) -> tuple[str, ...]:
    return tuple(code for code, one in RECIPES.items() if one.trigger == trigger)
