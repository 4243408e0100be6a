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

DUE_HOOKS = """
CREATE FUNCTION app.due_hooks(p_now timestamptz) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        IF EXISTS (SELECT FROM received_hooks WHERE tenant_id = mine AND due_at <= p_now) THEN
            RETURN NEXT mine;
        END IF;
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$
"""
DUE_AUTOMATIONS = """
CREATE FUNCTION app.due_automations(p_now timestamptz) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        IF EXISTS (SELECT FROM automation_runs WHERE tenant_id = mine AND due_at <= p_now) THEN
            RETURN NEXT mine;
        END IF;
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$
"""
DUE_CAMPAIGNS = """
CREATE FUNCTION app.due_campaigns(p_now timestamptz) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        IF EXISTS (SELECT FROM campaigns WHERE tenant_id = mine AND due_at <= p_now) THEN
            RETURN NEXT mine;
        END IF;
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$
"""
# Parked payments count as due whatever their age.
DUE_PAYMENTS = """
CREATE FUNCTION app.due_payments(p_now timestamptz) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        IF EXISTS (SELECT FROM payment_links WHERE tenant_id = mine AND due_at <= p_now)
        OR EXISTS (SELECT FROM payment_signals WHERE tenant_id = mine AND due_at <= p_now)
        OR EXISTS (SELECT FROM refunds WHERE tenant_id = mine AND due_at <= p_now)
        OR EXISTS (SELECT FROM payment_sessions WHERE tenant_id = mine AND close_at <= p_now)
        OR EXISTS (SELECT FROM payments WHERE tenant_id = mine AND at <= p_now AND state = 'parked') THEN
            RETURN NEXT mine;
        END IF;
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$
"""  # noqa: E501
FUNCTIONS = {
    "app.due_hooks(timestamptz)": DUE_HOOKS,
    "app.due_automations(timestamptz)": DUE_AUTOMATIONS,
    "app.due_campaigns(timestamptz)": DUE_CAMPAIGNS,
    "app.due_payments(timestamptz)": DUE_PAYMENTS,
}


def upgrade() -> None:
    for signature, function in FUNCTIONS.items():
        op.execute(function)
        op.execute(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {signature} TO {APP_ROLE}")


def downgrade() -> None:
    for signature in FUNCTIONS:
        op.execute(f"DROP FUNCTION {signature}")
