"""Which ads and posts brought customers into conversations."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, read_rows
from core.ids import from_uuid
from core.sql.partitions import id_at
from messaging.messages.queries import MAX_RECEIPT_DELAY

MOST_ARRIVALS = 10_000

# The condition of `messages_referral_idx`. Ids are of the time at which a message reached us.
SELECT_ARRIVALS = text("""
SELECT content -> 'referral' AS referral, line_id, contact_id, created_at
  FROM messages
 WHERE tenant_id = :tenant_id AND direction = 'in' AND jsonb_exists(content, 'referral')
   AND id >= CAST(:first_id AS uuid) AND id < CAST(:last_id AS uuid)
   AND created_at >= :since AND created_at < :until AND NOT test
   AND (CAST(:line_ids AS integer[]) IS NULL OR line_id = ANY(CAST(:line_ids AS integer[])))
 ORDER BY id DESC LIMIT :most
""")


@dataclass(frozen=True)
class Arrival:
    """A customer who wrote from an ad."""

    contact_id: str
    at: datetime


@dataclass(frozen=True)
class AdTotal:
    source_id: str
    source_type: str
    source_url: str
    headline: str
    conversations: int
    arrivals: tuple[Arrival, ...]
    """The first message of each conversation."""


def arrivals_by_ad(
    since: datetime, until: datetime, line_ids: Collection[int] | None = None
) -> list[AdTotal]:
    """Return the ads of a period, the one with the most conversations first.

    `line_ids` limits them to conversations of these lines.
    """
    rows = read_rows(
        SELECT_ARRIVALS,
        {
            "tenant_id": current_tenant_id(),
            "since": since,
            "until": until,
            "first_id": id_at(since),
            "last_id": id_at(min(until, now()) + MAX_RECEIPT_DELAY),
            "most": MOST_ARRIVALS,
            "line_ids": None if line_ids is None else sorted(line_ids),
        },
    )
    ads: dict[str, list[Any]] = {}
    for row in rows:
        ads.setdefault(_name(row.referral), []).append(row)
    totals = [_total(found) for found in ads.values()]
    return sorted(totals, key=lambda one: (-one.conversations, one.headline, one.source_id))


def _name(referral: dict[str, str]) -> str:
    return referral.get("source_id") or referral.get("source_url") or referral.get("headline", "")


def _total(rows: Sequence[Any]) -> AdTotal:
    """`rows` are of one ad, the newest first. An ad has the texts of its newest arrival."""
    first: dict[tuple[int, Any], Any] = {}
    for row in rows:
        first[row.line_id, row.contact_id] = row
    newest = rows[0].referral
    return AdTotal(
        source_id=newest.get("source_id", ""),
        source_type=newest.get("source_type", ""),
        source_url=newest.get("source_url", ""),
        headline=newest.get("headline", ""),
        conversations=len(first),
        arrivals=tuple(
            Arrival(from_uuid("con", row.contact_id), row.created_at)
            for row in first.values()
            if row.contact_id
        ),
    )
