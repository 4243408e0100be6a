"""Tools for a restaurant: orders, sold-out items, the figures of a day, printers."""

from datetime import date, datetime
from typing import Any

from pydantic import Field

from api.key_mode import check_mode, test_filter
from api.mcp.tools.base import Arguments, Tool, ToolCall, WriteArguments
from api.v1.restaurant.orders import change_order, order_json, whole_order_json
from api.v1.restaurant.sites import site_json, sold_out_json
from api.v1.schemas.restaurant.orders import Move
from core.clock import now, zone
from core.errors import invalid
from core.values.text import fold_case
from printing import choices as printing_choices
from printing import printers
from printing import queries as print_queries
from printing.monitoring import job_facts, printer_facts
from printing.queries import PrintJobFilters
from restaurant.menus import availability, publishing
from restaurant.menus.pricing import text_in
from restaurant.models import Site
from restaurant.models.order_states import STATES
from restaurant.orders import queries as order_queries
from restaurant.orders.reports import day_summary as day_reports
from restaurant.sites import sites

SITE = Field(None, max_length=64, description="Such as sit_01J…; empty if there is only one.")


class NoArguments(Arguments):
    """No arguments."""


def list_restaurants(_: ToolCall, _given: NoArguments) -> dict[str, Any]:
    return {"restaurants": [site_json(site) for site in sites.listed()]}


class ListOrders(Arguments):
    site_id: str | None = SITE
    state: str | None = Field(None, max_length=32, description=f"One of {', '.join(STATES)}.")
    phone: str | None = Field(None, max_length=24, description="The customer's number.")
    open_only: bool = Field(True, description="Only orders that are not finished.")
    limit: int = Field(20, ge=1, le=50)


def list_orders(_: ToolCall, given: ListOrders) -> dict[str, Any]:
    if given.state is not None and given.state not in STATES:
        raise invalid("state", "invalid_state", "This is not a state of an order.")
    filters = order_queries.OrderFilters(
        site_id=given.site_id,
        state=given.state,
        phone=given.phone,
        open_only=given.open_only and given.state is None,
        test=test_filter(),
    )
    rows = order_queries.listed(filters, None, given.limit)
    items = order_queries.items_of_orders([order.id for order in rows])
    names = {site.id: site.name for site in sites.list_including_closed()}
    return {
        "orders": [
            order_json(order, items[order.id], names.get(order.site_id, "")) for order in rows
        ]
    }


class ChangeOrderState(WriteArguments):
    order_id: str = Field(max_length=64, description="The id or the number of the order.")
    state: str = Field(max_length=32, description=f"One of {', '.join(STATES)}.")
    reason: str = Field("", max_length=200, description="Needed for cancelled.")
    version: int | None = Field(None, description="Refused if the order has changed since.")


def change_order_state(_: ToolCall, given: ChangeOrderState) -> dict[str, Any]:
    move = Move.model_validate(
        {"status": given.state, "reason": given.reason, "version": given.version}
    )
    order = check_mode(order_queries.get(given.order_id))
    return {"order": whole_order_json(change_order(order, move))}


class FindMenuItems(Arguments):
    query: str = Field("", max_length=80, description="Part of the name; empty: everything.")
    site_id: str | None = SITE


def find_menu_items(_: ToolCall, given: FindMenuItems) -> dict[str, Any]:
    site = _site(given.site_id)
    version = publishing.published_version(site.menu_id) if site.menu_id else None
    if version is None:
        return {"items": []}
    gone, wanted = availability.sold_out_now(site.id), fold_case(given.query)
    content = version.content
    found = [
        {
            "id": item["id"],
            "name": text_in(item["texts"], site.languages[0], content["languages"]),
            "price": item["price"],
            "sold_out": item["id"] in gone,
        }
        for category in content["categories"]
        for item in category["items"]
        if any(wanted in fold_case(one.get("name") or "") for one in item["texts"].values())
    ]
    return {"site_id": site.id, "currency": content["currency"], "items": found[:100]}


class SetSoldOut(WriteArguments):
    item_id: str = Field(max_length=64, description="Of find_menu_items, such as itm_01J….")
    sold_out: bool = Field(description="false puts it back on the menu.")
    until: datetime | None = Field(
        None, description="With offset; empty: until somebody puts it back."
    )
    site_id: str | None = SITE


def set_sold_out(_: ToolCall, given: SetSoldOut) -> dict[str, Any]:
    site = _site(given.site_id)
    if given.until is not None and given.until.tzinfo is None:
        raise invalid("until", "invalid_time", "Give the time with its offset, such as +03:00.")
    if given.sold_out:
        availability.mark_sold_out(site, given.item_id, given.until)
    else:
        availability.mark_available(site, given.item_id)
    return {"sold_out": sold_out_json(site)["data"]}


class DaySummary(Arguments):
    day: date | None = Field(None, description="Empty: the restaurant's business day today.")
    site_id: str | None = SITE


def day_summary(_: ToolCall, given: DaySummary) -> dict[str, Any]:
    site = _site(given.site_id)
    if given.day is not None and given.day > now().astimezone(zone(site.time_zone)).date():
        raise invalid("day", "invalid_day", "This day is in the future.")
    found = day_reports.summarize_day(site, given.day or day_reports.business_day_today(site))
    return {
        "restaurant": site.name,
        "day": found.day.isoformat(),
        "currency": site.currency,
        "figures": dict(found.rows()),
        "orders_by_state": found.by_state,
        "minutes_to_ready": found.minutes_to_ready and round(found.minutes_to_ready, 1),
    }


def find_print_problems(_: ToolCall, _given: NoArguments) -> dict[str, Any]:
    """Printers in an error state, and tickets that were not printed or not confirmed."""
    broken = [one for one in printers.listed() if one.state in printing_choices.ERROR_STATES]
    jobs = [
        job
        for state in ("failed", "unconfirmed")
        for job in print_queries.listed(PrintJobFilters(state=state), None, 20)
    ]
    return {
        "printers": [printer_facts(one) for one in broken],
        "print_jobs": [job_facts(job) for job in jobs],
        "ok": not broken and not jobs,
    }


def _site(site_id: str | None) -> Site:
    if site_id:
        return sites.get(site_id)
    known = sites.listed()
    if len(known) != 1:
        raise invalid(
            "site_id", "site_needed", "Give site_id: list_restaurants shows the restaurants."
        )
    return known[0]


LIST_RESTAURANTS = Tool(
    "list_restaurants",
    "List restaurants",
    "Lists the restaurants of the business with their opening hours and settings.",
    "menus",
    NoArguments,
    list_restaurants,
    test_keys=True,
)
LIST_ORDERS = Tool(
    "list_orders",
    "List orders",
    "Lists orders with their items, the newest first.",
    "orders",
    ListOrders,
    list_orders,
    test_keys=True,
)
CHANGE_ORDER_STATE = Tool(
    "change_order_state",
    "Change order state",
    "Moves an order to its next state, as staff do on the order board. The customer may be told. "
    "Cannot refund.",
    "orders",
    ChangeOrderState,
    change_order_state,
    test_keys=True,
    reads_only=False,
    reaches_people=True,
)
FIND_MENU_ITEMS = Tool(
    "find_menu_items",
    "Find menu items",
    "Finds items of the published menu by name, with price and whether they are sold out.",
    "menus",
    FindMenuItems,
    find_menu_items,
    test_keys=True,
)
SET_SOLD_OUT = Tool(
    "set_sold_out",
    "Set sold out",
    "Marks an item of the menu as sold out, or puts it back.",
    "menus",
    SetSoldOut,
    set_sold_out,
    reads_only=False,
)
DAY_SUMMARY = Tool(
    "day_summary",
    "Day summary",
    "The figures of a restaurant's business day: orders, revenue, paid and open amounts, tips, "
    "taxes, cancellations, time in the kitchen.",
    "orders",
    DaySummary,
    day_summary,
)
FIND_PRINT_PROBLEMS = Tool(
    "find_print_problems",
    "Find print problems",
    "Finds printers that do not work and tickets that did not print.",
    "printers",
    NoArguments,
    find_print_problems,
)
