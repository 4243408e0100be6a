-- Accepts a message that is due now and begins its first attempt, if it may leave at once: the line
-- can send, and no other message to this recipient is pending. Otherwise the message is queued.
-- The line is locked until the commit, so that two messages to one recipient never both begin: the
-- second one sees the first.
-- Returns what app.accept_message returns, whether the attempt has begun, and the line.
CREATE OR REPLACE FUNCTION app.accept_and_begin(
    p_tenant bigint, p_id uuid, p_change uuid, p_begin_change uuid, p_now timestamptz,
    p_until timestamptz, p_oldest uuid, p_down text[], p_line integer, p_kind text, p_phone text,
    p_text text, p_content jsonb, p_priority integer, p_valid timestamptz, p_reference text,
    p_country text, p_category text, p_quoted numeric, p_test boolean, p_lane text,
    p_month date, p_quota integer, p_cap numeric, p_trial_since timestamptz, p_trial_most integer,
    p_key text, p_key_since timestamptz, p_fingerprint text, p_answer_status integer,
    p_answer_headers jsonb, p_answer_body text,
    OUT used integer, OUT spent numeric, OUT begun boolean, OUT line_kind text, OUT network text,
    OUT phone_number_id text, OUT token text, OUT per_second numeric)
LANGUAGE plpgsql AS $$
DECLARE
    v_accepted record;
BEGIN
    PERFORM app.set_tenant(p_tenant);
    SELECT l.kind, l.network, l.phone_number_id, l.token, l.per_second
      INTO line_kind, network, phone_number_id, token, per_second
      FROM tenants AS t, lines AS l
     WHERE t.id = p_tenant AND t.state = 'active' AND l.tenant_id = p_tenant AND l.id = p_line
       AND l.enabled AND l.removed_at IS NULL AND l.kind <> 'linked'
       AND l.state <> ALL (p_down) AND (l.paused_until IS NULL OR l.paused_until <= p_now)
       FOR NO KEY UPDATE OF l;
    begun := FOUND;
    IF begun THEN
        PERFORM 1 FROM messages AS m
          WHERE m.tenant_id = p_tenant AND m.line_id = p_line AND m.phone = p_phone
            AND m.id >= p_oldest AND m.due_at IS NOT NULL LIMIT 1;
        begun := NOT FOUND;
    END IF;
    v_accepted := app.accept_message(
        p_tenant, p_id, p_change, p_now, p_line, p_kind, p_phone, p_text, p_content,
        CASE WHEN begun THEN 'sending' ELSE 'queued' END, p_priority,
        CASE WHEN begun THEN p_until ELSE p_now END, p_valid, p_reference, p_country, p_category,
        p_quoted, p_test, p_lane, p_month, p_quota, p_cap, p_trial_since, p_trial_most,
        p_key, p_key_since, p_fingerprint, p_answer_status, p_answer_headers, p_answer_body);
    used := v_accepted.used;
    spent := v_accepted.spent;
    IF begun THEN
        INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
        VALUES (p_tenant, p_id, p_begin_change, p_now, 'sending', '');
    END IF;
END
$$;
