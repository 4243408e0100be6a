"""Close an account: it can be reopened for a month, then all its data is erased."""

from datetime import datetime, timedelta

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db, invalidate_tenant_cache
from core.errors import Conflict, invalid
from tenants import accounts, audit
from tenants.models import Tenant

GRACE_PERIOD = timedelta(days=30)


def close(typed: str) -> datetime:
    """The API refuses requests at once and sends are held. Returns when the account will be erased.
    Raises Invalid if `typed` is not the name of the business.
    """
    tenant = accounts.get(current_tenant_id())
    if " ".join(typed.split()).casefold() != " ".join(tenant.name.split()).casefold():
        raise invalid("name", "wrong_name", "This does not match the name of the business.")
    if tenant.state == "closed":
        raise Conflict("closed_already", "This account is already closed.")
    tenant.state, tenant.closed_at = "closed", now()
    tenant.closed_by = audit.current_actor().name
    tenant.erase_at = now() + GRACE_PERIOD
    tenant.wanted_plan = tenant.wanted_at = None
    audit.record("account.closed", tenant.name, erase_at=tenant.erase_at.isoformat())
    invalidate_tenant_cache()
    return tenant.erase_at


def reopen() -> None:
    """Restore the state before closing: an account that an operator had suspended stays
    suspended.
    """
    tenant = accounts.get(current_tenant_id())
    if tenant.state != "closed":
        raise Conflict("not_closed", "This account is not closed.")
    tenant.state = "suspended" if tenant.suspended_at else "active"
    tenant.closed_at = tenant.erase_at = None
    tenant.closed_by = ""
    audit.record("account.reopened", tenant.name)
    invalidate_tenant_cache()


def list_due(limit: int = 1000) -> list[int]:
    """In a global transaction: closed accounts whose month is over."""
    query = (
        select(Tenant.id)
        .where(Tenant.erase_at <= now(), Tenant.state == "closed")
        .order_by(Tenant.erase_at)
        .limit(limit)
    )
    return list(db.session.scalars(query))


def still_due() -> bool:
    """Checked again in each transaction that erases, because the account may have been reopened."""
    found = db.session.get(Tenant, current_tenant_id())
    return (
        found is not None
        and found.state == "closed"
        and bool(found.erase_at and found.erase_at <= now())
    )
