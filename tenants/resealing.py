"""After a new encryption key was put first: seal every stored secret again with it."""

from collections.abc import Iterator

from sqlalchemy import Column, Table, Text, select, type_coerce, update

from core.db import Base, db, global_scope, tenant_scope
from core.keyring import Sealed, the_keyring
from tenants.accounts import every_tenant
from tenants.erasing import owned_tables

BATCH = 500


def sealed_columns() -> list[Column[str]]:
    return [
        column
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, Sealed)
    ]


def reseal_everything() -> int:
    """How many secrets were sealed anew. Safe to stop and run again."""
    done, owned = 0, set(owned_tables())
    for column in sealed_columns():
        if column.table.name in owned:
            for tenant_id in every_tenant(because="secrets are sealed with the newest key"):
                with tenant_scope(tenant_id):
                    done += _reseal_rows(column, tenant_id)
        else:
            with global_scope():
                done += _reseal_rows(column, None)
    return done


def _reseal_rows(column: Column[str], tenant_id: int | None) -> int:
    kind = column.type
    assert isinstance(kind, Sealed)  # noqa: S101 - narrowed by sealed_columns
    table, done = column.table, 0
    assert isinstance(table, Table)  # noqa: S101
    for key, envelope in _rows(table, column, tenant_id):
        fresh = the_keyring().reseal(envelope, kind.context_of(tenant_id))
        if fresh == envelope:
            continue
        same = [c == value for c, value in zip(table.primary_key.columns, key, strict=True)]
        db.session.execute(
            update(table)
            .where(*same, type_coerce(column, Text) == envelope)
            .values({column.name: type_coerce(fresh, Text)})
        )
        done += 1
    return done


def _rows(
    table: Table, column: Column[str], tenant_id: int | None
) -> Iterator[tuple[tuple[object, ...], str]]:
    keys = list(table.primary_key.columns)
    query = select(*keys, type_coerce(column, Text)).where(column.is_not(None))
    if tenant_id is not None:
        query = query.where(table.c.tenant_id == tenant_id)
    result = db.session.execute(query.execution_options(yield_per=BATCH))
    for row in result.all():
        yield tuple(row[:-1]), row[-1]
