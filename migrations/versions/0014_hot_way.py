"""SQL functions for sending messages: their plans are cached, and each is one round trip.

Each sets its tenant first, as every transaction does, so that one call is a whole transaction.
Every statement in them names the tenant; row-level security applies inside them too.
"""

from alembic import op

from migrations.sql.settle_sent_0014 import SETTLE_SENT
from migrations.tenancy import APP_ROLE

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

# Marking shares the lane with other markers and prevents its release until the marked work is
# committed: a release either sees that work or finds the lane locked.
MARK_LANE = """
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
$$
"""

# Raising rolls everything back: CM001 trial over, CM002 quota, CM003 cap, CM004 known key, CM005
# blocked contact.
ACCEPT = """
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
            p_priority, 0, p_due, p_valid, p_reference, p_country, p_category,
            p_quoted, 0, p_test, p_now, p_now);
    INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
    VALUES (p_tenant, p_id, p_change, p_now, p_state, 'accepted');
    IF NOT p_test THEN
        IF p_trial_most IS NOT NULL THEN
            UPDATE accounts SET trial_started_at = coalesce(trial_started_at, p_now),
                   trial_used = trial_used + 1
             WHERE tenant_id = p_tenant AND trial_used + 1 <= p_trial_most
               AND (trial_started_at IS NULL OR trial_started_at > p_trial_since);
            IF NOT FOUND THEN
                RAISE EXCEPTION 'the trial is over' USING ERRCODE = 'CM001';
            END IF;
        END IF;
        IF p_quota < 1 THEN
            RAISE EXCEPTION 'the quota is used' USING ERRCODE = 'CM002';
        ELSIF p_cap < p_quoted THEN
            RAISE EXCEPTION 'the cap is reached' USING ERRCODE = 'CM003';
        END IF;
        INSERT INTO usage_months (tenant_id, month, messages, spend_usd, warned_percent)
        VALUES (p_tenant, p_month, 1, p_quoted, 0)
            ON CONFLICT (tenant_id, month) DO UPDATE
           SET messages = usage_months.messages + 1,
               spend_usd = usage_months.spend_usd + EXCLUDED.spend_usd
         WHERE (p_quota IS NULL OR usage_months.messages + 1 <= p_quota)
           AND (p_cap IS NULL OR usage_months.spend_usd + EXCLUDED.spend_usd <= p_cap)
        RETURNING messages, spend_usd INTO used, spent;
        IF NOT FOUND THEN
            SELECT messages INTO used FROM usage_months
             WHERE tenant_id = p_tenant AND month = p_month;
            IF used + 1 > p_quota THEN
                RAISE EXCEPTION 'the quota is used' USING ERRCODE = 'CM002';
            END IF;
            RAISE EXCEPTION 'the cap is reached' USING ERRCODE = 'CM003';
        END IF;
    END IF;
    IF p_state = 'queued' THEN
        PERFORM app.mark_lane(p_lane, p_tenant, p_now);
    ELSE
        INSERT INTO lanes (kind, tenant_id, due_at) VALUES (p_lane || '.later', p_tenant, p_due)
            ON CONFLICT (kind, tenant_id) DO UPDATE
           SET due_at = least(lanes.due_at, EXCLUDED.due_at);
    END IF;
END
$$
"""

LEASE = """
CREATE OR REPLACE FUNCTION app.lease_lanes(
    p_kind text, p_lease uuid, p_now timestamptz, p_until timestamptz, p_most integer)
RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY UPDATE lanes SET lease = p_lease, leased_until = p_until
     WHERE lanes.kind = p_kind AND lanes.tenant_id = ANY (ARRAY(
           SELECT waiting.tenant_id FROM lanes AS waiting
            WHERE waiting.kind = p_kind AND waiting.due_at <= p_now
              AND (waiting.leased_until IS NULL OR waiting.leased_until < p_now)
            ORDER BY waiting.due_at LIMIT p_most
              FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING lanes.tenant_id;
END
$$
"""

# Linked lines return nothing here, because their hosts send. Rows before the messages say what else
# there is: `linked` when hosts may have work, `stand_in` when a line is down that has a failover
# line. Each recipient of a line gets one message at a time, in order; a message that waits for a
# retry holds back those after it until p_held_since. Each line returns what its pace allows. Ids
# are in order of time: p_oldest and p_newest exclude the months in which nothing can wait.
TAKE = """
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
    v_linked boolean;
    v_stand_in boolean;
    v_due record;
    v_place integer;
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
    SELECT coalesce(array_agg(l.id) FILTER (
               WHERE l.kind <> 'linked' AND l.state <> ALL (p_down)
                 AND (l.paused_until IS NULL OR l.paused_until <= p_now)
                 AND coalesce(p_allowed[array_position(p_lines, l.id)], 1) > 0), '{}'),
           bool_or(l.kind = 'linked'),
           bool_or(l.fallback_line_id IS NOT NULL AND l.state <> ALL (p_sends))
      INTO v_lines, v_linked, v_stand_in
      FROM tenants AS t, lines AS l
     WHERE t.id = p_tenant AND t.state = 'active' AND l.tenant_id = p_tenant AND l.enabled
       AND l.removed_at IS NULL;
    IF v_linked THEN
        what := 'linked'; RETURN NEXT;
    END IF;
    IF v_stand_in THEN
        what := 'stand_in'; RETURN NEXT;
    END IF;
    what := 'message';
    FOR v_due IN
        SELECT m.id, m.line_id, l.kind, l.network, l.phone_number_id, l.token, l.per_second
          FROM messages AS m JOIN lines AS l ON l.tenant_id = p_tenant AND l.id = m.line_id
         WHERE m.tenant_id = p_tenant AND m.due_at <= p_now
           AND m.id BETWEEN p_oldest AND p_newest
           AND m.state IN ('queued', 'scheduled') AND m.valid_until > p_now
           AND m.line_id = ANY (v_lines)
           AND NOT EXISTS (
               SELECT 1 FROM messages AS e
                WHERE e.tenant_id = p_tenant AND e.line_id = m.line_id AND e.phone = m.phone
                  AND e.id BETWEEN p_oldest AND p_newest
                  AND e.due_at IS NOT NULL AND e.id <> m.id
                  AND CASE WHEN e.state = 'sending' THEN e.due_at > p_now
                           WHEN e.state NOT IN ('queued', 'scheduled') THEN false
                           WHEN e.due_at <= p_now THEN
                                (e.priority, e.id) < (m.priority, m.id)
                           ELSE e.state = 'queued' AND e.id < m.id
                                AND e.changed_at > p_held_since END)
         ORDER BY m.priority, m.due_at, m.id LIMIT p_most
    LOOP
        v_place := array_position(p_lines, v_due.line_id);
        IF v_place IS NULL THEN
            p_lines := p_lines || v_due.line_id;
            p_allowed := p_allowed || greatest(floor(v_due.per_second), 1)::integer;
            v_place := cardinality(p_lines);
        END IF;
        CONTINUE WHEN p_allowed[v_place] < 1;
        UPDATE messages AS m SET state = 'sending', due_at = p_until, changed_at = p_now,
               attempt = m.attempt + 1
         WHERE m.tenant_id = p_tenant AND m.id = v_due.id AND m.due_at <= p_now
           AND m.state IN ('queued', 'scheduled')
        RETURNING m.id, m.attempt, m.line_id, m.phone, m.kind, m.text, m.content, m.reference,
                  m.quoted_usd, m.test
             INTO id, attempt, line_id, phone, kind, body, content, reference, quoted_usd, test;
        CONTINUE WHEN NOT FOUND;
        INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
        VALUES (p_tenant, v_due.id,
                (p_change || '-7' || substr(gen_random_uuid()::text, 16))::uuid,
                p_now, 'sending', '');
        p_allowed[v_place] := p_allowed[v_place] - 1;
        line_kind := v_due.kind; network := v_due.network; token := v_due.token;
        phone_number_id := v_due.phone_number_id; per_second := v_due.per_second;
        RETURN NEXT;
    END LOOP;
END
$$
"""

# NULL: the lane was released. Otherwise when to look again.
LEAVE = """
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
        AND m.id BETWEEN p_oldest AND p_newest LIMIT 1;
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
                AND m.id BETWEEN p_oldest AND p_newest
                AND m.line_id = ANY (v_lines) ORDER BY m.due_at LIMIT 1),
            (SELECT m.due_at FROM messages AS m
              WHERE m.tenant_id = p_tenant AND m.priority = 1 AND m.due_at IS NOT NULL
                AND m.id BETWEEN p_oldest AND p_newest
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

FUNCTIONS = {
    "mark_lane": MARK_LANE,
    "accept_message": ACCEPT,
    "lease_lanes": LEASE,
    "take_messages": TAKE,
    "leave_lane": LEAVE,
    "settle_sent": SETTLE_SENT,
}


def upgrade() -> None:
    op.execute(
        "CREATE INDEX messages_pending_idx ON messages (tenant_id, line_id, phone, id)"
        " WHERE due_at IS NOT NULL"
    )
    for name, function in FUNCTIONS.items():
        op.execute(function)
        op.execute(f"REVOKE ALL ON FUNCTION app.{name} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION app.{name} TO {APP_ROLE}")


def downgrade() -> None:
    for name in reversed(FUNCTIONS):
        op.execute(f"DROP FUNCTION app.{name}")
    op.execute("DROP INDEX messages_pending_idx")
