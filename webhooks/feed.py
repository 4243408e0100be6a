"""The feed: a tenant's events in the order of their numbers, for programs that pull them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, text

from core.db import current_tenant_id, db
from webhooks.delivery import fanout
from webhooks.delivery.claim import wire_fields
from webhooks.models import Event, EventFeed

FEED = text("""
SELECT id, body, occurred_at, sequence FROM events
 WHERE tenant_id = :tenant_id AND sequence > :after ORDER BY sequence LIMIT :most
""")
# How many events are scanned for those of test mode, however few there are.
SCAN_LIMIT = 2000
TEST_FEED = text(f"""
SELECT id, body, occurred_at, sequence FROM (
    SELECT id, body, occurred_at, sequence FROM events
     WHERE tenant_id = :tenant_id AND sequence > :after ORDER BY sequence LIMIT :scanned
) AS events WHERE {fanout.IS_TEST} ORDER BY sequence LIMIT :most
""")  # noqa: S608
LAST_SCANNED = text("""
SELECT count(*), max(sequence) FROM (
    SELECT sequence FROM events
     WHERE tenant_id = :tenant_id AND sequence > :after ORDER BY sequence LIMIT :scanned
) AS events
""")


def event_page(after: int, limit: int, *, test: bool) -> dict[str, Any]:
    """A page of the feed as the API returns it; `test`: only events of test mode."""
    if test:
        shown, go_on = test_event_feed(after, limit)
    else:
        found = event_feed(after, limit + 1)
        shown = found[:limit]
        go_on = int(shown[-1]["sequence"]) if len(found) > limit else None
    return {
        "data": shown,
        "next": None if go_on is None else str(go_on),
        "last_sequence": last_sequence(),
    }


def last_sequence() -> int:
    """The number of the tenant's newest event; 0 if there is none."""
    found: int | None = db.session.scalar(
        select(EventFeed.last_sequence).where(EventFeed.tenant_id == current_tenant_id())
    )
    return found or 0


def event_feed(after: int, limit: int) -> list[dict[str, Any]]:
    """Events with a number above `after`, oldest first. Numbers new events first if needed.

    The last read comes after the last numbering: while this reader waited for the feed, another one
    may have numbered events that its first read did not find.
    """
    rows = _feed(after, limit)
    numbered = 1
    while len(rows) < limit and numbered:
        numbered = fanout.number_for_reader()
        rows = _feed(after, limit)
    return [wire_fields(row.id, row.body, row.occurred_at, row.sequence) for row in rows]


def test_event_feed(after: int, limit: int) -> tuple[list[dict[str, Any]], int | None]:
    """The test-mode events among the next ones, and the number to continue from; None: at the
    end.
    """
    fanout.number_all_events()
    params = {"tenant_id": current_tenant_id(), "after": after, "scanned": SCAN_LIMIT}
    rows = db.session.execute(
        TEST_FEED.columns(id=Event.id.type), {**params, "most": limit + 1}
    ).all()
    shown = [wire_fields(row.id, row.body, row.occurred_at, row.sequence) for row in rows[:limit]]
    if len(rows) > limit:
        return shown, int(shown[-1]["sequence"])
    scanned, last = db.session.execute(LAST_SCANNED, params).one()
    return shown, last if scanned == SCAN_LIMIT else None


def _feed(after: int, limit: int) -> Sequence[Any]:
    params = {"tenant_id": current_tenant_id(), "after": after, "most": limit}
    return db.session.execute(FEED.columns(id=Event.id.type), params).all()
