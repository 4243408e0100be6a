"""Orders that start journeys, and the menu that a journey links to."""

from core.values.money import format_money
from messaging.journeys import ports, triggers
from messaging.lines import repository as line_repository
from restaurant.loyalty.placeholders import menu_link
from restaurant.orders.effects import OrderUpdate
from restaurant.sites import sites


def start_for_order(update: OrderUpdate) -> None:
    """Called when an order is placed or changes its state."""
    order = update.order
    if not update.notify_customer:
        return
    triggers.start_for_order(
        order.contact_id,
        order.line_id,
        order.id,
        order.state,
        {
            "order.number": order.number,
            "order.total": format_money(order.total, order.currency, order.language),
        },
        test=order.test,
    )


def link_of_line(line_id: int) -> str:
    """The menu of the first site whose customers write to the line, "" without one."""
    found = sites.sites_of_line(line_repository.get(line_id))
    return menu_link(found[0]) if found else ""


def register() -> None:
    ports.register_menu_link(link_of_line)
