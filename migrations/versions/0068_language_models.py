"""The tenant's own language model, and the messages that wait for its answer."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE TABLE language_models (
            tenant_id bigint PRIMARY KEY, url text NOT NULL, key text NOT NULL,
            model text NOT NULL, transcription_model text NOT NULL DEFAULT '',
            enabled boolean NOT NULL DEFAULT true, timeout_seconds integer NOT NULL,
            daily_requests integer NOT NULL, used_on date, used integer NOT NULL DEFAULT 0,
            changed_at timestamptz NOT NULL)
    """)
    op.execute("""
        CREATE TABLE model_requests (
            tenant_id bigint NOT NULL, message_id uuid NOT NULL, line_id integer NOT NULL,
            contact_id uuid NOT NULL, kind text NOT NULL, text text NOT NULL,
            tries integer NOT NULL DEFAULT 0, due_at timestamptz NOT NULL,
            created_at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id, message_id),
            FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id)
                ON DELETE CASCADE)
    """)
    op.execute("CREATE INDEX model_requests_due_idx ON model_requests (tenant_id, due_at)")
    op.execute("CREATE INDEX model_requests_contact_idx ON model_requests (tenant_id, contact_id)")
    own_by_tenant("language_models")
    own_by_tenant("model_requests")


def downgrade() -> None:
    op.execute("DROP TABLE model_requests")
    op.execute("DROP TABLE language_models")
