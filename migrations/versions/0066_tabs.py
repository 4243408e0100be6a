"""The table's tab: guests, shared cart, shares of the bill."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None

TABLES = {
    "tabs": """
        tenant_id bigint NOT NULL, id uuid NOT NULL, site_id uuid NOT NULL,
        table_id uuid NOT NULL, table_number text NOT NULL, test boolean NOT NULL,
        state text NOT NULL, join_code text NOT NULL, merged_into uuid,
        version integer NOT NULL, opened_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL, ended_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE""",
    "tab_guests": """
        tenant_id bigint NOT NULL, id uuid NOT NULL, tab_id uuid NOT NULL, name text NOT NULL,
        state text NOT NULL, failed_codes integer NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, tab_id) REFERENCES tabs (tenant_id, id) ON DELETE CASCADE""",
    "tab_cart_items": """
        tenant_id bigint NOT NULL, tab_id uuid NOT NULL, guest_id uuid NOT NULL,
        position integer NOT NULL, item_id uuid NOT NULL, quantity integer NOT NULL,
        options jsonb NOT NULL, note text NOT NULL,
        PRIMARY KEY (tenant_id, tab_id, guest_id, position),
        FOREIGN KEY (tenant_id, tab_id) REFERENCES tabs (tenant_id, id) ON DELETE CASCADE""",
    "tab_items": """
        tenant_id bigint NOT NULL, order_id uuid NOT NULL, position integer NOT NULL,
        guest_id uuid NOT NULL, guest text NOT NULL,
        PRIMARY KEY (tenant_id, order_id, position),
        FOREIGN KEY (tenant_id, order_id, position)
            REFERENCES order_lines (tenant_id, order_id, position) ON DELETE CASCADE""",
    "tab_shares": """
        tenant_id bigint NOT NULL, id uuid NOT NULL, tab_id uuid NOT NULL, guest_id uuid,
        guest text NOT NULL, kind text NOT NULL, people integer NOT NULL,
        amount numeric(14, 3) NOT NULL, tip numeric(14, 3) NOT NULL,
        surplus numeric(14, 3) NOT NULL, link_id uuid NOT NULL, at timestamptz NOT NULL,
        paid_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, tab_id) REFERENCES tabs (tenant_id, id) ON DELETE CASCADE,
        FOREIGN KEY (tenant_id, link_id) REFERENCES payment_links (tenant_id, id)
            ON DELETE CASCADE""",
    "tab_share_items": """
        tenant_id bigint NOT NULL, share_id uuid NOT NULL, order_id uuid NOT NULL,
        position integer NOT NULL, quantity integer NOT NULL, amount numeric(14, 3) NOT NULL,
        PRIMARY KEY (tenant_id, share_id, order_id, position),
        FOREIGN KEY (tenant_id, share_id) REFERENCES tab_shares (tenant_id, id)
            ON DELETE CASCADE""",
}
INDEXES = (
    "UNIQUE INDEX tabs_open_idx ON tabs (tenant_id, table_id, test) WHERE ended_at IS NULL",
    "INDEX tabs_site_idx ON tabs (tenant_id, site_id, id)",
    "INDEX tabs_open_site_idx ON tabs (tenant_id, site_id) WHERE ended_at IS NULL",
    "INDEX tab_guests_tab_idx ON tab_guests (tenant_id, tab_id)",
    "INDEX tab_shares_tab_idx ON tab_shares (tenant_id, tab_id)",
    "UNIQUE INDEX tab_shares_link_idx ON tab_shares (tenant_id, link_id)",
    "INDEX tab_share_items_order_idx ON tab_share_items (tenant_id, order_id)",
    "INDEX orders_tab_idx ON orders (tenant_id, tab_id) WHERE tab_id IS NOT NULL",
)


def upgrade() -> None:
    for name, columns in TABLES.items():
        op.execute(f"CREATE TABLE {name} ({columns})")
        own_by_tenant(name)
    op.execute("ALTER TABLE orders ADD COLUMN tab_id uuid")
    op.execute("ALTER TABLE orders ADD COLUMN paid_online numeric(14, 3) NOT NULL DEFAULT 0")
    op.execute("ALTER TABLE carts ADD COLUMN tab_id uuid")
    op.execute("ALTER TABLE payments ADD COLUMN surplus numeric(14, 3) NOT NULL DEFAULT 0")
    _allow_sources("order", "staff", "api", "tab")
    for index in INDEXES:
        op.execute(f"CREATE {index}")


def downgrade() -> None:
    op.execute("DELETE FROM payment_links WHERE source = 'tab'")
    _allow_sources("order", "staff", "api")
    op.execute("ALTER TABLE payments DROP COLUMN surplus")
    op.execute("ALTER TABLE carts DROP COLUMN tab_id")
    op.execute("ALTER TABLE orders DROP COLUMN paid_online")
    op.execute("ALTER TABLE orders DROP COLUMN tab_id")
    for name in reversed(TABLES):
        op.execute(f"DROP TABLE {name}")


def _allow_sources(*sources: str) -> None:
    """The values of payment_links.source."""
    names = ", ".join(f"'{source}'" for source in sources)
    op.execute("ALTER TABLE payment_links DROP CONSTRAINT payment_links_source_check")
    op.execute(
        "ALTER TABLE payment_links ADD CONSTRAINT payment_links_source_check"
        f" CHECK (source IN ({names}))"
    )
