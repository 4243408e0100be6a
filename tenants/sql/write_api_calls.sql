-- Writes calls of the API to the request log of their tenants. `p_calls` is a list of
-- {"tenant_id": …, "rows": […]}; the rows have the columns of api_calls.
CREATE OR REPLACE FUNCTION app.write_api_calls(p_calls jsonb)
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
$$;
