"""The rule for trial, quota and spend cap is a function; accepting a message calls it."""

from importlib import import_module

from alembic import op

from migrations.tenancy import APP_ROLE

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

RESERVE_QUOTA = """
CREATE FUNCTION app.reserve_quota(
    p_tenant bigint, p_now timestamptz, p_messages integer, p_cost numeric,
    p_month date, p_quota integer, p_cap numeric, p_trial_since timestamptz, p_trial_most integer,
    OUT used integer, OUT spent numeric)
LANGUAGE plpgsql AS $$
BEGIN
    IF p_trial_most IS NOT NULL THEN
        UPDATE accounts SET trial_started_at = coalesce(trial_started_at, p_now),
               trial_used = trial_used + p_messages
         WHERE tenant_id = p_tenant AND trial_used + p_messages <= p_trial_most
           AND (trial_started_at IS NULL OR trial_started_at > p_trial_since);
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the trial is over' USING ERRCODE = 'CM001';
        END IF;
    END IF;
    IF p_quota < p_messages THEN
        RAISE EXCEPTION 'the quota is used' USING ERRCODE = 'CM002';
    ELSIF p_cap < p_cost THEN
        RAISE EXCEPTION 'the cap is reached' USING ERRCODE = 'CM003';
    END IF;
    INSERT INTO usage_months (tenant_id, month, messages, spend_usd, warned_percent)
    VALUES (p_tenant, p_month, p_messages, p_cost, 0)
        ON CONFLICT (tenant_id, month) DO UPDATE
       SET messages = usage_months.messages + EXCLUDED.messages,
           spend_usd = usage_months.spend_usd + EXCLUDED.spend_usd
     WHERE (p_quota IS NULL OR usage_months.messages + EXCLUDED.messages <= p_quota)
       AND (p_cap IS NULL OR usage_months.spend_usd + EXCLUDED.spend_usd <= p_cap)
    RETURNING messages, spend_usd INTO used, spent;
    IF NOT FOUND THEN
        SELECT messages INTO used FROM usage_months
         WHERE tenant_id = p_tenant AND month = p_month;
        IF used + p_messages > p_quota THEN
            RAISE EXCEPTION 'the quota is used' USING ERRCODE = 'CM002';
        END IF;
        RAISE EXCEPTION 'the cap is reached' USING ERRCODE = 'CM003';
    END IF;
END
$$
"""
RESERVE_SIGNATURE = """app.reserve_quota(
    bigint, timestamptz, integer, numeric, date, integer, numeric, timestamptz, integer)"""
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
            p_priority, 0, p_due, p_valid, p_reference, p_country, p_category,
            p_quoted, 0, p_test, p_now, p_now);
    INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
    VALUES (p_tenant, p_id, p_change, p_now, p_state, 'accepted');
    IF NOT p_test THEN
        v_reserved := app.reserve_quota(
            p_tenant, p_now, 1, p_quoted, p_month, p_quota, p_cap, p_trial_since, p_trial_most);
        used := v_reserved.used;
        spent := v_reserved.spent;
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


def upgrade() -> None:
    op.execute(RESERVE_QUOTA)
    op.execute(f"REVOKE ALL ON FUNCTION {RESERVE_SIGNATURE} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {RESERVE_SIGNATURE} TO {APP_ROLE}")
    op.execute(ACCEPT_MESSAGE)


def downgrade() -> None:
    op.execute(import_module("migrations.versions.0014_hot_way").ACCEPT)
    op.execute(f"DROP FUNCTION {RESERVE_SIGNATURE}")
