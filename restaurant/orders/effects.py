"""What follows a change of an order in other parts of the restaurant.

Orders announce a change; payments, couriers, tickets, loyalty and chat messages react to it.
`restaurant.wiring` registers the reactions. They run one after another, in the registered order
and in the transaction of the change: an error in one of them undoes the change.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from restaurant.models import Order, OrderItem, Site


class Change(Enum):
    PLACED = "placed"
    STATE = "state"
    PAID = "paid"
    """Paid online while the order was not waiting for it."""
    REPRICED = "repriced"
    RESCHEDULED = "rescheduled"
    """An order for later has another time."""
    TABLE = "table"
    TILL = "till"
    """The staff recorded or undid a payment."""


@dataclass(frozen=True)
class OrderUpdate:
    """An order after the change. Its row is locked or new."""

    site: Site
    order: Order
    items: Sequence[OrderItem]
    because: str = ""
    """Free text of the person who made the change."""
    notify_customer: bool = True


Effect = Callable[[OrderUpdate], None]

_effects: dict[Change, tuple[Effect, ...]] = {}


def register(change: Change, *effects: Effect) -> None:
    """Replaces the effects of this change."""
    _effects[change] = effects


def announce(change: Change, update: OrderUpdate) -> None:
    if change not in _effects:
        raise RuntimeError("order effects not registered: call restaurant.wiring.wire_domains")
    for effect in _effects[change]:
        effect(update)
