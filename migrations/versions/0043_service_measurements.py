"""Figures over all tenants for the operator: lines by state, waiting tickets, unknown messages."""

from alembic import op

from migrations.tenancy import APP_ROLE, grant

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

TABLE = """
CREATE TABLE service_measurements (
    name text NOT NULL,
    label text NOT NULL DEFAULT '',
    value double precision NOT NULL,
    measured_at timestamptz NOT NULL,
    PRIMARY KEY (name, label)
)
"""
# Runs with the rights of the caller and sets each tenant in turn, so that row-level security
# applies. Every question uses an index, so a tenant costs a few index look-ups.
MEASURE = """
CREATE FUNCTION app.measure_tenants(
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
$$
"""
SIGNATURE = "app.measure_tenants(timestamptz, uuid, uuid)"


def upgrade() -> None:
    op.execute(TABLE)
    grant("service_measurements")
    op.execute(MEASURE)
    op.execute(f"REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {SIGNATURE} TO {APP_ROLE}")


def downgrade() -> None:
    op.execute(f"DROP FUNCTION {SIGNATURE}")
    op.execute("DROP TABLE service_measurements")
