"""Ready-made journeys. A copy becomes a draft in the language of the account."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.i18n.catalogs import N_, PORTAL_TEXTS

_END = {"id": "end", "kind": "end"}


@dataclass(frozen=True)
class ReadyMade:
    code: str
    definition: Mapping[str, Any]
    """Texts are marked for translation."""
    needs_template: bool = False
    """It writes to people who have not written: choose an approved template before publishing."""

    def in_language(self, locale: str) -> dict[str, Any]:
        made = _translated(self.definition, locale)
        return dict(made)


TRANSLATED = ("text", "title", "link_text", "list_button", "description", "note", "words", "value")


def _translated(value: Any, locale: str, name: str = "") -> Any:
    if isinstance(value, Mapping):
        return {key: _translated(part, locale, key) for key, part in value.items()}
    if isinstance(value, list):
        return [_translated(part, locale, name) for part in value]
    if isinstance(value, str) and value and name in TRANSLATED:
        return PORTAL_TEXTS.gettext(locale, value)
    return value


READY_MADE = {
    one.code: one
    for one in (
        ReadyMade(
            "greeting",
            {
                "when": {"kind": "first_message"},
                "steps": [
                    {
                        "id": "open",
                        "kind": "if",
                        "what": "open",
                        "then": "hello",
                        "otherwise": "closed",
                    },
                    {
                        "id": "hello",
                        "kind": "say",
                        "text": N_(
                            "Hello {{customer.first_name|}} 👋 Welcome to {{shop.name}}. "
                            "How can we help?"
                        ),
                        "next": "end",
                    },
                    {
                        "id": "closed",
                        "kind": "say",
                        "text": N_(
                            "Hello {{customer.first_name|}} 👋 Welcome to {{shop.name}}. We are "
                            "closed now and answer as soon as we open."
                        ),
                    },
                    _END,
                ],
            },
        ),
        ReadyMade(
            "away",
            {
                "when": {"kind": "out_of_hours"},
                "steps": [
                    {
                        "id": "away",
                        "kind": "say",
                        "text": N_(
                            "Thank you for your message. We are closed now and answer as soon as "
                            "we open. {{shop.name}}"
                        ),
                    },
                    _END,
                ],
            },
        ),
        ReadyMade(
            "help_menu",
            {
                "when": {"kind": "keyword", "words": [N_("help"), N_("info")]},
                "steps": [
                    {
                        "id": "ask",
                        "kind": "ask",
                        "answer": "buttons",
                        "text": N_("How can we help?"),
                        "save_as": "wish",
                        "choices": [
                            {"title": N_("Opening hours"), "next": "hours"},
                            {"title": N_("See the menu"), "next": "menu"},
                            {"title": N_("Talk to a person"), "next": "person"},
                        ],
                    },
                    {
                        "id": "hours",
                        "kind": "say",
                        "text": N_("We are open every day from 9:00 to 22:00."),
                        "next": "end",
                    },
                    {
                        "id": "menu",
                        "kind": "menu_link",
                        "text": N_("Here is our menu. You can order there, too."),
                        "link_text": N_("Open the menu"),
                        "next": "end",
                    },
                    {"id": "person", "kind": "hand_over", "note": N_("Wants to talk to a person")},
                    _END,
                ],
            },
        ),
        ReadyMade(
            "where_is_my_order",
            {
                "when": {"kind": "keyword", "words": [N_("where is my order"), N_("my order")]},
                "steps": [
                    {
                        "id": "found",
                        "kind": "if",
                        "what": "latest_order",
                        "then": "state",
                        "otherwise": "ask",
                    },
                    {
                        "id": "state",
                        "kind": "ask",
                        "answer": "buttons",
                        "text": N_(
                            "Your order {{latest_order.number}} {{latest_order.state}}. "
                            "Can we help you with anything else?"
                        ),
                        "choices": [
                            {"title": N_("No, thank you"), "next": "end"},
                            {"title": N_("Talk to a person"), "next": "question"},
                        ],
                    },
                    {
                        "id": "question",
                        "kind": "hand_over",
                        "note": N_("Has a question about order {{latest_order.number}}"),
                    },
                    {
                        "id": "ask",
                        "kind": "ask",
                        "answer": "text",
                        "text": N_(
                            "We found no order of the last 30 days from this number. If you "
                            "ordered with another number, what is your order number?"
                        ),
                        "save_as": "order_number",
                    },
                    {
                        "id": "thanks",
                        "kind": "say",
                        "text": N_(
                            "Thank you. We are looking for order {{answer.order_number}} and "
                            "answer in a moment."
                        ),
                    },
                    {
                        "id": "person",
                        "kind": "hand_over",
                        "note": N_("Asks where order {{answer.order_number}} is"),
                    },
                    _END,
                ],
            },
        ),
        ReadyMade(
            "cash_on_delivery",
            {
                "when": {"kind": "store_order", "states": ["order.created"]},
                "steps": [
                    {
                        "id": "ask",
                        "kind": "template",
                        "parameters": ["{{customer.first_name|–}}", "{{order.number}}"],
                        "choices": [
                            {"title": N_("Confirm order"), "next": "confirm"},
                            {"title": N_("Cancel order"), "next": "cancel"},
                        ],
                        "save_as": "decision",
                        "minutes": 1440,
                        "no_answer": "",
                    },
                    {
                        "id": "confirm",
                        "kind": "store_update",
                        "action": "confirm",
                        "tag": "confirmed",
                        "failed": "person",
                    },
                    {
                        "id": "thanks",
                        "kind": "say",
                        "text": N_("Thank you, order {{order.number}} is confirmed."),
                        "next": "end",
                    },
                    {
                        "id": "cancel",
                        "kind": "store_update",
                        "action": "cancel",
                        "failed": "person",
                    },
                    {
                        "id": "cancelled",
                        "kind": "say",
                        "text": N_("Order {{order.number}} is cancelled."),
                        "next": "end",
                    },
                    {
                        "id": "person",
                        "kind": "hand_over",
                        "note": N_("The store did not accept the change of the order"),
                    },
                    _END,
                ],
            },
            needs_template=True,
        ),
        ReadyMade(
            "back_in_stock",
            {
                "when": {"kind": "tag", "tag": "back-in-stock"},
                "steps": [
                    {
                        "id": "tell",
                        "kind": "template",
                        "parameters": ["{{customer.first_name|–}}"],
                    },
                    {"id": "untag", "kind": "tag", "tag": "back-in-stock", "remove": True},
                    _END,
                ],
            },
            needs_template=True,
        ),
        ReadyMade(
            "review",
            {
                "when": {"kind": "order_state", "states": ["closed", "delivered"]},
                "steps": [
                    {"id": "later", "kind": "wait", "minutes": 120},
                    {
                        "id": "ask",
                        "kind": "template",
                        "parameters": ["{{customer.first_name|–}}"],
                        "choices": [
                            {"title": N_("It was great"), "next": "thanks"},
                            {"title": N_("Not so good"), "next": "sorry"},
                        ],
                        "minutes": 1440,
                    },
                    {
                        "id": "thanks",
                        "kind": "say",
                        "text": N_("Thank you! We look forward to seeing you again."),
                        "next": "end",
                    },
                    {
                        "id": "sorry",
                        "kind": "ask",
                        "answer": "text",
                        "text": N_("We are sorry to hear that. What went wrong?"),
                        "save_as": "complaint",
                    },
                    {
                        "id": "person",
                        "kind": "hand_over",
                        "note": N_("Was not happy: {{answer.complaint}}"),
                    },
                    _END,
                ],
            },
            needs_template=True,
        ),
        ReadyMade(
            "win_back",
            {
                "when": {"kind": "date", "date": "last_order", "days": 45, "hour": 12},
                "steps": [
                    {
                        "id": "miss",
                        "kind": "template",
                        "parameters": ["{{customer.first_name|–}}"],
                    },
                    _END,
                ],
            },
            needs_template=True,
        ),
        ReadyMade(
            "reservation",
            {
                "when": {"kind": "keyword", "words": [N_("reservation"), N_("book a table")]},
                "steps": [
                    {
                        "id": "people",
                        "kind": "ask",
                        "answer": "number",
                        "text": N_("For how many people?"),
                        "save_as": "people",
                    },
                    {
                        "id": "time",
                        "kind": "ask",
                        "answer": "text",
                        "text": N_("On which day and at what time?"),
                        "save_as": "time",
                    },
                    {
                        "id": "thanks",
                        "kind": "say",
                        "text": N_(
                            "Thank you. We check a table for {{answer.people}} ({{answer.time}}) "
                            "and confirm it here."
                        ),
                    },
                    {"id": "tag", "kind": "tag", "tag": "reservation"},
                    {
                        "id": "person",
                        "kind": "hand_over",
                        "note": N_("Reservation: {{answer.people}} people, {{answer.time}}"),
                    },
                ],
            },
        ),
    )
}
