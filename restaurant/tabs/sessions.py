"""A tab is one seating: opened by the first scan or order at a table, ended when it is settled or
closed by the staff."""

import secrets
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, NotFound
from core.ids import from_uuid, new_id, to_uuid
from restaurant.models import Order, Site, Tab, Table
from restaurant.sites import sites
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import events as tab_events

# A tab without an order ends after this time: the guests only looked at the menu.
EMPTY_TAB_LIFETIME = timedelta(hours=3)
MOST_CLOSED = 500  # in one transaction


def get(tab_id: str) -> Tab:
    found = db.session.get(Tab, (current_tenant_id(), tab_id))
    if found is None:
        raise NotFound()
    return found


def lock(tab_id: str) -> Tab:
    """The current row, locked. Lock it before the rows of its orders and links."""
    query = select(Tab).where(Tab.tenant_id == current_tenant_id(), Tab.id == tab_id)
    fresh = query.with_for_update().execution_options(populate_existing=True)
    found = db.session.scalars(fresh).first()
    if found is None:
        raise NotFound()
    return found


def find_open(table_id: str, *, test: bool) -> Tab | None:
    query = select(Tab).where(
        Tab.tenant_id == current_tenant_id(),
        Tab.table_id == table_id,
        Tab.test == test,
        Tab.ended_at.is_(None),
    )
    return db.session.scalars(query.execution_options(populate_existing=True)).first()


def open_tabs(site_id: str) -> list[Tab]:
    query = select(Tab).where(
        Tab.tenant_id == current_tenant_id(), Tab.site_id == site_id, Tab.ended_at.is_(None)
    )
    return list(db.session.scalars(query.order_by(Tab.id)))


def listed(
    site_id: str | None, state: str | None, after: str | None, limit: int, *, test: bool | None
) -> Sequence[Tab]:
    """Newest first."""
    query = select(Tab).where(Tab.tenant_id == current_tenant_id())
    if site_id:
        query = query.where(Tab.site_id == site_id)
    if state:
        query = query.where(Tab.state == state)
    if test is not None:
        query = query.where(Tab.test == test)
    if after:
        query = query.where(Tab.id < from_uuid("tab", to_uuid("tab", after)))
    return list(db.session.scalars(query.order_by(Tab.id.desc()).limit(limit)))


def open_at(site: Site, table_id: str, table_number: str, *, test: bool) -> Tab:
    """The open tab of a table, locked; a new one if there is none."""
    known = find_open(table_id, test=test)
    if known is not None:
        known = lock(known.id)
        if known.ended_at is None and not _is_abandoned(known):
            return known
        if known.ended_at is None:
            end(site, known, "closed")
            db.session.flush()
    moment = now()
    made = insert(Tab).values(
        tenant_id=current_tenant_id(),
        id=new_id("tab"),
        site_id=site.id,
        table_id=table_id,
        table_number=table_number,
        test=test,
        state="open",
        join_code=new_join_code(),
        version=1,
        opened_at=moment,
        changed_at=moment,
    )
    tab_id = db.session.scalar(made.on_conflict_do_nothing().returning(Tab.id))
    if tab_id is None:  # another guest was faster
        other = find_open(table_id, test=test)
        if other is None:
            raise Conflict("tab_changed", "The table has changed. Try again.")
        return lock(other.id)
    tab = lock(tab_id)
    tab_events.publish("restaurant.tab_opened", site, tab_bill.load_bill(tab))
    tab_events.publish_live_update(tab)
    return tab


def new_join_code() -> str:
    return f"{secrets.randbelow(10_000):04d}"


def end(site: Site, tab: Tab, state: str) -> None:
    """The row is locked. `state` is settled, closed or merged."""
    tab.state, tab.ended_at = state, now()
    tab_events.touch(tab)
    if state != "merged":
        kind = "restaurant.tab_settled" if state == "settled" else "restaurant.tab_updated"
        tab_events.publish(kind, site, tab_bill.load_bill(tab))


def close_abandoned() -> int:
    """End the tabs of guests who scanned a table's code and ordered nothing."""
    orders = select(Order.id).where(Order.tenant_id == current_tenant_id(), Order.tab_id == Tab.id)
    query = select(Tab.id).where(
        Tab.tenant_id == current_tenant_id(),
        Tab.ended_at.is_(None),
        Tab.changed_at < now() - EMPTY_TAB_LIFETIME,
        ~orders.exists(),
    )
    ended = 0
    for tab_id in list(db.session.scalars(query.limit(MOST_CLOSED))):
        tab = lock(tab_id)
        if tab.ended_at is None and _is_abandoned(tab):
            end(sites.get_including_closed(tab.site_id), tab, "closed")
            ended += 1
    return ended


def move_target(tab: Tab, table: Table) -> Tab | None:
    """The open tab at the table that this tab would be merged with."""
    target = find_open(table.id, test=tab.test)
    return target if target is not None and target.id != tab.id else None


def _is_abandoned(tab: Tab) -> bool:
    if tab.changed_at > now() - EMPTY_TAB_LIFETIME:
        return False
    query = select(Order.id).where(Order.tenant_id == current_tenant_id(), Order.tab_id == tab.id)
    return db.session.scalars(query.limit(1)).first() is None
