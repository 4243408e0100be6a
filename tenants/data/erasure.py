"""Erase a tenant from the database: every row it owns, and the rows that refer to it.

A column whose name ends with blob_key names a file of the tenant; all other files are in the
tenant's folders. A job deletes both afterwards.
"""

from sqlalchemy import delete, select, tuple_

from core.db import Base, current_tenant_id, db
from core.lookups import Lookup
from core.mail import Mail
from core.queue.lanes import Lane
from core.queue.leases import ENDED_SUFFIX, Lease
from core.storage.pending_deletions import delete_later, tenant_folders
from tenants.models import Membership, SignIn, Tenant

GLOBAL_REFERENCES = (Lookup, Lane, Membership, Mail, SignIn)


def tenant_tables() -> list[str]:
    """Tables whose rows belong to a tenant: their primary key starts with `tenant_id`."""
    return [
        table.name
        for table in Base.metadata.sorted_tables
        if next(iter(table.primary_key.columns)).name == "tenant_id"
    ]


def erase_batch(name: str, most: int) -> int:
    """Delete some rows of one table, in the tenant's transaction. Returns how many; call again
    while it returns `most`.
    """
    table = Base.metadata.tables[name]
    keys = list(table.primary_key.columns)
    own_rows = table.c.tenant_id == current_tenant_id()
    some = select(*keys).where(own_rows).limit(most).subquery()
    blobs = [column for column in table.columns if column.name.endswith("blob_key")]
    deleted = db.session.execute(
        delete(table)
        .where(own_rows, tuple_(*keys).in_(select(*some.columns)))
        .returning(table.c.tenant_id, *blobs)
    ).all()
    delete_later(key for row in deleted for key in row[1:])
    return len(deleted)


def erase_tenant() -> None:
    """In the tenant's transaction. People are kept, because they may belong to other tenants."""
    tenant_id = current_tenant_id()
    delete_later(tenant_folders(tenant_id))
    for name in reversed(tenant_tables()):
        table = Base.metadata.tables[name]
        for column in table.columns:
            if column.name.endswith("blob_key"):
                query = select(column).where(table.c.tenant_id == tenant_id, column.is_not(None))
                delete_later(db.session.scalars(query))
        db.session.execute(delete(table).where(table.c.tenant_id == tenant_id))
    for pointer in GLOBAL_REFERENCES:
        db.session.execute(delete(pointer).where(pointer.tenant_id == tenant_id))
    leases = delete(Lease).where(Lease.tenant_id == tenant_id)
    db.session.execute(leases.where(Lease.kind.not_like(f"%{ENDED_SUFFIX}")))
    db.session.execute(delete(Tenant).where(Tenant.id == tenant_id))
