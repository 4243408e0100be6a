"""Keys that the service generates, and one function that PUBLIC could run until now."""

from alembic import op

from migrations.tenancy import APP_ROLE, grant

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

LEASE_AND_TAKE = (
    "app.lease_and_take(text, uuid, timestamptz, integer, timestamptz, timestamptz, timestamptz,"
    " uuid, uuid, integer, text, integer[], integer[], text[], text[])"
)


def upgrade() -> None:
    op.execute("""
    CREATE TABLE server_keys (
        name text PRIMARY KEY,
        key text NOT NULL,
        made_at timestamptz NOT NULL
    )
    """)
    grant("server_keys")
    op.execute(f"REVOKE ALL ON FUNCTION {LEASE_AND_TAKE} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {LEASE_AND_TAKE} TO {APP_ROLE}")


def downgrade() -> None:
    op.execute(f"GRANT EXECUTE ON FUNCTION {LEASE_AND_TAKE} TO PUBLIC")
    op.execute("DROP TABLE server_keys")
