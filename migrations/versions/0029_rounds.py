"""Rounds: work over all tenants in steps, with the cursor and the time of the last complete
round.
"""

from alembic import op

from migrations.tenancy import grant

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE rounds (
            job text NOT NULL PRIMARY KEY,
            under_way boolean NOT NULL,
            after_tenant bigint NOT NULL,
            unfinished bigint[] NOT NULL,
            began_at timestamptz NOT NULL,
            finished_at timestamptz,
            lease uuid,
            leased_until timestamptz
        )
        """
    )
    grant("rounds")


def downgrade() -> None:
    op.execute("DROP TABLE rounds")
