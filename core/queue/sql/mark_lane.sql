-- Marks a tenant's lane as due.
-- Several transactions may mark a lane at the same time. A marked lane cannot be deleted before
-- the marking transaction commits: app.leave_lane either sees the new work or finds the row
-- locked.
CREATE OR REPLACE FUNCTION app.mark_lane(p_kind text, p_tenant bigint, p_due timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        PERFORM 1 FROM lanes WHERE kind = p_kind AND tenant_id = p_tenant FOR KEY SHARE;
        EXIT WHEN FOUND;
        INSERT INTO lanes (kind, tenant_id, due_at) VALUES (p_kind, p_tenant, p_due)
            ON CONFLICT DO NOTHING;
        EXIT WHEN FOUND;
    END LOOP;
END
$$;
