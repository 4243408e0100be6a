-- Tenants with payment work that is due. Parked payments count whatever their age, and so do paid
-- orders that still wait for their payment.
-- Visits each tenant under row-level security, in one round trip, and leaves no tenant set. For
-- the sweep that finds work whose lane was lost.
CREATE OR REPLACE FUNCTION app.due_payments(p_now timestamptz)
RETURNS SETOF bigint LANGUAGE plpgsql AS $$
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
$$;
