-- Figures over all tenants for the operator.
-- Runs with the rights of the caller and sets each tenant in turn, so that row-level security
-- holds.
-- Every query uses an index, so a tenant costs a few index look-ups.
CREATE OR REPLACE FUNCTION app.measure_tenants(
    p_now timestamptz, p_unknown_since uuid, p_unknown_before uuid)
RETURNS TABLE (name text, label text, value double precision) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_tenant bigint;
BEGIN
    FOR v_tenant IN SELECT t.id FROM tenants AS t WHERE t.state <> 'closed' ORDER BY t.id LOOP
        PERFORM app.set_tenant(v_tenant);
        RETURN QUERY
        SELECT 'lines', l.kind || ':' || l.state, count(*)::double precision
          FROM lines AS l
         WHERE l.tenant_id = v_tenant AND l.enabled AND l.removed_at IS NULL AND NOT l.test
         GROUP BY l.kind, l.state;
        RETURN QUERY
        SELECT figure.name, '', figure.value
          FROM (SELECT count(*)::double precision AS waiting,
                       extract(epoch FROM p_now - min(j.queued_at))::double precision AS oldest
                  FROM print_jobs AS j
                 WHERE j.tenant_id = v_tenant AND j.state IN ('queued', 'claimed')) AS found,
               LATERAL (VALUES ('tickets_waiting', found.waiting),
                               ('tickets_oldest_seconds', found.oldest)) AS figure (name, value)
         WHERE found.waiting > 0;
        RETURN QUERY
        SELECT figure.name, '', figure.value
          FROM (SELECT count(*)::double precision AS unsettled,
                       extract(epoch FROM p_now - min(m.created_at))::double precision AS oldest
                  FROM messages AS m
                 WHERE m.tenant_id = v_tenant AND m.state = 'unknown'
                   AND m.id BETWEEN p_unknown_since AND p_unknown_before) AS found,
               LATERAL (VALUES ('messages_unknown', found.unsettled),
                               ('messages_unknown_oldest_seconds', found.oldest))
                   AS figure (name, value)
         WHERE found.unsettled > 0;
        RETURN QUERY
        SELECT 'lines_simulated', '', count(*)::double precision
          FROM lines AS l
         WHERE l.tenant_id = v_tenant AND l.enabled AND l.removed_at IS NULL AND NOT l.test
           AND l.network = 'simulator'
        HAVING count(*) > 0;
        RETURN QUERY
        SELECT 'endpoints_failing', '', count(*)::double precision
          FROM endpoints AS e
         WHERE e.tenant_id = v_tenant AND e.removed_at IS NULL AND e.enabled
           AND e.failing_since IS NOT NULL
        HAVING count(*) > 0;
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$;
