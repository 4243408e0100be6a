-- Leases lanes and claims the due messages of each, in one round trip.
-- Messages are taken under their own tenant by app.take_messages. A row `lane` comes before the
-- rows of a lane: it is leased even if it gives nothing. Tenants are visited in order, as
-- everywhere where one transaction holds several.
CREATE OR REPLACE FUNCTION app.lease_and_take(
    p_lane text, p_lease uuid, p_lane_until timestamptz, p_lanes integer, p_now timestamptz,
    p_until timestamptz, p_held_since timestamptz, p_oldest uuid, p_newest uuid, p_most integer,
    p_change text, p_lines integer[], p_allowed integer[], p_down text[], p_sends text[])
RETURNS TABLE (tenant_id bigint, what text, id uuid, attempt integer, line_id integer, phone text,
    kind text, body text, content jsonb, reference text, quoted_usd numeric, test boolean,
    line_kind text, network text, phone_number_id text, token text, per_second numeric,
    due_at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_tenant bigint;
BEGIN
    FOR v_tenant IN
        SELECT leased FROM app.lease_lanes(p_lane, p_lease, p_now, p_lane_until, p_lanes) AS leased
         ORDER BY leased
    LOOP
        tenant_id := v_tenant;
        what := 'lane';
        RETURN NEXT;
        RETURN QUERY
        SELECT v_tenant, one.* FROM app.take_messages(
            v_tenant, NULL, NULL, NULL, p_now, p_until, p_held_since, p_oldest, p_newest, p_most,
            p_change, p_lines, p_allowed, p_down, p_sends) AS one;
    END LOOP;
END
$$;
