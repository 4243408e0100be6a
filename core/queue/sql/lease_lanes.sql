-- Leases up to p_most lanes that are due and not leased. Returns their tenants.
-- Concurrent callers never get the same lane.
CREATE OR REPLACE FUNCTION app.lease_lanes(
    p_kind text, p_lease uuid, p_now timestamptz, p_until timestamptz, p_most integer)
RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY UPDATE lanes SET lease = p_lease, leased_until = p_until
     WHERE lanes.kind = p_kind AND lanes.tenant_id = ANY (ARRAY(
           SELECT waiting.tenant_id FROM lanes AS waiting
            WHERE waiting.kind = p_kind AND waiting.due_at <= p_now
              AND (waiting.leased_until IS NULL OR waiting.leased_until < p_now)
            ORDER BY waiting.due_at LIMIT p_most
              FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING lanes.tenant_id;
END
$$;
