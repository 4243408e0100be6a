"""Card payments: provider accounts, links, sessions, payments, refunds, provider events."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

OWNED = {
    "payment_accounts": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        provider text NOT NULL CONSTRAINT payment_accounts_provider_check
            CHECK (provider IN ('stripe', 'iyzico', 'simulated')),
        name text NOT NULL,
        site_id uuid,
        key text NOT NULL,
        secret text,
        hook_secret text,
        token text NOT NULL,
        owner text NOT NULL,
        live boolean NOT NULL,
        enabled boolean NOT NULL,
        link_minutes integer NOT NULL CONSTRAINT payment_accounts_minutes_check
            CHECK (link_minutes BETWEEN 30 AND 1440),
        checked_at timestamptz,
        check_error text NOT NULL,
        refused integer NOT NULL,
        refused_at timestamptz,
        last_signal_at timestamptz,
        created_at timestamptz NOT NULL,
        removed_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id)
    """,
    "payment_links": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        reference text NOT NULL,
        account_id uuid NOT NULL,
        site_id uuid NOT NULL,
        order_id uuid,
        cart_id uuid,
        amount numeric(14, 3) NOT NULL CONSTRAINT payment_links_amount_check CHECK (amount > 0),
        currency text NOT NULL,
        description text NOT NULL,
        customer_phone text NOT NULL,
        customer_name text NOT NULL,
        language text NOT NULL,
        tell boolean NOT NULL,
        told integer NOT NULL,
        state text NOT NULL CONSTRAINT payment_links_state_check CHECK (state IN
            ('making', 'open', 'paid', 'failed', 'expired', 'cancelled', 'broken')),
        attempt integer NOT NULL,
        url text NOT NULL,
        error text NOT NULL,
        minutes integer NOT NULL,
        expires_at timestamptz NOT NULL,
        tries integer NOT NULL,
        due_at timestamptz,
        source text NOT NULL CONSTRAINT payment_links_source_check
            CHECK (source IN ('order', 'staff', 'api')),
        made_by text NOT NULL,
        made_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL,
        paid_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, reference),
        FOREIGN KEY (tenant_id, account_id) REFERENCES payment_accounts (tenant_id, id),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id)
    """,
    "payment_sessions": """
        tenant_id bigint NOT NULL,
        account_id uuid NOT NULL,
        ref text NOT NULL,
        link_id uuid NOT NULL,
        attempt integer NOT NULL,
        url text NOT NULL,
        expires_at timestamptz NOT NULL,
        made_at timestamptz NOT NULL,
        close_at timestamptz,
        tries integer NOT NULL,
        closed_at timestamptz,
        PRIMARY KEY (tenant_id, account_id, ref),
        FOREIGN KEY (tenant_id, link_id)
            REFERENCES payment_links (tenant_id, id) ON DELETE CASCADE
    """,
    "payments": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        account_id uuid NOT NULL,
        ref text NOT NULL,
        reference text NOT NULL,
        link_id uuid,
        order_id uuid,
        site_id uuid,
        amount numeric(14, 3) NOT NULL,
        currency text NOT NULL,
        refunded numeric(14, 3) NOT NULL CONSTRAINT payments_refunded_check
            CHECK (refunded >= 0 AND refunded <= amount),
        state text NOT NULL CONSTRAINT payments_state_check
            CHECK (state IN ('parked', 'accepted', 'review', 'kept', 'refunded')),
        why text NOT NULL,
        paid_at timestamptz NOT NULL,
        at timestamptz NOT NULL,
        decided_at timestamptz,
        decided_by text NOT NULL,
        decided_because text NOT NULL,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, account_id, ref),
        FOREIGN KEY (tenant_id, account_id) REFERENCES payment_accounts (tenant_id, id)
    """,
    "refunds": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        payment_id uuid NOT NULL,
        amount numeric(14, 3) NOT NULL CONSTRAINT refunds_amount_check CHECK (amount > 0),
        reason text NOT NULL,
        state text NOT NULL CONSTRAINT refunds_state_check
            CHECK (state IN ('waiting', 'asking', 'done', 'failed', 'unknown')),
        ref text NOT NULL,
        error text NOT NULL,
        by text NOT NULL,
        tries integer NOT NULL,
        due_at timestamptz,
        at timestamptz NOT NULL,
        ended_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, payment_id) REFERENCES payments (tenant_id, id) ON DELETE CASCADE
    """,
    "payment_signals": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        account_id uuid NOT NULL,
        key text NOT NULL,
        hook_id uuid,
        kind text NOT NULL,
        event text NOT NULL,
        source text NOT NULL CONSTRAINT payment_signals_source_check
            CHECK (source IN ('hook', 'asked')),
        signed boolean NOT NULL,
        session text NOT NULL,
        payment_ref text NOT NULL,
        reference text NOT NULL,
        amount numeric(14, 3),
        currency text NOT NULL,
        state text NOT NULL CONSTRAINT payment_signals_state_check
            CHECK (state IN ('waiting', 'done', 'parked')),
        outcome text NOT NULL,
        note text NOT NULL,
        link_id uuid,
        order_id uuid,
        payment_id uuid,
        times integer NOT NULL,
        tries integer NOT NULL,
        due_at timestamptz,
        at timestamptz NOT NULL,
        last_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, account_id, key),
        FOREIGN KEY (tenant_id, account_id) REFERENCES payment_accounts (tenant_id, id)
    """,
}

INDEXES = (
    "payment_links_order_idx ON payment_links (tenant_id, order_id)",
    "payment_links_state_idx ON payment_links (tenant_id, state, id)",
    "payment_links_due_idx ON payment_links (tenant_id, due_at) WHERE due_at IS NOT NULL",
    "payment_sessions_link_idx ON payment_sessions (tenant_id, link_id)",
    """payment_sessions_close_idx ON payment_sessions (tenant_id, close_at)
    WHERE close_at IS NOT NULL""",
    "payments_order_idx ON payments (tenant_id, order_id)",
    "payments_reference_idx ON payments (tenant_id, reference)",
    "payments_state_idx ON payments (tenant_id, state, id)",
    "refunds_payment_idx ON refunds (tenant_id, payment_id)",
    "refunds_due_idx ON refunds (tenant_id, due_at) WHERE due_at IS NOT NULL",
    "payment_signals_link_idx ON payment_signals (tenant_id, link_id, id)",
    "payment_signals_outcome_idx ON payment_signals (tenant_id, outcome, id)",
    "payment_signals_due_idx ON payment_signals (tenant_id, due_at) WHERE due_at IS NOT NULL",
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
