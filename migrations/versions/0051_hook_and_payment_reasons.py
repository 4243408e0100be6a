"""Reasons of hooks, payments and simulated phones are stored as codes too."""

import json
from pathlib import Path

from migrations.reason_codes import ReasonColumn

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

SENTENCES = json.loads((Path(__file__).parents[1] / "sql" / "reasons_0051.json").read_text("utf-8"))
"""By kind and code. Codes that replace a sentence have the sentence that was stored before."""
HOOKS, PAYMENTS, NETWORK = SENTENCES["hooks"], SENTENCES["payments"], SENTENCES["network"]

COLUMNS = (
    ReasonColumn("received_hooks", "error", HOOKS, by_line=True),
    ReasonColumn("payment_accounts", "check_error", PAYMENTS),
    ReasonColumn("payment_links", "error", PAYMENTS),
    ReasonColumn("refunds", "error", PAYMENTS),
    ReasonColumn("payment_signals", "note", PAYMENTS),
    ReasonColumn("lines", "state_because", NETWORK, has_codes=True),
)


def upgrade() -> None:
    for column in COLUMNS:
        column.to_codes()


def downgrade() -> None:
    for column in COLUMNS:
        column.to_sentences()
