"""Read messages whose read receipt has not been sent to the network."""

from dataclasses import dataclass

from sqlalchemy import text

from core.db import current_tenant_id, db
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.registry import DRIVERS

CLAIM_READ_MESSAGES = text("""
UPDATE conversations SET tell_read = NULL
  FROM (SELECT id, tell_read FROM conversations
         WHERE tenant_id = :tenant_id AND tell_read IS NOT NULL
         ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED) AS waiting
 WHERE conversations.tenant_id = :tenant_id AND conversations.id = waiting.id
RETURNING conversations.line_id, waiting.tell_read AS network_id
""")


@dataclass(frozen=True)
class ReadMessage:
    facts: LineFacts
    network: str
    network_id: str


def claim_read_messages(limit: int = 100) -> list[ReadMessage]:
    """Claim read messages of cloud lines.

    They are removed before the receipt is sent: a receipt may be lost, but is never sent twice.
    """
    rows = db.session.execute(
        CLAIM_READ_MESSAGES, {"tenant_id": current_tenant_id(), "limit": limit}
    ).all()
    lines = {line.id: line for line in line_repository.list_lines()}
    return [
        ReadMessage(line_repository.line_facts(line), line.network, row.network_id)
        for row in rows
        if (line := lines.get(row.line_id)) is not None
        and DRIVERS[line.kind].has_read_receipts
        and line.enabled
    ]
