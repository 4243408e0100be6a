"""The tenants with an open plan payment, in one query, like `app.due_payments`."""

from alembic import op

from migrations.tenancy import APP_ROLE

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

DUE_PLANS = """
CREATE FUNCTION app.due_plans(p_now timestamptz) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        IF EXISTS (SELECT FROM plan_payments
                    WHERE tenant_id = mine AND state = 'open' AND made_at <= p_now) THEN
            RETURN NEXT mine;
        END IF;
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$
"""


def upgrade() -> None:
    op.execute(DUE_PLANS)
    op.execute("REVOKE ALL ON FUNCTION app.due_plans(timestamptz) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION app.due_plans(timestamptz) TO {APP_ROLE}")


def downgrade() -> None:
    op.execute("DROP FUNCTION app.due_plans(timestamptz)")
