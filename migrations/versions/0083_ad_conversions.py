"""Purchases reported to Meta's Conversions API, for orders of people who came from an ad."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0083"
down_revision = "0082"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE TABLE ad_conversion_settings (
            tenant_id bigint PRIMARY KEY, dataset_id text NOT NULL, token text NOT NULL,
            enabled boolean NOT NULL, sent_at timestamptz, failed_at timestamptz,
            error text NOT NULL, changed_at timestamptz NOT NULL)
    """)
    op.execute("""
        CREATE TABLE ad_conversions (
            tenant_id bigint NOT NULL, order_id uuid NOT NULL, contact_id uuid,
            click_id text NOT NULL, account_id text NOT NULL, state text NOT NULL,
            tries integer NOT NULL, due_at timestamptz, error text NOT NULL,
            created_at timestamptz NOT NULL, settled_at timestamptz,
            PRIMARY KEY (tenant_id, order_id))
    """)
    op.execute(
        "CREATE INDEX ad_conversions_due_idx ON ad_conversions (tenant_id, due_at)"
        " WHERE due_at IS NOT NULL"
    )
    op.execute("CREATE INDEX ad_conversions_contact_idx ON ad_conversions (tenant_id, contact_id)")
    own_by_tenant("ad_conversion_settings")
    own_by_tenant("ad_conversions")


def downgrade() -> None:
    op.execute("DROP TABLE ad_conversions")
    op.execute("DROP TABLE ad_conversion_settings")
