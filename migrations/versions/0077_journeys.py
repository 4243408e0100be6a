"""Journeys: conversations of several steps, with versions, runs and the steps of each run."""

from alembic import op

from migrations.tenancy import APP_ROLE, own_by_tenant

revision = "0077"
down_revision = "0076"
branch_labels = None
depends_on = None

DUE_JOURNEYS = """
CREATE FUNCTION app.due_journeys(p_now timestamptz) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        IF EXISTS (SELECT FROM journey_runs WHERE tenant_id = mine AND due_at <= p_now) THEN
            RETURN NEXT mine;
        END IF;
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$$
"""


def upgrade() -> None:
    op.execute("""
        CREATE TABLE journeys (
            tenant_id bigint NOT NULL, id uuid NOT NULL, name text NOT NULL, draft jsonb NOT NULL,
            revision integer NOT NULL, version integer NOT NULL,
            published_revision integer NOT NULL, live boolean NOT NULL, trigger text NOT NULL,
            dates_run_on text NOT NULL, created_at timestamptz NOT NULL,
            changed_at timestamptz NOT NULL, removed_at timestamptz,
            PRIMARY KEY (tenant_id, id))
    """)
    op.execute(
        "CREATE INDEX journeys_live_idx ON journeys (tenant_id, trigger)"
        " WHERE live AND removed_at IS NULL"
    )
    op.execute("""
        CREATE TABLE journey_versions (
            tenant_id bigint NOT NULL, journey_id uuid NOT NULL, version integer NOT NULL,
            definition jsonb NOT NULL, published_at timestamptz NOT NULL,
            published_by text NOT NULL,
            PRIMARY KEY (tenant_id, journey_id, version),
            CONSTRAINT journey_versions_tenant_id_journey_id_fkey
                FOREIGN KEY (tenant_id, journey_id) REFERENCES journeys (tenant_id, id)
                ON DELETE CASCADE)
    """)
    op.execute("""
        CREATE TABLE journey_runs (
            tenant_id bigint NOT NULL, id uuid NOT NULL, journey_id uuid NOT NULL,
            version integer NOT NULL, contact_id uuid NOT NULL, line_id integer NOT NULL,
            cause text NOT NULL, state text NOT NULL, because text NOT NULL, step text NOT NULL,
            visit integer NOT NULL, waits text NOT NULL, repeats integer NOT NULL,
            values jsonb NOT NULL, tries integer NOT NULL, due_at timestamptz,
            started_at timestamptz NOT NULL, changed_at timestamptz NOT NULL,
            ended_at timestamptz,
            PRIMARY KEY (tenant_id, id),
            CONSTRAINT journey_runs_tenant_id_journey_id_cause_key
                UNIQUE (tenant_id, journey_id, cause),
            CONSTRAINT journey_runs_tenant_id_journey_id_fkey
                FOREIGN KEY (tenant_id, journey_id) REFERENCES journeys (tenant_id, id)
                ON DELETE CASCADE)
    """)
    op.execute("CREATE INDEX journey_runs_listed_idx ON journey_runs (tenant_id, journey_id, id)")
    op.execute("CREATE INDEX journey_runs_contact_idx ON journey_runs (tenant_id, contact_id, id)")
    op.execute(
        "CREATE UNIQUE INDEX journey_runs_active_idx"
        " ON journey_runs (tenant_id, contact_id, journey_id) WHERE state = 'running'"
    )
    op.execute(
        "CREATE INDEX journey_runs_due_idx ON journey_runs (tenant_id, due_at)"
        " WHERE due_at IS NOT NULL"
    )
    op.execute("""
        CREATE TABLE journey_run_steps (
            tenant_id bigint NOT NULL, run_id uuid NOT NULL, visit integer NOT NULL,
            step text NOT NULL, kind text NOT NULL, note text NOT NULL, answer text NOT NULL,
            message_id uuid, at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id, run_id, visit),
            CONSTRAINT journey_run_steps_tenant_id_run_id_fkey
                FOREIGN KEY (tenant_id, run_id) REFERENCES journey_runs (tenant_id, id)
                ON DELETE CASCADE)
    """)
    # Journeys that begin some days after the last order.
    op.execute(
        "CREATE INDEX contacts_last_order_idx ON contacts (tenant_id, last_order_at)"
        " WHERE last_order_at IS NOT NULL"
    )
    for table in ("journeys", "journey_versions", "journey_runs", "journey_run_steps"):
        own_by_tenant(table)
    op.execute(DUE_JOURNEYS)
    op.execute("REVOKE ALL ON FUNCTION app.due_journeys(timestamptz) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION app.due_journeys(timestamptz) TO {APP_ROLE}")


def downgrade() -> None:
    op.execute("DROP FUNCTION app.due_journeys(timestamptz)")
    op.execute("DROP INDEX contacts_last_order_idx")
    for table in ("journey_run_steps", "journey_runs", "journey_versions", "journeys"):
        op.execute(f"DROP TABLE {table}")
