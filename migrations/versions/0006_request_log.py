"""The request log, kept for days and dropped by the day; a spend cap that the tenant chooses."""

from datetime import UTC, datetime, timedelta

from alembic import op

from core.sql.partitions import DAYS_AHEAD, create_day
from migrations.tenancy import own_by_tenant

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

COLUMNS = """
    tenant_id bigint NOT NULL,
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    query text NOT NULL,
    call text NOT NULL,
    status smallint NOT NULL,
    code text NOT NULL,
    duration_ms integer NOT NULL,
    key_id text NOT NULL,
    key_name text NOT NULL,
    address text NOT NULL,
    asked text NOT NULL,
    answered text NOT NULL,
    PRIMARY KEY (tenant_id, id)
"""
INDEXES = (
    "api_calls_call_idx ON api_calls (tenant_id, call, id)",
    "api_calls_key_idx ON api_calls (tenant_id, key_id, id)",
    "api_calls_refused_idx ON api_calls (tenant_id, id) WHERE status >= 400",
)


def upgrade() -> None:
    op.execute("ALTER TABLE accounts ADD COLUMN chosen_cap_usd numeric(14, 6)")
    op.execute(f"CREATE TABLE api_calls ({COLUMNS}) PARTITION BY RANGE (id)")
    own_by_tenant("api_calls")
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")
    # One day back, for clocks that are slow.
    first = datetime.now(UTC) - timedelta(days=1)
    for ahead in range(DAYS_AHEAD + 2):
        op.execute(create_day("api_calls", first + timedelta(days=ahead)))


def downgrade() -> None:
    op.execute("DROP TABLE api_calls")
    op.execute("ALTER TABLE accounts DROP COLUMN chosen_cap_usd")
