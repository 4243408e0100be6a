"""Automatic assignment: queued conversations go to the members who are present, in turn.

The next one is the present member who got a conversation automatically the longest time ago. The
settings row is locked while conversations are assigned, so that parallel workers take turns too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db, read_rows
from core.ids import from_uuid, to_uuid
from core.redis import open_pages
from messaging.inbox import conversation_actions
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.team import settings as team_settings
from messaging.messages.inbound.cases import wake_inbox
from messaging.models import MemberTurn
from tenants import team
from tenants.rights import role_may

AT_ONCE = 50
LOOK_AGAIN = timedelta(seconds=30)
"""While conversations wait and nobody is present."""

QUEUED = text("""
SELECT id, released_from FROM conversations
 WHERE tenant_id = :tenant_id AND queued_at IS NOT NULL
 ORDER BY queued_at, id LIMIT :most FOR UPDATE SKIP LOCKED
""")
TAKE = text("""
UPDATE conversations
   SET assigned_to = CAST(:person_id AS uuid), assigned_at = :now, queued_at = NULL,
       released_from = NULL
 WHERE tenant_id = :tenant_id AND id = :id AND queued_at IS NOT NULL RETURNING id
""")
DROP_FROM_QUEUE = text("""
UPDATE conversations SET queued_at = NULL
 WHERE tenant_id = :tenant_id AND queued_at IS NOT NULL AND closed_at IS NOT NULL
""")
# The assignee has been silent since the customer wrote, or since they got the conversation.
RELEASE_SILENT = text("""
UPDATE conversations
   SET queued_at = :now, released_from = assigned_to, assigned_to = NULL, assigned_at = NULL
 WHERE tenant_id = :tenant_id AND id = ANY (ARRAY(
       SELECT id FROM conversations
        WHERE tenant_id = :tenant_id AND waiting_since IS NOT NULL AND assigned_to IS NOT NULL
          AND waiting_since <= :before AND coalesce(assigned_at, waiting_since) <= :before
          AND closed_at IS NULL AND snoozed_until IS NULL
        ORDER BY waiting_since LIMIT :most FOR UPDATE SKIP LOCKED))
RETURNING id
""")
NEXT_SILENT = text("""
SELECT min(greatest(waiting_since, coalesce(assigned_at, waiting_since))) FROM conversations
 WHERE tenant_id = :tenant_id AND waiting_since IS NOT NULL AND assigned_to IS NOT NULL
   AND closed_at IS NULL AND snoozed_until IS NULL
""")
ANY_QUEUED = text("""
SELECT 1 FROM conversations WHERE tenant_id = :tenant_id AND queued_at IS NOT NULL LIMIT 1
""")


@dataclass(frozen=True)
class TeamMember:
    person_id: str
    name: str
    present: bool
    away: bool
    assigned_at: datetime | None


def members() -> list[TeamMember]:
    """Everybody who may answer, with whether new conversations reach them now."""
    open_now = open_pages.people_present(current_tenant_id())
    turns = {
        row.person_id: row
        for row in db.session.execute(
            select(MemberTurn.person_id, MemberTurn.away, MemberTurn.assigned_at).where(
                MemberTurn.tenant_id == current_tenant_id()
            )
        )
    }
    return [
        TeamMember(
            person_id=one.person_id,
            name=one.name,
            present=one.person_id in open_now,
            away=one.person_id in turns and turns[one.person_id].away,
            assigned_at=turns[one.person_id].assigned_at if one.person_id in turns else None,
        )
        for one in team.members()
        if role_may(one.role, "inbox.reply")
    ]


def is_away(person_id: str) -> bool:
    found = db.session.get(MemberTurn, (current_tenant_id(), person_id))
    return found is not None and found.away


def set_away(person_id: str, away: bool) -> None:
    """A member takes no new conversations while away. Those that they have stay with them."""
    _store_turn(person_id, away=away)
    if not away:
        wake_inbox()


def assign_queued() -> int:
    """Assign what waits in the queue to the members who are present. Returns how many."""
    if team_settings.lock() != "round_robin":
        return 0
    db.session.execute(DROP_FROM_QUEUE, {"tenant_id": current_tenant_id()})
    waiting = read_rows(QUEUED, {"tenant_id": current_tenant_id(), "most": AT_ONCE})
    if not waiting:
        return 0
    turns = sorted(
        (one for one in members() if one.present and not one.away),
        key=lambda one: (one.assigned_at is not None, one.assigned_at, one.person_id),
    )
    done = 0
    for row in waiting:
        released_from = from_uuid("per", row.released_from) if row.released_from else ""
        chosen = next((one for one in turns if one.person_id != released_from), None)
        if chosen is not None and _take(from_uuid("cnv", row.id), chosen):
            turns.remove(chosen)
            turns.append(chosen)
            done += 1
    return done


def _take(conversation_id: str, chosen: TeamMember) -> bool:
    moment = now()
    params: dict[str, Any] = {
        "tenant_id": current_tenant_id(),
        "id": str(to_uuid("cnv", conversation_id)),
        "person_id": str(to_uuid("per", chosen.person_id)),
        "now": moment,
    }
    if db.session.execute(TAKE, params).first() is None:
        return False
    _store_turn(chosen.person_id, assigned_at=moment)
    talk = inbox_conversations.get(conversation_id)
    conversation_actions.announce_assignment(talk, chosen.person_id, chosen.name, automatic=True)
    return True


def release_silent() -> int:
    """Queue conversations again whose assignee did not answer in time. Returns how many."""
    wanted = team_settings.get()
    if wanted.assignment == "off" or not wanted.return_minutes:
        return 0
    moment = now()
    rows: Sequence[Any] = db.session.execute(
        RELEASE_SILENT,
        {
            "tenant_id": current_tenant_id(),
            "now": moment,
            "before": moment - timedelta(minutes=wanted.return_minutes),
            "most": AT_ONCE,
        },
    ).all()
    for row in rows:
        talk = inbox_conversations.get(from_uuid("cnv", row.id))
        conversation_actions.announce_assignment(talk, None, "", automatic=True)
    return len(rows)


def next_due() -> datetime | None:
    """When a worker should look again; None: nothing waits."""
    wanted = team_settings.get()
    if wanted.assignment == "off":
        return None
    where = {"tenant_id": current_tenant_id()}
    times: list[datetime] = []
    if db.session.execute(ANY_QUEUED, where).first() is not None:
        times.append(now() + LOOK_AGAIN)
    if wanted.return_minutes:
        silent_since: datetime | None = db.session.scalar(NEXT_SILENT, where)
        if silent_since is not None:
            times.append(silent_since + timedelta(minutes=wanted.return_minutes))
    return min(times, default=None)


def _store_turn(person_id: str, **values: Any) -> None:
    row = insert(MemberTurn).values(
        tenant_id=current_tenant_id(), person_id=person_id, **{"away": False, **values}
    )
    db.session.execute(
        row.on_conflict_do_update(
            index_elements=[MemberTurn.tenant_id, MemberTurn.person_id], set_=values
        )
    )
