"""Guests order in their own words: synonyms of items, proposals, and drafts of replies."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0067"
down_revision = "0066"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE menu_items ADD COLUMN synonyms text[] NOT NULL DEFAULT '{}'")
    op.execute("ALTER TABLE sites ADD COLUMN orders_in_words boolean NOT NULL DEFAULT false")
    op.execute("ALTER TABLE conversations ADD COLUMN draft text NOT NULL DEFAULT ''")
    op.execute("""
        CREATE TABLE order_proposals (
            tenant_id bigint NOT NULL, id uuid NOT NULL, site_id uuid NOT NULL,
            line_id integer NOT NULL, contact_id uuid NOT NULL, language text NOT NULL,
            state text NOT NULL, items jsonb NOT NULL, unclear jsonb NOT NULL,
            unknown jsonb NOT NULL, focus integer NOT NULL, order_type text NOT NULL,
            table_number text NOT NULL, payment_method text NOT NULL, address jsonb NOT NULL,
            asking text NOT NULL, texts jsonb NOT NULL, total numeric(14, 3),
            revision integer NOT NULL, order_id uuid, created_at timestamptz NOT NULL,
            changed_at timestamptz NOT NULL, expires_at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id, id),
            FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE,
            FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id)
                ON DELETE CASCADE)
    """)
    op.execute("""
        CREATE UNIQUE INDEX order_proposals_open_idx
            ON order_proposals (tenant_id, contact_id, line_id)
         WHERE state IN ('open', 'handed_over')
    """)
    op.execute(
        "CREATE INDEX order_proposals_contact_idx ON order_proposals (tenant_id, contact_id)"
    )
    op.execute("CREATE INDEX order_proposals_site_idx ON order_proposals (tenant_id, site_id)")
    op.execute(
        "CREATE INDEX order_proposals_expires_idx ON order_proposals (tenant_id, expires_at)"
    )
    own_by_tenant("order_proposals")


def downgrade() -> None:
    op.execute("DROP TABLE order_proposals")
    op.execute("ALTER TABLE conversations DROP COLUMN draft")
    op.execute("ALTER TABLE sites DROP COLUMN orders_in_words")
    op.execute("ALTER TABLE menu_items DROP COLUMN synonyms")
