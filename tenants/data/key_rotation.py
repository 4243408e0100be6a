"""After a new encryption key was put first: seal every stored secret again with it."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Column, Table, Text, select, type_coerce, update

from core.db import Base, db, global_scope, tenant_scope
from core.logs import logger
from core.security.encryption import EncryptedText, KeyringError, current_keyring
from tenants.accounts import every_tenant
from tenants.data.erasure import tenant_tables

log = logger(__name__)

BATCH = 500


@dataclass
class RotationResult:
    done: int = 0
    unreadable: int = 0
    """Secrets that no key on the ring opens. They stay as they are."""


def encrypted_columns() -> list[Column[str]]:
    return [
        column
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, EncryptedText)
    ]


def reencrypt_everything() -> RotationResult:
    """Safe to stop and to run again."""
    outcome, owned = RotationResult(), set(tenant_tables())
    for column in encrypted_columns():
        if column.table.name in owned:
            for tenant_id in every_tenant(because="secrets are sealed with the newest key"):
                with tenant_scope(tenant_id):
                    _reencrypt_rows(column, tenant_id, outcome)
        else:
            with global_scope():
                _reencrypt_rows(column, None, outcome)
    return outcome


def _reencrypt_rows(column: Column[str], tenant_id: int | None, outcome: RotationResult) -> None:
    kind, table = column.type, column.table
    if not isinstance(kind, EncryptedText) or not isinstance(table, Table):
        raise TypeError(f"{column} is not a sealed column of a table")
    for key, envelope in _rows(table, column, tenant_id):
        try:
            fresh = current_keyring().reencrypt(envelope, kind.context_of(tenant_id))
        except KeyringError as error:
            log.warning("secret decryption failed", column=str(column), error=error.code)
            outcome.unreadable += 1
            continue
        if fresh == envelope:
            continue
        same = [c == value for c, value in zip(table.primary_key.columns, key, strict=True)]
        db.session.execute(
            update(table)
            .where(*same, type_coerce(column, Text) == envelope)
            .values({column.name: type_coerce(fresh, Text)})
        )
        outcome.done += 1


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
