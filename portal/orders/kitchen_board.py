"""The kitchen display: what to prepare, what was finished last, and the count of each dish."""

from dataclasses import dataclass, field

from portal.orders.board_cards import HELD, OrderCard
from restaurant.models import order_states
from restaurant.orders.kitchen import progress as kitchen_progress

FINISHED_SHOWN = 8


@dataclass
class DishCount:
    """All pieces of a dish that the display's tickets still need."""

    name: str
    open: int = 0
    held: int = 0
    """Of courses that have not been fired."""


@dataclass
class KitchenBoard:
    cards: list[OrderCard]
    finished: list[OrderCard] = field(default_factory=list)
    """Finished tickets that can be recalled, latest first."""
    counts: list[DishCount] = field(default_factory=list)
    latest: OrderCard | None = None
    """The ticket with the last tap, which the recall button undoes."""


def kitchen_board(cards: list[OrderCard]) -> KitchenBoard:
    tapped = [card for card in cards if card.undoable and card.last_tap]
    tapped.sort(key=lambda card: card.last_tap or card.since, reverse=True)
    open_cards = [
        card
        for card in cards
        if card.order.state in order_states.IN_THE_KITCHEN and card.state != kitchen_progress.READY
    ]
    # A ticket that only waits for its next course comes after those that can be cooked.
    open_cards.sort(key=lambda card: (card.waits_for_course, card.since))
    return KitchenBoard(
        cards=open_cards,
        finished=[card for card in tapped if card.state == kitchen_progress.READY][:FINISHED_SHOWN],
        counts=_counts(open_cards),
        latest=tapped[0] if tapped else None,
    )


def _counts(cards: list[OrderCard]) -> list[DishCount]:
    found: dict[str, DishCount] = {}
    for card in cards:
        for item in card.items:
            state = card.made[item.position]
            if state == kitchen_progress.READY:
                continue
            count = found.setdefault(item.item_id or item.name, DishCount(item.name))
            pieces = item.quantity - item.voided
            if state == HELD:
                count.held += pieces
            else:
                count.open += pieces
    return sorted(found.values(), key=lambda one: (-one.open, -one.held, one.name))
