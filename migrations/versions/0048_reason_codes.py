"""Reasons are stored as codes with values; the sentence is made where it is shown."""

import json
from pathlib import Path

from migrations.reason_codes import ReasonColumn

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

SENTENCES = json.loads((Path(__file__).parents[1] / "sql" / "reasons_0048.json").read_text("utf-8"))
"""By kind and code, as they were stored before."""
PRINTING, NETWORK = SENTENCES["printing"], SENTENCES["network"]
AUTOMATIONS, WEBHOOKS = SENTENCES["automations"], SENTENCES["webhooks"]
ORDERS, PAID = SENTENCES["orders"], frozenset({"paid"})
# Published as they are, and in too many rows to be rewritten (messaging/messages/causes.py).
TIMELINE = frozenset(
    {
        "accepted",
        "accepted by the network",
        "the network's receipt",
        "not sent in time",
        "the worker stopped while sending",
        "cancelled",
    }
)

COLUMNS = (
    ReasonColumn("printers", "detail", PRINTING),
    ReasonColumn("print_jobs", "detail", PRINTING),
    ReasonColumn("lines", "state_because", NETWORK),
    ReasonColumn("lines", "templates_error", NETWORK),
    ReasonColumn("messages", "error_text", NETWORK),
    ReasonColumn("message_changes", "cause", NETWORK, keep=TIMELINE),
    ReasonColumn("media_files", "error", NETWORK),
    ReasonColumn("orders", "staff_note", ORDERS, whole=PAID, by_line=True),
    ReasonColumn("order_changes", "because", ORDERS, whole=PAID, by_line=True),
    ReasonColumn("refunds", "reason", ORDERS, whole=PAID),
    ReasonColumn("automation_runs", "because", AUTOMATIONS, joint=" · "),
    ReasonColumn("store_events", "no_phone", AUTOMATIONS, joint=" · "),
    ReasonColumn("deliveries", "error", WEBHOOKS),
    ReasonColumn("delivery_attempts", "error", WEBHOOKS),
)


def upgrade() -> None:
    for column in COLUMNS:
        column.to_codes()


def downgrade() -> None:
    for column in COLUMNS:
        column.to_sentences()
