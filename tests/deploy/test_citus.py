"""deploy/citus/distribute.sql places every table once, and every tenant's table by its tenant."""

import re
from pathlib import Path

from core.db import Base, TenantOwned
from core.lookups import Lookup
from core.mail import Mail
from core.monitoring.service_state import ServiceMeasurement
from core.queue.lanes import Lane
from core.queue.leases import Lease
from core.storage.pending_deletions import PendingDeletion
from messaging.models import Line
from printing.models import Printer
from restaurant.models import Site
from tenants.models import Tenant
from webhooks.models import Event

CITUS = Path(__file__).parents[2] / "deploy" / "citus"
# Importing each one registers its tables.
IMPORTED = (
    *(PendingDeletion, Event, Lane, Lease, Line, Lookup, Mail, Printer),
    *(ServiceMeasurement, Site, Tenant),
)
STATEMENT = re.compile(r"SELECT (\w+)\('(\w+)'(?:, '(\w+)')?(?:, colocate_with => '(\w+)')?\);")


def placed() -> list[tuple[str, str, str, str]]:
    text = re.sub(r"--.*", "", (CITUS / "distribute.sql").read_text())
    assert text.count("SELECT") == len(STATEMENT.findall(text)), "a statement was not understood"
    return STATEMENT.findall(text)


def by(function: str) -> list[str]:
    return [table for found, table, _, _ in placed() if found == function]


def owned() -> set[str]:
    return {m.local_table.name for m in Base.registry.mappers if issubclass(m.class_, TenantOwned)}


def test_every_table_is_placed_exactly_once() -> None:
    tables = [table for _, table, _, _ in placed()]
    assert len(tables) == len(set(tables))
    assert set(tables) == set(Base.metadata.tables)
    assert {model.__tablename__ for model in IMPORTED} <= set(tables)


def test_tenant_owned_tables_are_distributed_by_tenant_and_together() -> None:
    assert set(by("create_distributed_table")) == owned()
    rows = [row for row in placed() if row[0] == "create_distributed_table"]
    assert {column for _, _, column, _ in rows} == {"tenant_id"}
    first = rows[0][1]
    assert all(beside == first for _, _, _, beside in rows[1:])


def test_the_rest_is_a_reference_or_stays_on_the_coordinator() -> None:
    known = {"create_reference_table", "citus_add_local_table_to_metadata"}
    globals_ = {table for function, table, _, _ in placed() if function in known}
    assert globals_ == set(Base.metadata.tables) - owned()


def test_what_is_claimed_with_skip_locked_across_tenants_stays_whole() -> None:
    whole = {"lanes", "leases", "mails", "doomed_blobs", "rounds"}
    assert set(by("citus_add_local_table_to_metadata")) == whole


def test_references_come_after_what_they_reference(
    superuser_connection: "object",
) -> None:
    """The foreign keys of the migrated database, not of the models, which leave some out."""
    with superuser_connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint"
            " WHERE contype = 'f' AND connamespace = 'public'::regnamespace"
        )
        pairs = cursor.fetchall()
    assert ("memberships", "people") in pairs
    order = [table for _, table, _, _ in placed()]
    for referencing, referenced in pairs:
        assert referencing == referenced or order.index(referenced) < order.index(referencing)
        if referencing in owned():
            assert referenced in owned(), f"{referencing} cannot reference {referenced} on Citus"


def test_the_app_role_sends_its_tenant_to_the_shards() -> None:
    text = (CITUS / "roles.sql").read_text()
    assert "ALTER ROLE comanda_app SET citus.propagate_set_commands = 'local';" in text


def test_all_or_nothing() -> None:
    text = (CITUS / "distribute.sql").read_text()
    assert (
        text.index("BEGIN;")
        < text.index("SELECT ")
        < text.rindex("SELECT ")
        < text.index("COMMIT;")
    )
