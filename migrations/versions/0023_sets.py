"""Claim and settle messages in one statement for each batch, with indexes that need no
statistics.
"""

from importlib import import_module

from alembic import op

from migrations.sql.message_functions_0023 import LEAVE_LANE, SETTLE_SENT, TAKE_MESSAGES
from migrations.sql.settle_sent_0014 import SETTLE_SENT as SETTLE_ONE_BY_ONE

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for function in (TAKE_MESSAGES, LEAVE_LANE, SETTLE_SENT):
        op.execute(function)


def downgrade() -> None:
    before = import_module("migrations.versions.0014_hot_way")
    for function in (before.TAKE, before.LEAVE, SETTLE_ONE_BY_ONE):
        op.execute(function)
