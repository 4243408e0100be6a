"""Claiming messages reads only what it claims, not every pending message of the tenant."""

from importlib import import_module

from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None

TAKE_MESSAGES = """
CREATE OR REPLACE FUNCTION app.take_messages(
    p_tenant bigint, p_lane text, p_lease uuid, p_lane_until timestamptz, p_now timestamptz,
    p_until timestamptz, p_held_since timestamptz, p_oldest uuid, p_newest uuid, p_most integer,
    p_change text, p_lines integer[], p_allowed integer[], p_down text[], p_sends text[])
RETURNS TABLE (what text, id uuid, attempt integer, line_id integer, phone text, kind text,
    body text, content jsonb, reference text, quoted_usd numeric, test boolean,
    line_kind text, network text, phone_number_id text, token text, per_second numeric,
    due_at timestamptz)
LANGUAGE plpgsql SET enable_sort = off AS $$
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
    v_dues timestamptz[] := '{}';
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
            SELECT m.id, m.line_id, m.due_at
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
                                    AND e.changed_at > p_held_since END
                    OFFSET 0)
             ORDER BY m.due_at, m.id LIMIT p_most - v_seen
        LOOP
            v_seen := v_seen + 1;
            v_place := array_position(v_lines, v_due.line_id);
            CONTINUE WHEN v_allowed[v_place] < 1;
            v_allowed[v_place] := v_allowed[v_place] - 1;
            v_ids := v_ids || v_due.id;
            v_dues := v_dues || v_due.due_at;
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
    SELECT 'message', taken.*, l.kind, l.network, l.phone_number_id, l.token, l.per_second,
           v_dues[array_position(v_ids, taken.id)]
      FROM taken JOIN lines AS l ON l.tenant_id = p_tenant AND l.id = taken.line_id;
END
$$
"""


def upgrade() -> None:
    op.execute(TAKE_MESSAGES)


def downgrade() -> None:
    import_module("migrations.versions.0044_send_delay").upgrade()
