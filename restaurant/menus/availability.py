"""Which items and options a site cannot sell now: sold out, or outside their serving hours."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, or_, select
from sqlalchemy.dialects.postgresql import insert

from core.clock import now, zone
from core.db import current_tenant_id, db
from core.errors import invalid
from restaurant.menus import happy_hours, menus, publishing, stock
from restaurant.menus.pricing import PricedMenu
from restaurant.models import Site, SoldOut
from restaurant.sites import hours
from tenants import audit


def mark_sold_out(site: Site, thing_id: str, until: datetime | None) -> None:
    """Mark an item or option as sold out until a time or, with None, until it is put back."""
    if not thing_id.startswith(("itm_", "opt_")):
        raise invalid("id", "unknown_item", "Only items and options can be marked as sold out.")
    if thing_id not in _on_menu(site):
        raise invalid("id", "unknown_item", "This item or option is not on the restaurant's menu.")
    if until is not None and until <= now():
        raise invalid("until", "invalid_time", "This time has already passed. Choose a later time.")
    row = {"until": until, "by": audit.current_actor().name, "at": now()}
    db.session.execute(
        insert(SoldOut)
        .values(tenant_id=current_tenant_id(), site_id=site.id, thing_id=thing_id, **row)
        .on_conflict_do_update(
            index_elements=[SoldOut.tenant_id, SoldOut.site_id, SoldOut.thing_id], set_=row
        )
    )
    audit.record("sites.sold_out", site.name, site_id=site.id, thing_id=thing_id)


def _on_menu(site: Site) -> set[str]:
    """Ids of the items and options in the draft and in the published version."""
    if site.menu_id is None:
        return set()
    found = {item.id for item in menus.items(site.menu_id)}
    options = menus.options_of(list(menus.group_ids(site.menu_id)))
    found |= {option.id for group in options.values() for option in group}
    version = publishing.published_version(site.menu_id)
    if version is not None:
        found |= {item["id"] for one in version.content["categories"] for item in one["items"]}
        groups = version.content["groups"].values()
        found |= {option["id"] for group in groups for option in group["options"]}
    return found


def mark_available(site: Site, thing_id: str) -> None:
    deleted = db.session.execute(
        delete(SoldOut)
        .where(
            SoldOut.tenant_id == current_tenant_id(),
            SoldOut.site_id == site.id,
            SoldOut.thing_id == thing_id,
        )
        .returning(SoldOut.thing_id)
    ).first()
    if deleted is not None:
        audit.record("sites.put_back", site.name, site_id=site.id, thing_id=thing_id)


def next_business_day_start(site: Site, moment: datetime) -> datetime:
    today = hours.business_day(site.day_starts, site.time_zone, moment)
    hour, minute = (int(part) for part in site.day_starts.split(":"))
    local = datetime(today.year, today.month, today.day, hour, minute, tzinfo=zone(site.time_zone))
    return local + timedelta(days=1)


def sold_out(site_id: str, moment: datetime) -> dict[str, datetime | None]:
    query = select(SoldOut.thing_id, SoldOut.until).where(
        SoldOut.tenant_id == current_tenant_id(),
        SoldOut.site_id == site_id,
        or_(SoldOut.until.is_(None), SoldOut.until > moment),
    )
    return {row.thing_id: row.until for row in db.session.execute(query)}


def sold_out_now(site_id: str) -> dict[str, datetime | None]:
    return sold_out(site_id, now())


def outside_serving_hours(
    site: Site, content: Mapping[str, Any], moment: datetime
) -> frozenset[str]:
    """Items that are outside their own serving hours or those of their category."""
    found = set()
    for category in content["categories"]:
        served = hours.is_open(category["available"], site.time_zone, moment)
        for item in category["items"]:
            if not served or not hours.is_open(item["available"], site.time_zone, moment):
                found.add(item["id"])
    return frozenset(found)


def unavailable(
    site: Site,
    content: Mapping[str, Any],
    moment: datetime,
    left: Mapping[str, int] | None = None,
) -> frozenset[str]:
    """`left` is what `stock.left_counts` returned, if the caller has it."""
    counts = stock.left_counts(site.id) if left is None else left
    used_up = {item_id for item_id, count in counts.items() if count == 0}
    return (
        frozenset(sold_out(site.id, moment))
        | used_up
        | outside_serving_hours(site, content, moment)
    )


def menu_at(
    site: Site, content: Mapping[str, Any], moment: datetime, order_type: str
) -> PricedMenu:
    """The published menu as it is sold to such an order at a moment."""
    left = stock.left_counts(site.id)
    return PricedMenu(
        content,
        unavailable(site, content, moment, left),
        left,
        order_type,
        happy_hours.active(content, site, moment),
    )


def unavailable_now(site: Site, content: Mapping[str, Any]) -> frozenset[str]:
    return unavailable(site, content, now())
