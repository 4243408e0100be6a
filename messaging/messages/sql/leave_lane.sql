-- Gives a lane back and returns NULL, or returns when to look at it again.
CREATE OR REPLACE FUNCTION app.leave_lane(
    p_tenant bigint, p_lane text, p_lease uuid, p_now timestamptz, p_soon timestamptz,
    p_again timestamptz, p_oldest uuid, p_newest uuid, p_down text[])
RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    v_lines integer[];
    v_due timestamptz;
BEGIN
    PERFORM app.set_tenant(p_tenant);
    PERFORM 1 FROM lanes WHERE kind = p_lane AND tenant_id = p_tenant AND lease = p_lease
        FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN p_again;  -- somebody is marking it, or it is no longer ours
    END IF;
    PERFORM 1 FROM messages AS m
      WHERE m.tenant_id = p_tenant AND m.due_at IS NOT NULL
        AND m.id >= p_oldest LIMIT 1;
    IF FOUND THEN
        -- A suspended account's messages wait until it is resumed.
        v_lines := ARRAY(
            SELECT l.id FROM tenants AS t, lines AS l
             WHERE t.id = p_tenant AND t.state = 'active' AND l.tenant_id = p_tenant
               AND l.enabled AND l.removed_at IS NULL AND l.state <> ALL (p_down)
               AND l.kind <> 'linked'
               AND (l.paused_until IS NULL OR l.paused_until <= p_now));
        SELECT least(
            (SELECT m.due_at FROM messages AS m
              WHERE m.tenant_id = p_tenant AND m.priority = 0 AND m.due_at IS NOT NULL
                AND m.id >= p_oldest
                AND m.line_id = ANY (v_lines) ORDER BY m.due_at LIMIT 1),
            (SELECT m.due_at FROM messages AS m
              WHERE m.tenant_id = p_tenant AND m.priority = 1 AND m.due_at IS NOT NULL
                AND m.id >= p_oldest
                AND m.line_id = ANY (v_lines) ORDER BY m.due_at LIMIT 1)) INTO v_due;
        IF v_due <= p_soon THEN
            RETURN v_due;
        END IF;
        IF v_due IS NOT NULL THEN
            INSERT INTO lanes (kind, tenant_id, due_at)
            VALUES (p_lane || '.later', p_tenant, v_due)
                ON CONFLICT (kind, tenant_id) DO UPDATE
               SET due_at = least(lanes.due_at, EXCLUDED.due_at);
        END IF;
    END IF;
    DELETE FROM lanes WHERE kind = p_lane AND tenant_id = p_tenant AND lease = p_lease;
    RETURN NULL;
END
$$;
