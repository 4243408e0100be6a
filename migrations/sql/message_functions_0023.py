"""The SQL functions of messages as migration 0023 creates them: one statement writes a whole batch.

To change them, add a new migration.
"""

# Only the lower bound of the months is used: with both bounds, an index on ids looks as cheap as
# the index of waiting messages until the table has been analyzed. `p_newest` is for workers of the
# previous version.
TAKE_MESSAGES = """
CREATE OR REPLACE FUNCTION app.take_messages(
    p_tenant bigint, p_lane text, p_lease uuid, p_lane_until timestamptz, p_now timestamptz,
    p_until timestamptz, p_held_since timestamptz, p_oldest uuid, p_newest uuid, p_most integer,
    p_change text, p_lines integer[], p_allowed integer[], p_down text[], p_sends text[])
RETURNS TABLE (what text, id uuid, attempt integer, line_id integer, phone text, kind text,
    body text, content jsonb, reference text, quoted_usd numeric, test boolean,
    line_kind text, network text, phone_number_id text, token text, per_second numeric)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_lines integer[];
    v_allowed integer[];
    v_linked boolean;
    v_stand_in boolean;
    v_due record;
    v_place integer;
    v_seen integer := 0;
    v_ids uuid[] := '{}';
    v_first uuid;
    v_last uuid;
BEGIN
    PERFORM app.set_tenant(p_tenant);
    IF p_lane IS NULL THEN
        PERFORM 1;
    ELSIF p_lane_until IS NULL THEN
        PERFORM 1 FROM lanes
          WHERE lanes.kind = p_lane AND lanes.tenant_id = p_tenant AND lanes.lease = p_lease;
    ELSE
        UPDATE lanes SET leased_until = p_lane_until
         WHERE lanes.kind = p_lane AND lanes.tenant_id = p_tenant AND lanes.lease = p_lease;
    END IF;
    IF NOT FOUND THEN
        what := 'lost'; RETURN NEXT; RETURN;
    END IF;
    SELECT coalesce(array_agg(l.id) FILTER (WHERE may.give > 0), '{}'),
           array_agg(may.give) FILTER (WHERE may.give > 0),
           bool_or(l.kind = 'linked'),
           bool_or(l.fallback_line_id IS NOT NULL AND l.state <> ALL (p_sends))
      INTO v_lines, v_allowed, v_linked, v_stand_in
      FROM tenants AS t, lines AS l,
           LATERAL (SELECT CASE WHEN l.kind <> 'linked' AND l.state <> ALL (p_down)
                                 AND (l.paused_until IS NULL OR l.paused_until <= p_now)
                                THEN coalesce(p_allowed[array_position(p_lines, l.id)],
                                              greatest(floor(l.per_second), 1)::integer)
                                ELSE 0 END AS give) AS may
     WHERE t.id = p_tenant AND t.state = 'active' AND l.tenant_id = p_tenant AND l.enabled
       AND l.removed_at IS NULL;
    IF v_linked THEN
        what := 'linked'; RETURN NEXT;
    END IF;
    IF v_stand_in THEN
        what := 'stand_in'; RETURN NEXT;
    END IF;
    FOR v_priority IN 0 .. 1 LOOP
        FOR v_due IN
            SELECT m.id, m.line_id
              FROM messages AS m
             WHERE m.tenant_id = p_tenant AND m.priority = v_priority AND m.due_at <= p_now
               AND m.id >= p_oldest
               AND m.state IN ('queued', 'scheduled') AND m.valid_until > p_now
               AND m.line_id = ANY (v_lines)
               AND NOT EXISTS (
                   SELECT 1 FROM messages AS e
                    WHERE e.tenant_id = p_tenant AND e.line_id = m.line_id AND e.phone = m.phone
                      AND e.id >= p_oldest AND e.due_at IS NOT NULL AND e.id <> m.id
                      AND CASE WHEN e.state = 'sending' THEN e.due_at > p_now
                               WHEN e.state NOT IN ('queued', 'scheduled') THEN false
                               WHEN e.due_at <= p_now THEN
                                    (e.priority, e.id) < (m.priority, m.id)
                               ELSE e.state = 'queued' AND e.id < m.id
                                    AND e.changed_at > p_held_since END)
             ORDER BY m.due_at, m.id LIMIT p_most - v_seen
        LOOP
            v_seen := v_seen + 1;
            v_place := array_position(v_lines, v_due.line_id);
            CONTINUE WHEN v_allowed[v_place] < 1;
            v_allowed[v_place] := v_allowed[v_place] - 1;
            v_ids := v_ids || v_due.id;
            v_first := least(v_first, v_due.id);
            v_last := greatest(v_last, v_due.id);
        END LOOP;
        EXIT WHEN v_seen >= p_most;
    END LOOP;
    IF v_ids = '{}' THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH taken AS (
        UPDATE messages AS m SET state = 'sending', due_at = p_until, changed_at = p_now,
               attempt = m.attempt + 1
         WHERE m.tenant_id = p_tenant AND m.id = ANY (v_ids) AND m.id BETWEEN v_first AND v_last
           AND coalesce(m.due_at <= p_now, false) AND m.state IN ('queued', 'scheduled')
        RETURNING m.id, m.attempt, m.line_id, m.phone, m.kind, m.text, m.content, m.reference,
                  m.quoted_usd, m.test
    ), noted AS (
        INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
        SELECT p_tenant, taken.id,
               (p_change || '-7' || substr(gen_random_uuid()::text, 16))::uuid,
               p_now, 'sending', ''
          FROM taken
    )
    SELECT 'message', taken.*, l.kind, l.network, l.phone_number_id, l.token, l.per_second
      FROM taken JOIN lines AS l ON l.tenant_id = p_tenant AND l.id = taken.line_id;
END
$$
"""

LEAVE_LANE = """
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
$$
"""

SETTLE_SENT = """
CREATE OR REPLACE FUNCTION app.settle_sent(
    p_tenant bigint, p_now timestamptz, p_day date, p_cause text, p_ids uuid[],
    p_attempts integer[], p_networks text[], p_changes uuid[], p_events uuid[],
    p_bodies jsonb[], p_entries uuid[], p_kinds text[], p_values text[],
    OUT settled text[], OUT moved text[])
LANGUAGE plpgsql AS $$
DECLARE
    v_sorted uuid[];
    v_done integer[];
    v_departed integer[];
    v_paid integer[];
    v_lines integer[];
    v_countries text[];
    v_categories text[];
    v_costs numeric[];
    v_count integer;
BEGIN
    PERFORM app.set_tenant(p_tenant);
    settled := '{}';
    moved := '{}';
    -- A receipt may have been faster than our own answer; its network id is kept all the same.
    WITH named AS (
        INSERT INTO network_ids (tenant_id, network_id, message_id)
        SELECT p_tenant, mine.network_id, mine.id
          FROM unnest(p_networks, p_ids) AS mine (network_id, id)
            ON CONFLICT DO NOTHING RETURNING message_id
    )
    SELECT count(*) INTO v_count FROM named;
    v_sorted := ARRAY(SELECT one FROM unnest(p_ids) AS one ORDER BY one);
    WITH done AS (
        UPDATE messages AS m SET state = 'sent', due_at = NULL,
               network_id = p_networks[array_position(p_ids, m.id)],
               cost_usd = CASE WHEN m.test THEN 0 ELSE m.quoted_usd END, changed_at = p_now
         WHERE m.tenant_id = p_tenant AND m.id = ANY (p_ids)
           AND m.id BETWEEN v_sorted[1] AND v_sorted[cardinality(v_sorted)]
           AND m.attempt = p_attempts[array_position(p_ids, m.id)]
           AND m.state IN ('sending', 'unknown')
        RETURNING array_position(p_ids, m.id) AS i, m.line_id, m.country, m.category, m.cost_usd,
                  m.test
    )
    SELECT coalesce(array_agg(i), '{}'), array_agg(line_id),
           coalesce(array_agg(p_ids[i]::text), '{}'),
           coalesce(array_agg(i) FILTER (WHERE NOT test), '{}'),
           array_agg(line_id) FILTER (WHERE NOT test), array_agg(country) FILTER (WHERE NOT test),
           array_agg(category) FILTER (WHERE NOT test), array_agg(cost_usd) FILTER (WHERE NOT test)
      INTO v_done, v_departed, settled, v_paid, v_lines, v_countries, v_categories, v_costs
      FROM done;
    IF v_done = '{}' THEN
        RETURN;
    END IF;
    WITH noted AS (
        INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
        SELECT p_tenant, p_ids[i], p_changes[i], p_now, 'sent', p_cause
          FROM unnest(v_done) AS i RETURNING id
    ), told AS (
        INSERT INTO events (tenant_id, id, type, body, occurred_at)
        SELECT p_tenant, p_events[i], 'messages.sent', p_bodies[i], p_now
          FROM unnest(v_done) AS i RETURNING id
    )
    SELECT count(*) INTO v_count FROM noted;
    IF v_paid <> '{}' THEN
        WITH charged AS (
            INSERT INTO ledger_entries (tenant_id, id, at, message_id, kind, line_id, country,
                                        category, amount_usd)
            SELECT p_tenant, p_entries[paid.i], p_now, p_ids[paid.i], 'quote', paid.line_id,
                   paid.country, paid.category, paid.cost
              FROM unnest(v_paid, v_lines, v_countries, v_categories, v_costs)
                   AS paid (i, line_id, country, category, cost)
            RETURNING id
        ), counted AS (
            INSERT INTO usage_days (tenant_id, day, line_id, country, category, sent, delivered,
                                    read, failed, received, cost_usd)
            SELECT p_tenant, p_day, paid.line_id, paid.country, paid.category, count(*), 0, 0, 0, 0,
                   sum(paid.cost)
              FROM unnest(v_lines, v_countries, v_categories, v_costs)
                   AS paid (line_id, country, category, cost)
             GROUP BY paid.line_id, paid.country, paid.category
             ORDER BY paid.line_id, paid.country, paid.category
                ON CONFLICT (tenant_id, day, line_id, country, category) DO UPDATE
               SET sent = usage_days.sent + EXCLUDED.sent,
                   cost_usd = usage_days.cost_usd + EXCLUDED.cost_usd
            RETURNING line_id
        )
        SELECT count(*) INTO v_count FROM charged;
    END IF;
    WITH newest AS (
        SELECT DISTINCT ON (sent.line_id, p_kinds[sent.i], p_values[sent.i])
               p_ids[sent.i] AS message_id, sent.line_id, p_kinds[sent.i] AS kind,
               p_values[sent.i] AS value
          FROM unnest(v_done, v_departed) AS sent (i, line_id)
         ORDER BY sent.line_id, p_kinds[sent.i], p_values[sent.i], p_ids[sent.i] DESC
    ), found AS (
        SELECT talk.id, newest.message_id
          FROM newest
          JOIN identities AS who ON who.tenant_id = p_tenant AND who.kind = newest.kind
           AND who.value = newest.value
          JOIN conversations AS talk ON talk.tenant_id = p_tenant
           AND talk.contact_id = who.contact_id AND talk.line_id = newest.line_id
           AND talk.last_message_id < newest.message_id
           FOR UPDATE OF talk SKIP LOCKED
    ), lifted AS (
        UPDATE conversations AS talk
           SET last_message_id = found.message_id, last_at = greatest(talk.last_at, p_now)
          FROM found WHERE talk.tenant_id = p_tenant AND talk.id = found.id
        RETURNING talk.id || ' ' || found.message_id AS both_ids
    )
    SELECT coalesce(array_agg(both_ids), '{}') INTO moved FROM lifted;
END
$$
"""
