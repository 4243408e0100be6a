"""Take a tenant out of the database: every row it owns, and what points to it."""

from sqlalchemy import delete

from core.db import Base, current_tenant_id, db
from core.lanes import Lane
from core.leases import Lease
from core.lookups import Lookup
from core.mail import Mail
from tenants.models import Membership, SignIn, Tenant

POINTERS = (Lookup, Lane, Lease, Membership, Mail, SignIn)


def owned_tables() -> list[str]:
    """Tables whose rows belong to a tenant: those whose primary key it leads."""
    return [
        table.name
        for table in Base.metadata.sorted_tables
        if next(iter(table.primary_key.columns)).name == "tenant_id"
    ]


def erase_tenant() -> None:
    """Inside the tenant's transaction. People stay: they may belong to others."""
    tenant_id = current_tenant_id()
    for name in reversed(owned_tables()):
        table = Base.metadata.tables[name]
        db.session.execute(delete(table).where(table.c.tenant_id == tenant_id))
    for pointer in POINTERS:
        db.session.execute(delete(pointer).where(pointer.tenant_id == tenant_id))
    db.session.execute(delete(Tenant).where(Tenant.id == tenant_id))
