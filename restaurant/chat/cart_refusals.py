"""Why a cart that arrives in the chat does not become an order."""

from datetime import timedelta
from typing import Any

from babel.dates import format_time
from sqlalchemy import func, select

from core.clock import now
from core.db import current_tenant_id, db
from messaging.models import Line
from restaurant.chat.senders import Sender
from restaurant.chat_texts import chat_text, opening_day
from restaurant.menus import availability, publishing
from restaurant.menus.pricing import NotOnMenu, PricedMenu
from restaurant.models import Cart, Order, Site
from restaurant.sites import sites
from tenants.plans.catalog import current_tenant_facts

HOUR = timedelta(hours=1)


def refusal_of(
    line: Line, site: Site | None, cart: Cart, sender: Sender
) -> tuple[str, dict[str, Any]] | None:
    """The key of the reply and its values; None if an order can be made."""
    moment = now()
    if cart.used_at is not None:
        made = db.session.get(Order, (current_tenant_id(), cart.order_id))
        return "already", {"order": made.number if made else ""}
    if site is None:
        return "unknown_code", {}
    site_line = sites.line_of(site)
    if site_line is None or site_line.id != line.id:
        return "other_place", {}
    if cart.expires_at <= moment:
        return "expired", {}
    why = "paused" if current_tenant_facts().suspended else sites.why_no_orders(site, moment)
    if why == "closed" and cart.due_at is not None:
        why = ""  # an order for later
    if why == "closed":
        return "closed", {"opens": opening_text(site, cart.language)}
    if why:
        return "paused_table" if cart.order_type == "dine_in" else "paused", {}
    if orders_last_hour(site, sender) >= site.phone_orders_per_hour:
        return "too_many", {}
    return _unavailable(site, cart)


def _unavailable(site: Site, cart: Cart) -> tuple[str, dict[str, Any]] | None:
    """What has been sold out or removed from the menu since the cart was created."""
    version = publishing.published_version(cart.menu_id)
    if version is None or cart.menu_id != site.menu_id:
        return "changed", {}
    missing = availability.unavailable(site, version.content, cart.due_at or now())
    priced_menu = PricedMenu(version.content)
    known = {option["id"] for group in version.content["groups"].values()
             for option in group["options"]}  # fmt: skip
    for row in cart.lines:
        try:
            priced_menu.item(row["item_id"])
        except NotOnMenu:
            return "changed", {}
        if row["item_id"] in missing:
            return "sold_out", {"name": row["said"]}
        for option in row["options"]:
            if option["id"] not in known:
                return "changed", {}
            if {option["id"], option.get("item_id")} & missing:
                return "sold_out", {"name": option["said"]}
    return None


def orders_last_hour(site: Site, sender: Sender) -> int:
    query = select(func.count()).where(
        Order.tenant_id == current_tenant_id(),
        Order.contact_id == sender.contact_id,
        Order.site_id == site.id,
        Order.placed_at > now() - HOUR,
    )
    return db.session.scalar(query) or 0


def opening_text(site: Site, language: str) -> str:
    at = sites.next_opening(site)
    if at is None:
        return ""
    clock = format_time(at, "short", locale=language)
    return chat_text(language, "opens", day=opening_day(at, language), time=clock)
