"""How a table comes under its tenant. Every migration that adds a table calls one of these."""

from alembic import op

APP_ROLE = "comanda_app"
# A bare expression, no function of ours and no subquery: it must hold on the shards too.
MINE = "tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::bigint"


def own_by_tenant(table: str) -> None:
    """Row-level security, forced, so that not even the owner of the table reads past it."""
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON {table} USING ({MINE}) WITH CHECK ({MINE})")
    grant(table)


def grant(table: str) -> None:
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {APP_ROLE}")
