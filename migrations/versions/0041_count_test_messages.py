"""Sent test messages are counted by day under their test line, like their receipts."""

from alembic import op

from migrations.sql.message_functions_0023 import SETTLE_SENT as SETTLE_SENT_BEFORE
from migrations.sql.settle_sent_0041 import SETTLE_SENT

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(SETTLE_SENT)


def downgrade() -> None:
    op.execute(SETTLE_SENT_BEFORE)
