"""`app.settle_sent` as migration 0041 makes it: test messages are counted, but not charged."""

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
           array_agg(line_id), array_agg(country),
           array_agg(category), array_agg(cost_usd)
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
    IF v_done <> '{}' THEN
        WITH charged AS (
            INSERT INTO ledger_entries (tenant_id, id, at, message_id, kind, line_id, country,
                                        category, amount_usd)
            SELECT p_tenant, p_entries[paid.i], p_now, p_ids[paid.i], 'quote', paid.line_id,
                   paid.country, paid.category, paid.cost
              FROM unnest(v_done, v_lines, v_countries, v_categories, v_costs)
                   AS paid (i, line_id, country, category, cost)
             WHERE paid.i = ANY (v_paid)
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
