"""Paid orders that still wait for their payment count as due work, so that the sweep finds them."""

from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

DUE_PAYMENTS = """
CREATE OR REPLACE FUNCTION app.due_payments(p_now timestamptz) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        IF EXISTS (SELECT FROM payment_links WHERE tenant_id = mine AND due_at <= p_now)
        OR EXISTS (SELECT FROM payment_signals WHERE tenant_id = mine AND due_at <= p_now)
        OR EXISTS (SELECT FROM refunds WHERE tenant_id = mine AND due_at <= p_now)
        OR EXISTS (SELECT FROM payment_sessions WHERE tenant_id = mine AND close_at <= p_now)
        OR EXISTS (SELECT FROM payments WHERE tenant_id = mine AND at <= p_now AND state = 'parked')
        OR EXISTS (SELECT FROM orders WHERE tenant_id = mine AND state = 'awaiting_payment' AND paid_at <= p_now) THEN
            RETURN NEXT mine;
        END IF;
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$
"""  # noqa: E501
# As 0022 made it.
DUE_PAYMENTS_BEFORE = """
CREATE OR REPLACE FUNCTION app.due_payments(p_now timestamptz) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
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


def upgrade() -> None:
    op.execute(DUE_PAYMENTS)


def downgrade() -> None:
    op.execute(DUE_PAYMENTS_BEFORE)
