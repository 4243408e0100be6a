"""Courses, learned cooking times, the promise of an order, and the question after the meal."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None

COLUMNS = (
    ("menu_categories", "course", "smallint NOT NULL DEFAULT 0"),
    ("order_lines", "course", "smallint NOT NULL DEFAULT 0"),
    ("order_lines", "fired_at", "timestamptz"),
    ("order_lines", "fired_load", "smallint NOT NULL DEFAULT 0"),
    ("kitchen_items", "counted", "boolean NOT NULL DEFAULT false"),
    ("orders", "promise_minutes", "smallint"),
    ("orders", "promised_at", "timestamptz"),
    ("orders", "late_told_at", "timestamptz"),
    ("stations", "scanner_version", "integer NOT NULL DEFAULT 1"),
    ("sites", "kitchen_warn_minutes", "integer NOT NULL DEFAULT 10"),
    ("sites", "kitchen_late_minutes", "integer NOT NULL DEFAULT 20"),
    ("sites", "prints_ticket_codes", "boolean NOT NULL DEFAULT false"),
    ("sites", "shows_promise", "boolean NOT NULL DEFAULT true"),
    ("sites", "feedback_minutes", "integer NOT NULL DEFAULT 0"),
    ("sites", "review_url", "text NOT NULL DEFAULT ''"),
)


def upgrade() -> None:
    for table, column, kind in COLUMNS:
        op.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
    op.execute("""
        CREATE TABLE dish_times (
            tenant_id bigint NOT NULL, site_id uuid NOT NULL, dish text NOT NULL,
            station text NOT NULL, weights real[] NOT NULL, changed_at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id, site_id, dish, station),
            FOREIGN KEY (tenant_id, site_id) REFERENCES sites (tenant_id, id) ON DELETE CASCADE)
    """)
    op.execute("""
        CREATE TABLE order_feedback (
            tenant_id bigint NOT NULL, order_id uuid NOT NULL, site_id uuid NOT NULL,
            due_at timestamptz NOT NULL, asked_at timestamptz, skipped text NOT NULL DEFAULT '',
            answer text NOT NULL DEFAULT '', answered_at timestamptz, handled_at timestamptz,
            handled_by text NOT NULL DEFAULT '',
            PRIMARY KEY (tenant_id, order_id),
            FOREIGN KEY (tenant_id, order_id) REFERENCES orders (tenant_id, id) ON DELETE CASCADE)
    """)
    op.execute("""
        CREATE INDEX order_feedback_due_idx ON order_feedback (tenant_id, due_at)
         WHERE asked_at IS NULL AND skipped = ''
    """)
    op.execute("""
        CREATE INDEX order_feedback_unhappy_idx ON order_feedback (tenant_id, answered_at)
         WHERE answer = 'bad' AND handled_at IS NULL
    """)
    op.execute("""
        CREATE INDEX orders_promised_idx ON orders (tenant_id, promised_at)
         WHERE ended_at IS NULL AND promised_at IS NOT NULL AND late_told_at IS NULL
    """)
    own_by_tenant("dish_times")
    own_by_tenant("order_feedback")


def downgrade() -> None:
    op.execute("DROP INDEX orders_promised_idx")
    op.execute("DROP TABLE order_feedback")
    op.execute("DROP TABLE dish_times")
    for table, column, _ in reversed(COLUMNS):
        op.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
