"""Sites, tables, stations, menus, carts, orders."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

OWNED = {
    "menus": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        currency text NOT NULL,
        languages text[] NOT NULL,
        version integer NOT NULL,
        changed_at timestamptz NOT NULL,
        published_at timestamptz,
        archived_at timestamptz,
        PRIMARY KEY (tenant_id, id)
    """,
    "menu_categories": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        menu_id uuid NOT NULL,
        texts jsonb NOT NULL,
        available jsonb NOT NULL,
        position integer NOT NULL,
        hidden boolean NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, menu_id) REFERENCES menus (tenant_id, id) ON DELETE CASCADE
    """,
    "menu_versions": """
        tenant_id bigint NOT NULL,
        menu_id uuid NOT NULL,
        number integer NOT NULL,
        content jsonb NOT NULL,
        published_at timestamptz NOT NULL,
        by text NOT NULL,
        PRIMARY KEY (tenant_id, menu_id, number),
        FOREIGN KEY (tenant_id, menu_id) REFERENCES menus (tenant_id, id) ON DELETE CASCADE
    """,
    "option_groups": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        menu_id uuid NOT NULL,
        texts jsonb NOT NULL,
        least integer NOT NULL,
        most integer NOT NULL,
        free integer NOT NULL,
        position integer NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, menu_id) REFERENCES menus (tenant_id, id) ON DELETE CASCADE
    """,
    "sites": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        slug text NOT NULL,
        host text NOT NULL,
        prefix text NOT NULL,
        currency text NOT NULL,
        time_zone text NOT NULL,
        country text NOT NULL,
        languages text[] NOT NULL,
        address text NOT NULL,
        phone text NOT NULL,
        latitude numeric(9, 6),
        longitude numeric(9, 6),
        line_id integer,
        hours jsonb NOT NULL,
        day_starts text NOT NULL,
        order_types text[] NOT NULL,
        payment_methods text[] NOT NULL,
        tax_included boolean NOT NULL,
        service_percent numeric(6, 3) NOT NULL,
        tip_percents integer[] NOT NULL,
        told_states text[] NOT NULL,
        accept_minutes integer NOT NULL,
        manager_phone text NOT NULL,
        table_orders_per_hour integer NOT NULL,
        phone_orders_per_hour integer NOT NULL,
        address_orders_per_hour integer NOT NULL,
        newcomer_limit numeric(14, 3),
        paused_until timestamptz,
        logo text NOT NULL,
        tone text NOT NULL,
        welcome jsonb NOT NULL,
        menu_id uuid,
        created_at timestamptz NOT NULL,
        closed_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, prefix),
        UNIQUE (tenant_id, slug),
        FOREIGN KEY (tenant_id, line_id) REFERENCES lines (tenant_id, id)
    """,
    "areas": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        site_id uuid NOT NULL,
        name text NOT NULL,
        position integer NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE
    """,
    "carts": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        site_id uuid NOT NULL,
        code text NOT NULL,
        order_type text NOT NULL,
        payment_method text NOT NULL,
        table_id uuid,
        table_number text NOT NULL,
        seated boolean NOT NULL,
        language text NOT NULL,
        menu_id uuid NOT NULL,
        menu_version integer NOT NULL,
        lines jsonb NOT NULL,
        sums jsonb NOT NULL,
        total numeric(14, 3) NOT NULL,
        notes text NOT NULL,
        address jsonb NOT NULL,
        coupon text NOT NULL,
        text text NOT NULL,
        visitor text NOT NULL,
        made_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        order_id uuid,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, code),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE
    """,
    "menu_items": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        menu_id uuid NOT NULL,
        category_id uuid NOT NULL,
        code text NOT NULL,
        texts jsonb NOT NULL,
        price numeric(14, 3) NOT NULL,
        tax_percent numeric(6, 3) NOT NULL,
        stations text[] NOT NULL,
        allergens text[] NOT NULL,
        diets text[] NOT NULL,
        photo text NOT NULL,
        available jsonb NOT NULL,
        groups text[] NOT NULL,
        position integer NOT NULL,
        hidden boolean NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, menu_id) REFERENCES menus (tenant_id, id) ON DELETE CASCADE,
        FOREIGN KEY (tenant_id, category_id) REFERENCES menu_categories (tenant_id, id)
    """,
    "menu_options": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        group_id uuid NOT NULL,
        texts jsonb NOT NULL,
        price numeric(14, 3) NOT NULL,
        preset boolean NOT NULL,
        removal boolean NOT NULL,
        position integer NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, group_id)
            REFERENCES option_groups (tenant_id, id) ON DELETE CASCADE
    """,
    "order_days": """
        tenant_id bigint NOT NULL,
        site_id uuid NOT NULL,
        business_day date NOT NULL,
        last integer NOT NULL,
        PRIMARY KEY (tenant_id, site_id, business_day),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE
    """,
    "orders": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        number text NOT NULL,
        site_id uuid NOT NULL,
        business_day date NOT NULL,
        sequence integer NOT NULL,
        state text NOT NULL,
        order_type text NOT NULL,
        payment_method text NOT NULL,
        paid_at timestamptz,
        table_id uuid,
        table_number text NOT NULL,
        waiter_id uuid,
        waiter text NOT NULL,
        contact_id uuid,
        customer_phone text NOT NULL,
        customer_name text NOT NULL,
        language text NOT NULL,
        notes text NOT NULL,
        staff_note text NOT NULL,
        currency text NOT NULL,
        sums jsonb NOT NULL,
        total numeric(14, 3) NOT NULL,
        source text NOT NULL,
        line_id integer,
        message_id uuid,
        cart_id uuid,
        address jsonb NOT NULL,
        batch integer NOT NULL,
        version integer NOT NULL,
        test boolean NOT NULL,
        placed_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL,
        alarmed_at timestamptz,
        ended_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, number),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id)
    """,
    "sold_out": """
        tenant_id bigint NOT NULL,
        site_id uuid NOT NULL,
        thing_id text NOT NULL,
        until timestamptz,
        by text NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, site_id, thing_id),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE
    """,
    "stations": """
        tenant_id bigint NOT NULL,
        site_id uuid NOT NULL,
        code text NOT NULL,
        name text NOT NULL,
        position integer NOT NULL,
        PRIMARY KEY (tenant_id, site_id, code),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE
    """,
    "table_calls": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        site_id uuid NOT NULL,
        table_id uuid,
        table_number text NOT NULL,
        kind text NOT NULL,
        at timestamptz NOT NULL,
        answered_at timestamptz,
        answered_by text NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE
    """,
    "dining_tables": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        site_id uuid NOT NULL,
        area_id uuid,
        number text NOT NULL,
        seats integer NOT NULL,
        token text NOT NULL,
        waiter_id uuid,
        position integer NOT NULL,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, site_id, number),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE,
        FOREIGN KEY (tenant_id, area_id) REFERENCES areas (tenant_id, id)
    """,
    "order_changes": """
        tenant_id bigint NOT NULL,
        order_id uuid NOT NULL,
        id uuid NOT NULL,
        at timestamptz NOT NULL,
        what text NOT NULL,
        state text NOT NULL,
        by text NOT NULL,
        because text NOT NULL,
        PRIMARY KEY (tenant_id, order_id, id),
        FOREIGN KEY (tenant_id, order_id) REFERENCES orders (tenant_id, id) ON DELETE CASCADE
    """,
    "order_lines": """
        tenant_id bigint NOT NULL,
        order_id uuid NOT NULL,
        position integer NOT NULL,
        batch integer NOT NULL,
        item_id uuid,
        name text NOT NULL,
        said text NOT NULL,
        quantity integer NOT NULL,
        unit_price numeric(14, 3) NOT NULL,
        tax_percent numeric(6, 3) NOT NULL,
        options jsonb NOT NULL,
        note text NOT NULL,
        stations text[] NOT NULL,
        voided integer NOT NULL,
        void_because text NOT NULL,
        PRIMARY KEY (tenant_id, order_id, position),
        FOREIGN KEY (tenant_id, order_id) REFERENCES orders (tenant_id, id) ON DELETE CASCADE
    """,
}

INDEXES = (
    "menu_categories_menu_idx ON menu_categories (tenant_id, menu_id, position)",
    "option_groups_menu_idx ON option_groups (tenant_id, menu_id, position)",
    "carts_made_idx ON carts (tenant_id, site_id, made_at)",
    "menu_items_menu_idx ON menu_items (tenant_id, menu_id, category_id, position)",
    "menu_options_group_idx ON menu_options (tenant_id, group_id, position)",
    "orders_site_idx ON orders (tenant_id, site_id, id)",
    "orders_open_idx ON orders (tenant_id, site_id, placed_at) WHERE ended_at IS NULL",
    "orders_contact_idx ON orders (tenant_id, contact_id, id)",
    "orders_day_idx ON orders (tenant_id, site_id, business_day, sequence)",
    "table_calls_open_idx ON table_calls (tenant_id, site_id, at) WHERE answered_at IS NULL",
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
