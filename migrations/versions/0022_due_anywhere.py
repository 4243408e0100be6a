"""Functions that list the tenants with due work in one query, with or without a lane.

They are used to find work whose lane was lost. They run with the rights of the caller and set each
tenant in turn, so row-level security applies inside them too. They leave no tenant set.
"""

from alembic import op

from migrations.tenancy import APP_ROLE

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

DUE = {
    "hooks": ("received_hooks", "due_at"),
    "automations": ("automation_runs", "due_at"),
    "campaigns": ("campaigns", "due_at"),
}
PAYMENTS = (
    ("payment_links", "due_at"),
    ("payment_signals", "due_at"),
    ("refunds", "due_at"),
    ("payment_sessions", "close_at"),
)
FUNCTION = """
CREATE FUNCTION app.due_{kind}(p_now timestamptz) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        IF {asked} THEN
            RETURN NEXT mine;
        END IF;
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$
"""


def _there(table: str, column: str, more: str = "") -> str:
    return f"EXISTS (SELECT FROM {table} WHERE tenant_id = mine AND {column} <= p_now{more})"


ASKED = {kind: _there(*place) for kind, place in DUE.items()} | {
    "payments": "\n        OR ".join(
        # Parked money is looked at whatever its age: how long it may wait is not said here.
        [*(_there(*place) for place in PAYMENTS), _there("payments", "at", " AND state = 'parked'")]
    )
}


def upgrade() -> None:
    for kind, asked in ASKED.items():
        op.execute(FUNCTION.format(kind=kind, asked=asked))
        op.execute(f"REVOKE ALL ON FUNCTION app.due_{kind}(timestamptz) FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION app.due_{kind}(timestamptz) TO {APP_ROLE}")


def downgrade() -> None:
    for kind in ASKED:
        op.execute(f"DROP FUNCTION app.due_{kind}(timestamptz)")
