"""Guests choose another time for a cart in the chat, because the kitchen is full at its time.

They tap a button, or reply with the code of the order and the time: "#ABCD-EFGH 19:45".
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from core.clock import now, zone
from core.errors import DomainError
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.kinds.base import Choice
from restaurant.chat_texts import chat_text, time_text
from restaurant.models import Cart, Site
from restaurant.orders.cards.card import Card, with_buttons
from restaurant.orders.pace import times

PREFIX = "later:"
LONGEST_REPLY = 40
_CLOCK = re.compile(r"(?:^|\s)([01]?[0-9]|2[0-3])[:.]([0-5][0-9])(?:\s|$)")


def read_tap(message: InboundMessage) -> tuple[str, datetime] | None:
    """The cart's code and the time of a tapped button."""
    given = str(message.content.get("id") or "")
    code, _, at = given.removeprefix(PREFIX).partition(":")
    if not given.startswith(PREFIX) or not code or not (at.isdecimal() and len(at) < 12):
        return None
    return code, datetime.fromtimestamp(int(at), UTC)


def typed_time(site: Site, text: str) -> datetime | None:
    """The next such time of day, if the message is only a code and a time."""
    found = _CLOCK.search(text) if len(text) <= LONGEST_REPLY else None
    if found is None:
        return None
    local = now().astimezone(zone(site.time_zone))
    at = local.replace(hour=int(found[1]), minute=int(found[2]), second=0, microsecond=0)
    return at if at > local else at + timedelta(days=1)


def is_possible(site: Site, cart: Cart) -> bool:
    """Whether the cart's own time can still be met."""
    if cart.due_at is None:
        return True
    try:
        times.check_due(site, cart.order_type, cart.due_at)
    except DomainError:
        return False
    return True


def offer_card(site: Site, cart: Cart, key: str, free: Sequence[datetime]) -> Card:
    """Tells why the time is not possible, with buttons for the next free times."""
    if not free:
        return Card(chat_text(cart.language, "full_today"))
    text = chat_text(cart.language, key, code=f"#{cart.code[:4]}-{cart.code[4:]}")
    return with_buttons(
        text,
        [
            Choice(
                f"{PREFIX}{cart.code}:{int(at.timestamp())}",
                time_text(at, site.time_zone, cart.language),
            )
            for at in free
        ],
    )
