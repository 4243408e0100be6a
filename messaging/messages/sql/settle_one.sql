-- Writes that the network has accepted one message: the same rows as app.settle_sent, in the same
-- order, by plain statements. For a single message they take two thirds of the time of statements
-- for sets. tests/messaging/messages/test_settle.py compares what the two functions write.
-- `moved` is the id of the conversation that moved up the list. `held_back`: messages to the same
-- recipient were waiting for this one; their lane is marked, and a worker must be woken.
CREATE OR REPLACE FUNCTION app.settle_one(
    p_tenant bigint, p_now timestamptz, p_day date, p_cause text, p_id uuid, p_attempt integer,
    p_network text, p_change uuid, p_event uuid, p_body jsonb, p_entry uuid, p_kind text,
    p_value text, p_lane text, p_oldest uuid,
    OUT settled boolean, OUT moved text, OUT held_back boolean)
LANGUAGE plpgsql AS $$
DECLARE
    v_line integer;
    v_phone text;
    v_country text;
    v_category text;
    v_cost numeric;
    v_test boolean;
BEGIN
    PERFORM app.set_tenant(p_tenant);
    held_back := false;
    -- A receipt may have been faster than our own answer; its network id is kept all the same.
    INSERT INTO network_ids (tenant_id, network_id, message_id)
    VALUES (p_tenant, p_network, p_id) ON CONFLICT DO NOTHING;
    UPDATE messages AS m SET state = 'sent', due_at = NULL, network_id = p_network,
           cost_usd = CASE WHEN m.test THEN 0 ELSE m.quoted_usd END, changed_at = p_now
     WHERE m.tenant_id = p_tenant AND m.id = p_id AND m.attempt = p_attempt
       AND m.state IN ('sending', 'unknown')
    RETURNING m.line_id, m.phone, m.country, m.category, m.cost_usd, m.test
         INTO v_line, v_phone, v_country, v_category, v_cost, v_test;
    settled := FOUND;
    IF NOT settled THEN
        RETURN;
    END IF;
    INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
    VALUES (p_tenant, p_id, p_change, p_now, 'sent', p_cause);
    INSERT INTO events (tenant_id, id, type, body, occurred_at)
    VALUES (p_tenant, p_event, 'messages.sent', p_body, p_now);
    IF NOT v_test THEN
        INSERT INTO ledger_entries (tenant_id, id, at, message_id, kind, line_id, country,
                                    category, amount_usd)
        VALUES (p_tenant, p_entry, p_now, p_id, 'quote', v_line, v_country, v_category, v_cost);
    END IF;
    INSERT INTO usage_days (tenant_id, day, line_id, country, category, sent, delivered, read,
                            failed, received, cost_usd)
    VALUES (p_tenant, p_day, v_line, v_country, v_category, 1, 0, 0, 0, 0, v_cost)
        ON CONFLICT (tenant_id, day, line_id, country, category) DO UPDATE
       SET sent = usage_days.sent + 1, cost_usd = usage_days.cost_usd + EXCLUDED.cost_usd;
    SELECT talk.id INTO moved
      FROM identities AS who
      JOIN conversations AS talk ON talk.tenant_id = p_tenant
       AND talk.contact_id = who.contact_id AND talk.line_id = v_line
       AND talk.last_message_id < p_id
     WHERE who.tenant_id = p_tenant AND who.kind = p_kind AND who.value = p_value
       FOR UPDATE OF talk SKIP LOCKED;
    IF FOUND THEN
        UPDATE conversations AS talk
           SET last_message_id = p_id, last_at = greatest(talk.last_at, p_now)
         WHERE talk.tenant_id = p_tenant AND talk.id = moved::uuid;
    END IF;
    PERFORM 1 FROM messages AS m
      WHERE m.tenant_id = p_tenant AND m.line_id = v_line AND m.phone = v_phone
        AND m.id >= p_oldest AND m.due_at <= p_now LIMIT 1;
    IF FOUND THEN
        held_back := true;
        PERFORM app.mark_lane(p_lane, p_tenant, p_now);
    END IF;
END
$$;
