-- Stores a message, its first timeline row, its quota, its idempotency key and its lane, or
-- nothing.
-- A message that is accepted as `sending` is in its first attempt: p_due is when its lease ends, and
-- the lane for later work is marked, so that somebody looks at the message if its process dies.
-- Returns the month's messages and spend after it; NULL for a test message.
-- Raises CM004 for a known idempotency key, CM005 for a blocked contact, and the errors of
-- app.reserve_quota.
CREATE OR REPLACE FUNCTION app.accept_message(
    p_tenant bigint, p_id uuid, p_change uuid, p_now timestamptz, p_line integer, p_kind text,
    p_phone text, p_text text, p_content jsonb, p_state text, p_priority integer,
    p_due timestamptz, p_valid timestamptz, p_reference text, p_country text, p_category text,
    p_quoted numeric, p_test boolean, p_lane text,
    p_month date, p_quota integer, p_cap numeric, p_trial_since timestamptz, p_trial_most integer,
    p_key text, p_key_since timestamptz, p_fingerprint text, p_answer_status integer,
    p_answer_headers jsonb, p_answer_body text,
    OUT used integer, OUT spent numeric)
LANGUAGE plpgsql AS $$
DECLARE
    v_reserved record;
BEGIN
    PERFORM app.set_tenant(p_tenant);
    IF p_key IS NOT NULL THEN
        INSERT INTO idempotency_keys
               (tenant_id, key, fingerprint, created_at, status, headers, body)
        VALUES (p_tenant, p_key, p_fingerprint, p_now, p_answer_status, p_answer_headers,
                p_answer_body)
            ON CONFLICT (tenant_id, key) DO UPDATE
           SET fingerprint = EXCLUDED.fingerprint, created_at = EXCLUDED.created_at,
               status = EXCLUDED.status, headers = EXCLUDED.headers, body = EXCLUDED.body
         WHERE idempotency_keys.created_at < p_key_since;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the key is known' USING ERRCODE = 'CM004';
        END IF;
    END IF;
    PERFORM 1 FROM blocked_phones WHERE tenant_id = p_tenant AND phone = p_phone;
    IF FOUND THEN
        RAISE EXCEPTION 'the contact is blocked' USING ERRCODE = 'CM005';
    END IF;
    INSERT INTO messages (tenant_id, id, line_id, direction, kind, phone, text, content, state,
                          priority, attempt, due_at, valid_until, reference, country, category,
                          quoted_usd, cost_usd, test, created_at, changed_at)
    VALUES (p_tenant, p_id, p_line, 'out', p_kind, p_phone, p_text, p_content, p_state,
            p_priority, (p_state = 'sending')::integer, p_due, p_valid, p_reference, p_country,
            p_category, p_quoted, 0, p_test, p_now, p_now);
    INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
    VALUES (p_tenant, p_id, p_change, p_now,
            CASE p_state WHEN 'sending' THEN 'queued' ELSE p_state END, 'accepted');
    IF NOT p_test THEN
        v_reserved := app.reserve_quota(
            p_tenant, p_now, 1, p_quoted, p_month, p_quota, p_cap, p_trial_since, p_trial_most);
        used := v_reserved.used;
        spent := v_reserved.spent;
    END IF;
    IF p_state = 'queued' THEN
        PERFORM app.mark_lane(p_lane, p_tenant, p_now);
    ELSE
        -- As in app.mark_lane: an early enough mark is shared and cannot go before the commit.
        PERFORM 1 FROM lanes
          WHERE kind = p_lane || '.later' AND tenant_id = p_tenant AND due_at <= p_due
            FOR KEY SHARE;
        IF NOT FOUND THEN
            INSERT INTO lanes (kind, tenant_id, due_at) VALUES (p_lane || '.later', p_tenant, p_due)
                ON CONFLICT (kind, tenant_id) DO UPDATE
               SET due_at = least(lanes.due_at, EXCLUDED.due_at);
        END IF;
    END IF;
END
$$;
