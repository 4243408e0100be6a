-- Tenants with a journey run that is due.
-- Visits each tenant under row-level security, in one round trip, and leaves no tenant set. For
-- the sweep that finds work whose lane was lost.
CREATE OR REPLACE FUNCTION app.due_journeys(p_now timestamptz)
RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        IF EXISTS (SELECT FROM journey_runs WHERE tenant_id = mine AND due_at <= p_now) THEN
            RETURN NEXT mine;
        END IF;
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$;
