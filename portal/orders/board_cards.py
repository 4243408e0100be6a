"""The order cards of the board and of the kitchen display."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.clock import now
from portal.web.auth import may
from printing import printers
from printing import queries as print_job_queries
from restaurant.models import Order, OrderItem, Site, Station, order_states
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import courses as kitchen_courses
from restaurant.orders.kitchen import display as kitchen_display
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.printing import station_coverage

WAITING = frozenset({"awaiting_confirmation", "awaiting_payment", "scheduled"})
HELD = "held"
"""The progress of an item whose course has not been fired."""


@dataclass
class OrderCard:
    order: Order
    items: list[OrderItem]
    """Items of the chosen station, or all items."""
    made: dict[int, str]
    """By item position: waiting, started, ready or held."""
    since: datetime
    """When the kitchen got the oldest unfinished item."""
    tone: str
    step: str | None
    """The next step that the card's button takes."""
    by_item: bool = False
    """The button starts or finishes the items shown; otherwise it changes the order's state."""
    last_tap: datetime | None = None
    slips: list[print_job_queries.TicketSummary] = field(default_factory=list)
    unprinted: list[Station] = field(default_factory=list)
    """Stations of the order that have no printer."""
    next_course: kitchen_courses.HeldCourse | None = None
    """The course that is fired next, of all stations."""

    @property
    def state(self) -> str:
        """The progress of the station, or of the whole order."""
        states = {
            kitchen_progress.WAITING if state == HELD else state for state in self.made.values()
        }
        if states == {kitchen_progress.READY}:
            return kitchen_progress.READY
        return (
            kitchen_progress.WAITING
            if states <= {kitchen_progress.WAITING}
            else kitchen_progress.STARTED
        )

    @property
    def waits_for_course(self) -> bool:
        """Everything that was fired is ready; the rest has not been fired."""
        states = set(self.made.values())
        return HELD in states and states <= {HELD, kitchen_progress.READY}

    @property
    def arrival(self) -> str:
        """Changes when the kitchen gets something new of this order."""
        fired = sum(state != HELD for state in self.made.values())
        return f"{self.order.id}.{self.order.batch}.{fired}"

    @property
    def undoable(self) -> bool:
        return self.last_tap is not None and self.order.state in kitchen_display.UNDOABLE

    @property
    def minutes(self) -> int:
        return max(0, int((now() - self.since).total_seconds() // 60))


def order_cards(site: Site, station: str, known: list[Station]) -> list[OrderCard]:
    """The open orders, oldest first; with a station, those that have items there."""
    found = order_queries.open_orders(site.id)
    ids = [order.id for order in found]
    items, progress = order_queries.items_of_orders(ids), kitchen_progress.progress_of(ids)
    ordered_at = order_queries.batch_times(found)
    slips = (
        print_job_queries.tickets_of_orders([order.id for order in found])
        if may("printing.view")
        else {}
    )
    bare = station_coverage.stations_without_printer(known, printers.summaries_in_use(site.id))
    made = []
    for order in found:
        remaining = kitchen_progress.remaining_items(items[order.id], station)
        if station and not remaining:
            continue
        in_kitchen = order.state in order_states.IN_THE_KITCHEN
        states = _states(order, remaining, progress[order.id], station)
        since = _since(remaining, states, ordered_at[order.id])
        card = OrderCard(
            order,
            remaining,
            states,
            since,
            _tone(site, order, since),
            order_states.next_step(order.state, order.order_type),
            in_kitchen and bool(remaining),
            progress[order.id].last_tap(station),
            slips.get(order.id, []),
            station_coverage.stations_of_items(bare, remaining) if in_kitchen else [],
        )
        if in_kitchen:
            card.next_course = kitchen_courses.next_course(items[order.id])
        if card.by_item:
            card.step = _item_step(set(states.values()))
        if order.state == "awaiting_payment" or not may("orders.manage"):
            card.step = None
        made.append(card)
    return made


def _states(
    order: Order,
    items: list[OrderItem],
    progress: kitchen_progress.OrderProgress,
    station: str,
) -> dict[int, str]:
    if order.state not in order_states.IN_THE_KITCHEN and order.state not in WAITING:
        return dict.fromkeys((item.position for item in items), kitchen_progress.READY)
    return {
        item.position: HELD
        if kitchen_progress.is_held(item) and order.state not in WAITING
        else progress.of(item, station)
        for item in items
    }


def _item_step(states: set[str]) -> str | None:
    if states <= {kitchen_progress.READY, HELD}:
        return None
    return "preparing" if kitchen_progress.WAITING in states else "ready"


def _since(items: list[OrderItem], states: dict[int, str], ordered_at: list[datetime]) -> datetime:
    """When the kitchen got the oldest unfinished item; if all are ready, the last one."""

    def got(item: OrderItem) -> datetime:
        return item.fired_at or ordered_at[min(item.batch, len(ordered_at)) - 1]

    fired = [item for item in items if states[item.position] != HELD]
    unmade = [item for item in fired if states[item.position] != kitchen_progress.READY]
    if unmade:
        return min(map(got, unmade))
    return max([*map(got, fired), ordered_at[-1]])


def _tone(site: Site, order: Order, since: datetime) -> str:
    if order.alarmed_at is not None and order.state == "awaiting_confirmation":
        return "alarm"
    if order.state in ("scheduled", "served", "out_for_delivery"):
        return "calm"
    waited = now() - since
    if waited >= timedelta(minutes=site.kitchen_late_minutes):
        return "hot"
    return "warm" if waited >= timedelta(minutes=site.kitchen_warn_minutes) else "calm"
