-- Marks a tenant's lane if messages were held back behind those to these recipients, which are
-- settled now. Returns whether it did: then a worker must be woken.
CREATE OR REPLACE FUNCTION app.mark_held_back(
    p_tenant bigint, p_lane text, p_now timestamptz, p_oldest uuid, p_lines integer[],
    p_phones text[])
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.set_tenant(p_tenant);
    PERFORM 1 FROM unnest(p_lines, p_phones) AS mine (line_id, phone)
      WHERE EXISTS (
            SELECT 1 FROM messages AS m
             WHERE m.tenant_id = p_tenant AND m.line_id = mine.line_id AND m.phone = mine.phone
               AND m.id >= p_oldest AND m.due_at <= p_now);
    IF FOUND THEN
        PERFORM app.mark_lane(p_lane, p_tenant, p_now);
        RETURN true;
    END IF;
    RETURN false;
END
$$;
