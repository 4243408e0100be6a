"""Queue notifications, and claim and settle them for the worker that sends them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from psycopg2.extras import Json
from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.ids import from_uuid, to_uuid
from core.queue import lanes
from core.security.web_push import BrowserKeys
from tenants.push.subscriptions import TOPICS
from tenants.rights import role_may

LANE = "push"
LONGEST_TEXT = 120
AT_ONCE = 50
MOST_TRIES = 5
LEASE = timedelta(minutes=2)
WAITS = (30, 120, 600, 1800)
"""Seconds before each new try."""
EXPIRES = timedelta(hours=12)

QUEUE = text("""
INSERT INTO push_notifications (tenant_id, subscription_id, tag, id, topic, facts, path, tries,
                                due_at, created_at)
SELECT s.tenant_id, s.id, :tag, gen_random_uuid(), :topic, :facts, :path, 0,
       CAST(:now AS timestamptz), CAST(:now AS timestamptz)
  FROM push_subscriptions AS s
 WHERE s.tenant_id = :tenant_id
   AND (s.topics @> ARRAY[CAST(:topic AS text)]
        AND (CAST(:only AS uuid) IS NULL OR s.person_id = CAST(:only AS uuid))
        OR s.person_id = CAST(:assignee AS uuid) AND s.topics @> ARRAY['assigned'])
    ON CONFLICT (tenant_id, subscription_id, tag) DO UPDATE
   SET id = excluded.id, topic = excluded.topic, facts = excluded.facts, path = excluded.path,
       tries = 0, due_at = excluded.due_at, created_at = excluded.created_at
RETURNING subscription_id
""")
QUEUE_TEST = text("""
INSERT INTO push_notifications (tenant_id, subscription_id, tag, id, topic, facts, path, tries,
                                due_at, created_at)
SELECT s.tenant_id, s.id, 'test', gen_random_uuid(), 'test', '{}', '/notifications', 0,
       CAST(:now AS timestamptz), CAST(:now AS timestamptz)
  FROM push_subscriptions AS s
 WHERE s.tenant_id = :tenant_id AND s.person_id = CAST(:person_id AS uuid)
    ON CONFLICT (tenant_id, subscription_id, tag) DO UPDATE
   SET id = excluded.id, tries = 0, due_at = excluded.due_at, created_at = excluded.created_at
RETURNING subscription_id
""")
CLAIM = text("""
UPDATE push_notifications AS n SET due_at = :leased_until, tries = n.tries + 1
  FROM (SELECT subscription_id, tag FROM push_notifications
         WHERE tenant_id = :tenant_id AND due_at <= :now
         ORDER BY due_at LIMIT :most FOR UPDATE SKIP LOCKED) AS due, push_subscriptions AS s
  LEFT JOIN members AS m ON m.tenant_id = :tenant_id AND m.person_id = s.person_id
 WHERE n.tenant_id = :tenant_id AND n.subscription_id = due.subscription_id AND n.tag = due.tag
   AND s.tenant_id = :tenant_id AND s.id = n.subscription_id
RETURNING n.id, n.subscription_id, n.tag, n.topic, n.facts, n.path, n.tries, n.created_at,
          s.person_id, s.endpoint, s.public_key, s.auth_secret, s.shows_text, m.role
""")
# By id: a newer notification about the same thing stays.
DONE = text("""
DELETE FROM push_notifications
 WHERE tenant_id = :tenant_id AND subscription_id = :subscription_id AND tag = :tag AND id = :id
""")
DELIVERED = text("""
UPDATE push_subscriptions SET delivered_at = :now
 WHERE tenant_id = :tenant_id AND id = :subscription_id
""")
RETRY = text("""
UPDATE push_notifications SET due_at = :due_at
 WHERE tenant_id = :tenant_id AND subscription_id = :subscription_id AND tag = :tag AND id = :id
""")
DROP_SUBSCRIPTION = text("""
DELETE FROM push_subscriptions WHERE tenant_id = :tenant_id AND id = :subscription_id
""")
NEXT_DUE = text("SELECT min(due_at) FROM push_notifications WHERE tenant_id = :tenant_id")
DELETE_OLD = text("""
DELETE FROM push_notifications WHERE tenant_id = :tenant_id AND created_at < :before
""")
DROP_TAGS = text("""
DELETE FROM push_notifications WHERE tenant_id = :tenant_id AND tag = ANY(:tags)
""")
MOVE_TAG = text("""
UPDATE push_notifications AS n SET tag = :tag, path = :path
 WHERE n.tenant_id = :tenant_id AND n.tag = :old AND NOT EXISTS (
       SELECT 1 FROM push_notifications AS other
        WHERE other.tenant_id = :tenant_id AND other.subscription_id = n.subscription_id
          AND other.tag = :tag)
""")


@dataclass(frozen=True)
class DueNotification:
    id: str
    subscription_id: str
    tag: str
    topic: str
    facts: dict[str, Any]
    path: str
    tries: int
    created_at: datetime
    person_id: str
    endpoint: str
    keys: BrowserKeys
    shows_text: bool
    role: str | None
    """The member's role now; None: they have left the team."""

    @property
    def allowed(self) -> bool:
        """Whether the member may still see what it is about."""
        if self.role is None:
            return False
        return self.topic not in TOPICS or role_may(self.role, TOPICS[self.topic])

    @property
    def expired(self) -> bool:
        return now() - self.created_at > EXPIRES


def announce_test(person_id: str) -> bool:
    """To all devices of one member. False: there is none."""
    rows = db.session.execute(
        QUEUE_TEST,
        {
            "tenant_id": current_tenant_id(),
            "person_id": str(to_uuid("per", person_id)),
            "now": now(),
        },
    ).all()
    if rows:
        _wake()
    return bool(rows)


def conversation_tag(conversation_id: str) -> str:
    return f"conversation:{conversation_id}"


def conversation_path(conversation_id: str) -> str:
    return f"/inbox/{conversation_id}"


def drop_conversations(conversation_ids: Sequence[str]) -> None:
    """The customer is deleted: what waits may hold the name and words of messages."""
    if conversation_ids:
        tags = [conversation_tag(one) for one in conversation_ids]
        db.session.execute(DROP_TAGS, {"tenant_id": current_tenant_id(), "tags": tags})


def move_conversation(gone_id: str, kept_id: str) -> None:
    """Two conversations become one: what waits is about the kept one."""
    moved = {
        "tenant_id": current_tenant_id(),
        "old": conversation_tag(gone_id),
        "tag": conversation_tag(kept_id),
        "path": conversation_path(kept_id),
    }
    db.session.execute(MOVE_TAG, moved)
    drop_conversations([gone_id])


def _wake() -> None:
    lanes.mark_due(LANE, current_tenant_id())
    notify_workers("jobs.push.drain")


def announce(
    topic: str,
    tag: str,
    path: str,
    facts: dict[str, Any],
    *,
    only: str | None = None,
    assignee: str | None = None,
) -> None:
    """Queue a notification for every browser that subscribes to the topic.

    `only`: one member. `assignee`: the member who also gets it if they chose only what is assigned
    to them.
    """
    rows = db.session.execute(
        QUEUE,
        {
            "tenant_id": current_tenant_id(),
            "topic": topic,
            "tag": tag,
            "path": path,
            "facts": Json(facts),
            "now": now(),
            "only": str(to_uuid("per", only)) if only else None,
            "assignee": str(to_uuid("per", assignee)) if assignee else None,
        },
    ).all()
    if rows:
        _wake()


def claim_due() -> list[DueNotification]:
    """The claim expires, so that another worker repeats what was interrupted."""
    moment = now()
    params = {
        "tenant_id": current_tenant_id(),
        "now": moment,
        "leased_until": moment + LEASE,
        "most": AT_ONCE,
    }
    return [
        DueNotification(
            id=str(row.id),
            subscription_id=from_uuid("psh", row.subscription_id),
            tag=row.tag,
            topic=row.topic,
            facts=row.facts,
            path=row.path,
            tries=row.tries,
            created_at=row.created_at,
            person_id=from_uuid("per", row.person_id),
            endpoint=row.endpoint,
            keys=BrowserKeys(row.public_key, row.auth_secret),
            shows_text=row.shows_text,
            role=row.role,
        )
        for row in db.session.execute(CLAIM, params)
    ]


def record_success(one: DueNotification) -> None:
    db.session.execute(DONE, _where(one))
    db.session.execute(DELIVERED, _where(one) | {"now": now()})


def record_failure(one: DueNotification) -> None:
    """Try again later, or give up."""
    if one.tries >= MOST_TRIES or one.expired:
        db.session.execute(DONE, _where(one))
        return
    wait = WAITS[min(one.tries, len(WAITS)) - 1]
    db.session.execute(RETRY, _where(one) | {"due_at": now() + timedelta(seconds=wait)})


def record_refusal(one: DueNotification) -> None:
    """The push service will never accept this one."""
    db.session.execute(DONE, _where(one))


def record_gone(one: DueNotification) -> None:
    """The browser has unsubscribed, so its subscription and all that waits for it are deleted."""
    db.session.execute(DROP_SUBSCRIPTION, _where(one))


def mark_next_due() -> bool:
    """After the lane was released. True: more are due now, so the caller wakes a worker."""
    due_at = db.session.scalar(NEXT_DUE, {"tenant_id": current_tenant_id()})
    return lanes.mark_next(LANE, current_tenant_id(), due_at)


def delete_old() -> None:
    before = now() - EXPIRES
    db.session.execute(DELETE_OLD, {"tenant_id": current_tenant_id(), "before": before})


def _where(one: DueNotification) -> dict[str, Any]:
    return {
        "tenant_id": current_tenant_id(),
        "subscription_id": str(to_uuid("psh", one.subscription_id)),
        "tag": one.tag,
        "id": one.id,
    }
