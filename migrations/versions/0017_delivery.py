"""Delivery zones, couriers, and the trip of each order."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

OWNED = {
    "delivery_zones": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        site_id uuid NOT NULL,
        name text NOT NULL,
        kind text NOT NULL CONSTRAINT delivery_zones_kind_check
            CHECK (kind IN ('radius', 'polygon')),
        radius_m integer CONSTRAINT delivery_zones_radius_check
            CHECK ((kind = 'radius') = (radius_m IS NOT NULL)),
        corners jsonb NOT NULL,
        fee numeric(14, 3) NOT NULL CONSTRAINT delivery_zones_fee_check CHECK (fee >= 0),
        minimum numeric(14, 3) NOT NULL CONSTRAINT delivery_zones_minimum_check
            CHECK (minimum >= 0),
        created_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE
    """,
    "couriers": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        site_id uuid NOT NULL,
        contact_id uuid,
        name text NOT NULL,
        phone text NOT NULL,
        language text NOT NULL,
        active boolean NOT NULL,
        link_version integer NOT NULL,
        created_at timestamptz NOT NULL,
        removed_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE
    """,
    "trips": """
        tenant_id bigint NOT NULL,
        order_id uuid NOT NULL,
        site_id uuid NOT NULL,
        courier_id uuid NOT NULL,
        told boolean NOT NULL,
        assigned_at timestamptz NOT NULL,
        picked_up_at timestamptz,
        delivered_at timestamptz,
        ended_at timestamptz,
        problem text NOT NULL,
        problem_note text NOT NULL,
        problem_at timestamptz,
        collected numeric(14, 3),
        collected_by text NOT NULL,
        PRIMARY KEY (tenant_id, order_id),
        FOREIGN KEY (tenant_id, order_id) REFERENCES orders (tenant_id, id) ON DELETE CASCADE,
        FOREIGN KEY (tenant_id, courier_id) REFERENCES couriers (tenant_id, id)
    """,
}
INDEXES = (
    "delivery_zones_site_idx ON delivery_zones (tenant_id, site_id)",
    "couriers_site_idx ON couriers (tenant_id, site_id)",
    "couriers_phone_idx ON couriers (tenant_id, phone)",
    "trips_courier_idx ON trips (tenant_id, courier_id, assigned_at)",
    "trips_open_idx ON trips (tenant_id, site_id) WHERE ended_at IS NULL",
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
