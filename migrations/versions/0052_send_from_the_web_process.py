"""A message can be accepted as `sending`: its first attempt is made where it was accepted."""

from importlib import import_module

from alembic import op

from migrations.tenancy import APP_ROLE

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

ACCEPT_MESSAGE = """
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
$$
"""
ACCEPT_AND_BEGIN = """
CREATE FUNCTION app.accept_and_begin(
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
$$
"""
BEGIN_SIGNATURE = """app.accept_and_begin(
    bigint, uuid, uuid, uuid, timestamptz, timestamptz, uuid, text[], integer, text, text, text,
    jsonb, integer, timestamptz, text, text, text, numeric, boolean, text, date, integer, numeric,
    timestamptz, integer, text, timestamptz, text, integer, jsonb, text)"""
MARK_HELD_BACK = """
CREATE FUNCTION app.mark_held_back(
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
$$
"""
MARK_SIGNATURE = """app.mark_held_back(
    bigint, text, timestamptz, uuid, integer[], text[])"""


def upgrade() -> None:
    op.execute(ACCEPT_MESSAGE)
    for statement, signature in (
        (ACCEPT_AND_BEGIN, BEGIN_SIGNATURE),
        (MARK_HELD_BACK, MARK_SIGNATURE),
    ):
        op.execute(statement)
        op.execute(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {signature} TO {APP_ROLE}")


def downgrade() -> None:
    op.execute(f"DROP FUNCTION {MARK_SIGNATURE}")
    op.execute(f"DROP FUNCTION {BEGIN_SIGNATURE}")
    op.execute(import_module("migrations.versions.0047_reserve_quota").ACCEPT_MESSAGE)
