"""Diners call the waiter or ask for the bill; the staff answer."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, select, update

from core import live_updates
from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import Invalid
from restaurant.models import Site, Table, WaiterCall
from restaurant.orders.printing import print_jobs
from restaurant.sites import tables
from tenants import audit

KINDS = ("waiter", "bill")
REPEAT_WINDOW = timedelta(minutes=2)


def create_call(site: Site, table: Table, token: str, kind: str) -> WaiterCall:
    """Requires the table's token. A repeated call within two minutes returns the first one."""
    if kind not in KINDS:
        raise Invalid("invalid_call", "A guest can call the waiter or ask for the bill.")
    if not tables.token_matches(table, token):
        raise Invalid("not_seated", "Scan the code on your table to call a waiter.")
    return call_to_table(site, table, kind)[0]


def call_to_table(site: Site, table: Table, kind: str) -> tuple[WaiterCall, bool]:
    """For a guest who is known to sit there. Returns the call and whether it is new."""
    query = select(WaiterCall).where(
        WaiterCall.tenant_id == current_tenant_id(),
        WaiterCall.site_id == site.id,
        WaiterCall.table_id == table.id,
        WaiterCall.kind == kind,
        WaiterCall.answered_at.is_(None),
        WaiterCall.at > now() - REPEAT_WINDOW,
    )
    known = db.session.scalars(query).first()
    if known is not None:
        return known, False
    made = WaiterCall(
        tenant_id=current_tenant_id(),
        site_id=site.id,
        table_id=table.id,
        table_number=table.number,
        kind=kind,
    )
    db.session.add(made)
    db.session.flush()
    live_updates.publish_update("calls.changed", id=made.id, site=site.id)
    if kind == "bill":
        print_jobs.print_requested_bill(site, table, made)
    return made, True


def find(site_id: str, call_id: str) -> WaiterCall | None:
    query = select(WaiterCall).where(
        WaiterCall.tenant_id == current_tenant_id(),
        WaiterCall.site_id == site_id,
        WaiterCall.id == call_id,
    )
    return db.session.scalars(query).first()


def move_with_order(site_id: str, was: str | None, table_id: str, number: str) -> None:
    """Move the calls of an order to its new table, unless other guests stay at the old one."""
    if was is None or print_jobs.orders_on_bill(site_id, was):
        return
    moved = db.session.execute(
        update(WaiterCall)
        .where(
            WaiterCall.tenant_id == current_tenant_id(),
            WaiterCall.site_id == site_id,
            WaiterCall.table_id == was,
            WaiterCall.answered_at.is_(None),
        )
        .values(table_id=table_id, table_number=number)
        .returning(WaiterCall.id)
    )
    for row in moved:
        live_updates.publish_update("calls.changed", id=row.id, site=site_id)


OPEN_CALLS = (
    select(
        WaiterCall.id, WaiterCall.table_id, WaiterCall.table_number, WaiterCall.kind, WaiterCall.at
    )
    .where(
        WaiterCall.tenant_id == THIS_TENANT,
        WaiterCall.site_id == bindparam("site_id"),
        WaiterCall.answered_at.is_(None),
    )
    .order_by(WaiterCall.at)
)


def open_calls(site_id: str) -> Sequence[Any]:
    """What the board shows of each call, oldest first."""
    return read_rows(OPEN_CALLS, {"site_id": site_id})


def mark_answered(site_id: str, call_id: str) -> bool:
    """Return False if a colleague has already answered."""
    won = db.session.execute(
        update(WaiterCall)
        .where(
            WaiterCall.tenant_id == current_tenant_id(),
            WaiterCall.site_id == site_id,
            WaiterCall.id == call_id,
            WaiterCall.answered_at.is_(None),
        )
        .values(answered_at=now(), answered_by=audit.current_actor().name)
        .returning(WaiterCall.id)
    ).first()
    if won is not None:
        live_updates.publish_update("calls.changed", id=call_id, site=site_id)
    return won is not None
