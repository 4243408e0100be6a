"""Short links of campaigns: who opened them, and the carts that came from them."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0082"
down_revision = "0081"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE TABLE short_links (
            tenant_id bigint NOT NULL, code text NOT NULL, campaign_id uuid NOT NULL,
            contact_id uuid NOT NULL, url text NOT NULL, menu boolean NOT NULL,
            created_at timestamptz NOT NULL, clicks integer NOT NULL, clicked_at timestamptz,
            visited_at timestamptz, cart_at timestamptz, orders integer NOT NULL,
            spent numeric(14, 3) NOT NULL,
            PRIMARY KEY (tenant_id, code),
            FOREIGN KEY (tenant_id, campaign_id) REFERENCES campaigns (tenant_id, id)
                ON DELETE CASCADE)
    """)
    op.execute(
        "CREATE INDEX short_links_campaign_idx ON short_links (tenant_id, campaign_id, contact_id)"
    )
    op.execute("CREATE INDEX short_links_contact_idx ON short_links (tenant_id, contact_id)")
    own_by_tenant("short_links")
    op.execute("ALTER TABLE campaign_recipients ADD COLUMN clicked_at timestamptz")
    op.execute("ALTER TABLE carts ADD COLUMN link_code text NOT NULL DEFAULT ''")
    op.execute("CREATE INDEX carts_link_idx ON carts (tenant_id, link_code) WHERE link_code <> ''")


def downgrade() -> None:
    op.execute("DROP INDEX carts_link_idx")
    op.execute("ALTER TABLE carts DROP COLUMN link_code")
    op.execute("ALTER TABLE campaign_recipients DROP COLUMN clicked_at")
    op.execute("DROP TABLE short_links")
