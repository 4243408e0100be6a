"""A diner calls the waiter or asks for the bill; somebody answers."""

from datetime import timedelta

from sqlalchemy import select, update

from core import news
from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Invalid
from restaurant import papers, tables
from restaurant.models import Site, Table, TableCall
from tenants import audit

KINDS = ("waiter", "bill")
AGAIN = timedelta(minutes=2)


def call(site: Site, table: Table, token: str, kind: str) -> TableCall:
    """Only from the table itself. Asked twice in two minutes it is the same call."""
    if kind not in KINDS:
        raise Invalid("invalid_call", "A guest can call the waiter or ask for the bill.")
    if not tables.proves(table, token):
        raise Invalid("not_seated", "Scan the code on your table to call somebody.")
    query = select(TableCall).where(
        TableCall.tenant_id == current_tenant_id(),
        TableCall.site_id == site.id,
        TableCall.table_id == table.id,
        TableCall.kind == kind,
        TableCall.answered_at.is_(None),
        TableCall.at > now() - AGAIN,
    )
    known = db.session.scalars(query).first()
    if known is not None:
        return known
    made = TableCall(
        tenant_id=current_tenant_id(),
        site_id=site.id,
        table_id=table.id,
        table_number=table.number,
        kind=kind,
    )
    db.session.add(made)
    db.session.flush()
    news.tell("calls.changed", id=made.id, site=site.id)
    if kind == "bill":
        papers.bills_asked_for(site, table, made)
    return made


def find(site_id: str, call_id: str) -> TableCall | None:
    query = select(TableCall).where(
        TableCall.tenant_id == current_tenant_id(),
        TableCall.site_id == site_id,
        TableCall.id == call_id,
    )
    return db.session.scalars(query).first()


def follow_order(site_id: str, was: str | None, table_id: str, number: str) -> None:
    """An order moved to another table, and its calls with it, unless other guests stayed."""
    if was is None or papers.on_bill(site_id, was):
        return
    moved = db.session.execute(
        update(TableCall)
        .where(
            TableCall.tenant_id == current_tenant_id(),
            TableCall.site_id == site_id,
            TableCall.table_id == was,
            TableCall.answered_at.is_(None),
        )
        .values(table_id=table_id, table_number=number)
        .returning(TableCall.id)
    )
    for row in moved:
        news.tell("calls.changed", id=row.id, site=site_id)


def waiting(site_id: str) -> list[TableCall]:
    query = select(TableCall).where(
        TableCall.tenant_id == current_tenant_id(),
        TableCall.site_id == site_id,
        TableCall.answered_at.is_(None),
    )
    return list(db.session.scalars(query.order_by(TableCall.at)))


def answered(site_id: str, call_id: str) -> bool:
    """A member of staff is on the way. False if a colleague has answered already."""
    won = db.session.execute(
        update(TableCall)
        .where(
            TableCall.tenant_id == current_tenant_id(),
            TableCall.site_id == site_id,
            TableCall.id == call_id,
            TableCall.answered_at.is_(None),
        )
        .values(answered_at=now(), answered_by=audit.current_actor().name)
        .returning(TableCall.id)
    ).first()
    if won is not None:
        news.tell("calls.changed", id=call_id, site=site_id)
    return won is not None
