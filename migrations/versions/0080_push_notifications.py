"""Browsers that receive push notifications, and the notifications that wait to be sent."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0080"
down_revision = "0079"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE TABLE push_subscriptions (
            tenant_id bigint NOT NULL, id uuid NOT NULL, person_id uuid NOT NULL,
            endpoint text NOT NULL, endpoint_hash text NOT NULL, public_key text NOT NULL,
            auth_secret text NOT NULL, device text NOT NULL, topics text[] NOT NULL,
            shows_text boolean NOT NULL, created_at timestamptz NOT NULL,
            delivered_at timestamptz,
            PRIMARY KEY (tenant_id, id), UNIQUE (tenant_id, person_id, endpoint_hash))
    """)
    op.execute("""
        CREATE TABLE push_notifications (
            tenant_id bigint NOT NULL, subscription_id uuid NOT NULL, tag text NOT NULL,
            id uuid NOT NULL, topic text NOT NULL, facts jsonb NOT NULL, path text NOT NULL,
            tries integer NOT NULL, due_at timestamptz NOT NULL, created_at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id, subscription_id, tag),
            FOREIGN KEY (tenant_id, subscription_id)
                REFERENCES push_subscriptions (tenant_id, id) ON DELETE CASCADE)
    """)
    op.execute("CREATE INDEX push_notifications_due_idx ON push_notifications (tenant_id, due_at)")
    own_by_tenant("push_subscriptions")
    own_by_tenant("push_notifications")


def downgrade() -> None:
    op.execute("DROP TABLE push_notifications")
    op.execute("DROP TABLE push_subscriptions")
