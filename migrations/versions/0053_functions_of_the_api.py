"""Functions, whose plans are cached, for the calls of every API request and hook."""

from alembic import op

from migrations.tenancy import APP_ROLE

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None

READ_API_CALLER = """
CREATE FUNCTION app.read_api_caller(
    p_tenant bigint, p_key uuid, p_now timestamptz, p_used_before timestamptz, p_sending text[],
    OUT key_id uuid, OUT tenant_id bigint, OUT key_name text, OUT mode text, OUT scopes text[],
    OUT line_ids bigint[], OUT key_rate_per_second integer, OUT expires_at timestamptz,
    OUT revoked_at timestamptz, OUT tenant_name text, OUT tenant_state text, OUT plan text,
    OUT plan_name text, OUT rate_per_second integer, OUT burst integer,
    OUT monthly_messages integer, OUT spend_cap_usd numeric, OUT most_spend_usd numeric,
    OUT trial_days integer, OUT trial_messages integer, OUT lines jsonb, OUT rates jsonb)
LANGUAGE plpgsql AS $$
DECLARE
    v_used timestamptz;
BEGIN
    PERFORM app.set_tenant(p_tenant);
    SELECT k.id, k.tenant_id, k.name, k.mode, k.scopes, k.line_ids, k.rate_per_second,
           k.expires_at, k.revoked_at, t.name, t.state, p.code, p.name,
           coalesce(a.rate_per_second, p.rate_per_second), coalesce(a.burst, p.burst),
           coalesce(a.monthly_messages, p.monthly_messages),
           least(a.chosen_cap_usd, coalesce(a.spend_cap_usd, p.spend_cap_usd)),
           coalesce(a.spend_cap_usd, p.spend_cap_usd), p.trial_days, p.trial_messages,
           k.last_used_at,
           (SELECT jsonb_agg(jsonb_build_array(l.id, l.kind, l.test, l.enabled, l.is_default,
                       l.state = ANY (p_sending) OR l.fallback_line_id IS NOT NULL, l.per_second)
                       ORDER BY l.created_at, l.id)
              FROM lines AS l WHERE l.tenant_id = p_tenant AND l.removed_at IS NULL),
           (SELECT jsonb_agg(jsonb_build_array(r.line_kind, r.country, r.category, r.since,
                                               r.usd::text))
              FROM rate_overrides AS r WHERE r.tenant_id = p_tenant)
      INTO key_id, tenant_id, key_name, mode, scopes, line_ids, key_rate_per_second, expires_at,
           revoked_at, tenant_name, tenant_state, plan, plan_name, rate_per_second, burst,
           monthly_messages, spend_cap_usd, most_spend_usd, trial_days, trial_messages, v_used,
           lines, rates
      FROM api_keys AS k, accounts AS a, tenants AS t, plans AS p
     WHERE k.tenant_id = p_tenant AND k.id = p_key AND a.tenant_id = p_tenant
       AND t.id = p_tenant AND p.code = t.plan;
    IF FOUND AND (v_used IS NULL OR v_used < p_used_before) THEN
        UPDATE api_keys AS k SET last_used_at = p_now
         WHERE k.tenant_id = p_tenant AND k.id = p_key
           AND (k.last_used_at IS NULL OR k.last_used_at < p_used_before);
    END IF;
END
$$
"""
WRITE_API_CALLS = """
CREATE FUNCTION app.write_api_calls(p_calls jsonb)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_part jsonb;
    v_tenant bigint;
    v_count integer;
BEGIN
    -- If the database crashes, losing the newest rows costs only lines of this log.
    PERFORM set_config('synchronous_commit', 'off', true);
    FOR v_part IN SELECT value FROM jsonb_array_elements(p_calls) LOOP
        v_tenant := (v_part ->> 'tenant_id')::bigint;
        PERFORM app.set_tenant(v_tenant);
        WITH written AS (
            INSERT INTO api_calls (tenant_id, id, at, method, path, query, call, status, code,
                                   duration_ms, key_id, key_name, address, asked, answered)
            SELECT v_tenant, id, at, method, path, query, call, status, code, duration_ms, key_id,
                   key_name, address, asked, answered
              FROM jsonb_to_recordset(v_part -> 'rows') AS one (
                   id uuid, at timestamptz, method text, path text, query text, call text,
                   status integer, code text, duration_ms integer, key_id text, key_name text,
                   address text, asked text, answered text)
            RETURNING id
        )
        SELECT count(*) INTO v_count FROM written;
    END LOOP;
END
$$
"""
STORE_HOOK = """
CREATE FUNCTION app.store_hook(
    p_tenant bigint, p_id uuid, p_kind text, p_target text, p_body bytea, p_facts jsonb,
    p_now timestamptz, p_lane text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.set_tenant(p_tenant);
    INSERT INTO received_hooks
           (tenant_id, id, kind, target, body, facts, state, tries, due_at, received_at)
    VALUES (p_tenant, p_id, p_kind, p_target, p_body, p_facts, 'waiting', 0, p_now, p_now);
    INSERT INTO lanes (kind, tenant_id, due_at) VALUES (p_lane, p_tenant, p_now)
        ON CONFLICT DO NOTHING;
END
$$
"""
SIGNATURES = {
    READ_API_CALLER: "app.read_api_caller(bigint, uuid, timestamptz, timestamptz, text[])",
    WRITE_API_CALLS: "app.write_api_calls(jsonb)",
    STORE_HOOK: "app.store_hook(bigint, uuid, text, text, bytea, jsonb, timestamptz, text)",
}


def upgrade() -> None:
    for statement, signature in SIGNATURES.items():
        op.execute(statement)
        op.execute(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {signature} TO {APP_ROLE}")


def downgrade() -> None:
    for signature in SIGNATURES.values():
        op.execute(f"DROP FUNCTION {signature}")
