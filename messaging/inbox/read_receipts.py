"""Read messages whose read receipt has not been sent to the network.

A worker sends the receipts of cloud lines. The host of a linked line sends its own.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.registry import DRIVERS

TYPING_SHOWN = timedelta(seconds=20)
"""Later than this, the customer is not shown any more that somebody types."""

CLAIM_READ_MESSAGES = text("""
UPDATE conversations SET tell_read = NULL
  FROM (SELECT id, tell_read, typing_at FROM conversations
         WHERE tenant_id = :tenant_id AND tell_read IS NOT NULL AND line_id = ANY(:line_ids)
         ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED) AS waiting
 WHERE conversations.tenant_id = :tenant_id AND conversations.id = waiting.id
RETURNING conversations.line_id, waiting.tell_read AS network_id,
          coalesce(waiting.typing_at > :typing_since, false) AS typing,
          (SELECT messages.phone FROM network_ids
             JOIN messages ON messages.tenant_id = network_ids.tenant_id
                          AND messages.id = network_ids.message_id
            WHERE network_ids.tenant_id = :tenant_id AND messages.tenant_id = :tenant_id
              AND network_ids.network_id = waiting.tell_read) AS phone
""")


@dataclass(frozen=True)
class ReadMessage:
    facts: LineFacts
    network: str
    network_id: str
    typing: bool = False
    """Also show that somebody types."""


@dataclass(frozen=True)
class LinkedReadMessage:
    phone: str
    """Or the network's own id of the sender."""
    network_id: str
    typing: bool


def wake_senders() -> None:
    notify_workers("jobs.lines.read_receipts.send_read_receipts", current_tenant_id())


def claim_read_messages(limit: int = 100) -> list[ReadMessage]:
    """Claim read messages of the lines whose receipts a worker sends.

    They are removed before the receipt is sent: a receipt may be lost, but is never sent twice.
    """
    lines = {
        line.id: line
        for line in line_repository.list_lines()
        if DRIVERS[line.kind].has_read_receipts
        and not DRIVERS[line.kind].has_sessions
        and line.enabled
    }
    return [
        ReadMessage(
            line_repository.line_facts(lines[row.line_id]),
            lines[row.line_id].network,
            row.network_id,
            row.typing,
        )
        for row in _claim(list(lines), limit)
    ]


def claim_linked_read_messages(line_id: int, limit: int = 20) -> list[LinkedReadMessage]:
    """Claim the read messages of one linked line, for its host."""
    return [
        LinkedReadMessage(row.phone, row.network_id, row.typing)
        for row in _claim([line_id], limit)
        if row.phone
    ]


def has_linked_read_messages() -> bool:
    """Whether a host has receipts to send."""
    lines = [line.id for line in line_repository.list_lines() if DRIVERS[line.kind].has_sessions]
    found = db.session.execute(
        text(
            "SELECT 1 FROM conversations WHERE tenant_id = :tenant_id"
            " AND tell_read IS NOT NULL AND line_id = ANY(:line_ids) LIMIT 1"
        ),
        {"tenant_id": current_tenant_id(), "line_ids": lines},
    )
    return found.first() is not None


def _claim(line_ids: list[int], limit: int) -> list[Any]:
    return list(
        db.session.execute(
            CLAIM_READ_MESSAGES,
            {
                "tenant_id": current_tenant_id(),
                "line_ids": line_ids,
                "limit": limit,
                "typing_since": now() - TYPING_SHOWN,
            },
        )
    )
