"""Loyalty: programmes, the ledger of points, rewards, coupons, automatic messages."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

OF_SITE = "FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE"
OWNED = {
    "loyalty_programmes": f"""
        tenant_id bigint NOT NULL,
        site_id uuid NOT NULL,
        kind text NOT NULL CONSTRAINT loyalty_programmes_kind_check
            CHECK (kind IN ('points', 'stamps')),
        active boolean NOT NULL,
        amount numeric(14, 3) NOT NULL CONSTRAINT loyalty_programmes_amount_check
            CHECK (amount >= 0),
        points integer NOT NULL CONSTRAINT loyalty_programmes_points_check CHECK (points >= 1),
        keywords text[] NOT NULL,
        gift_id uuid,
        quiet_from text NOT NULL,
        quiet_until text NOT NULL,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, site_id),
        {OF_SITE}
    """,
    "loyalty_members": f"""
        tenant_id bigint NOT NULL,
        site_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        balance integer NOT NULL,
        visits integer NOT NULL,
        first_at timestamptz NOT NULL,
        last_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, site_id, contact_id),
        {OF_SITE}
    """,
    "loyalty_entries": f"""
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        site_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        amount integer NOT NULL,
        kind text NOT NULL,
        order_id uuid,
        step integer,
        coupon_id uuid,
        because text NOT NULL,
        by text NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, order_id, step),
        {OF_SITE}
    """,
    "loyalty_rewards": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        kind text NOT NULL CONSTRAINT loyalty_rewards_kind_check
            CHECK (kind IN ('percent', 'amount', 'item')),
        value numeric(14, 3) NOT NULL CONSTRAINT loyalty_rewards_value_check CHECK (value >= 0),
        most numeric(14, 3),
        minimum numeric(14, 3) NOT NULL CONSTRAINT loyalty_rewards_minimum_check
            CHECK (minimum >= 0),
        currency text NOT NULL,
        item_id uuid,
        item_name text NOT NULL,
        site_ids text[] NOT NULL,
        valid_days integer NOT NULL,
        per_contact integer NOT NULL,
        cost integer CONSTRAINT loyalty_rewards_cost_check CHECK (cost > 0),
        active boolean NOT NULL,
        created_at timestamptz NOT NULL,
        removed_at timestamptz,
        PRIMARY KEY (tenant_id, id)
    """,
    "loyalty_coupons": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        code text NOT NULL,
        reward_id uuid NOT NULL,
        terms jsonb NOT NULL,
        contact_id uuid,
        state text NOT NULL CONSTRAINT loyalty_coupons_state_check
            CHECK (state IN ('open', 'used', 'cancelled')),
        source text NOT NULL,
        cause text,
        issued_by text NOT NULL,
        issued_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        order_id uuid,
        discount numeric(14, 3),
        cancelled_at timestamptz,
        cancelled_because text NOT NULL,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, code),
        UNIQUE (tenant_id, cause),
        FOREIGN KEY (tenant_id, reward_id) REFERENCES loyalty_rewards (tenant_id, id)
    """,
    "loyalty_messages": f"""
        tenant_id bigint NOT NULL,
        site_id uuid NOT NULL,
        cause text NOT NULL,
        active boolean NOT NULL,
        texts jsonb NOT NULL,
        number integer NOT NULL,
        reward_id uuid,
        template jsonb NOT NULL,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, site_id, cause),
        {OF_SITE}
    """,
    "loyalty_sends": f"""
        tenant_id bigint NOT NULL,
        site_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        cause text NOT NULL,
        number bigint NOT NULL,
        state text NOT NULL CONSTRAINT loyalty_sends_state_check
            CHECK (state IN ('waiting', 'sent', 'left_out')),
        because text NOT NULL,
        due_at timestamptz NOT NULL,
        coupon_id uuid,
        message_id uuid,
        at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, site_id, contact_id, cause, number),
        {OF_SITE}
    """,
}
INDEXES = (
    "loyalty_members_contact_idx ON loyalty_members (tenant_id, contact_id)",
    "loyalty_members_last_idx ON loyalty_members (tenant_id, site_id, last_at, contact_id)",
    "loyalty_entries_contact_idx ON loyalty_entries (tenant_id, contact_id, id)",
    "loyalty_coupons_contact_idx ON loyalty_coupons (tenant_id, contact_id, id)",
    "loyalty_coupons_state_idx ON loyalty_coupons (tenant_id, state, id)",
    "loyalty_coupons_reward_idx ON loyalty_coupons (tenant_id, reward_id, id)",
    "loyalty_coupons_order_idx ON loyalty_coupons (tenant_id, order_id) WHERE order_id IS NOT NULL",
    "loyalty_sends_due_idx ON loyalty_sends (tenant_id, due_at) WHERE state = 'waiting'",
    "loyalty_sends_contact_idx ON loyalty_sends (tenant_id, contact_id)",
)


def upgrade() -> None:
    for table, columns in OWNED.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")


def downgrade() -> None:
    for table in reversed(OWNED):
        op.execute(f"DROP TABLE {table}")
