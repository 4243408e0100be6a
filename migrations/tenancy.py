"""Make a table tenant-owned or global. Every migration that adds a table calls one of these."""

from alembic import op

APP_ROLE = "comanda_app"
# A plain expression without subquery or own function: it must work on shards too.
MINE = "tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::bigint"


def own_by_tenant(table: str) -> None:
    """Enable and force row-level security, so that it applies to the table's owner too."""
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON {table} USING ({MINE}) WITH CHECK ({MINE})")
    grant(table)


def grant(table: str) -> None:
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {APP_ROLE}")
