-- Stores a hook as it came, and marks the tenant's lane.
CREATE OR REPLACE FUNCTION app.store_hook(
    p_tenant bigint, p_id uuid, p_kind text, p_target text, p_body bytea, p_facts jsonb,
    p_now timestamptz, p_lane text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.set_tenant(p_tenant);
    INSERT INTO received_hooks
           (tenant_id, id, kind, target, body, facts, state, tries, due_at, received_at)
    VALUES (p_tenant, p_id, p_kind, p_target, p_body, p_facts, 'waiting', 0, p_now, p_now);
    INSERT INTO lanes (kind, tenant_id, due_at) VALUES (p_lane, p_tenant, p_now)
        ON CONFLICT DO NOTHING;
END
$$;
