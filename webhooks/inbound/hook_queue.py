"""The queue of received hooks: claim, mark done, retry, park."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, text, update

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import from_uuid, to_uuid
from core.values.reasons import join_reasons
from webhooks.inbound.models import ReceivedHook

LANE = "hooks"
TRIES = 5
BACK_OFF = (2, 15, 60, 300)  # seconds after the first, second, … try
MOST_REASONS = 10  # a body may have hundreds of parts

CLAIM = text("""
SELECT id, kind, target, body, facts, tries FROM received_hooks
 WHERE tenant_id = :tenant_id AND due_at <= :now
 ORDER BY due_at LIMIT :most FOR UPDATE SKIP LOCKED
""")
CLAIM_ONE = text("""
SELECT id, kind, target, body, facts, tries FROM received_hooks
 WHERE tenant_id = :tenant_id AND id = :id AND due_at <= :now FOR UPDATE SKIP LOCKED
""")
MARK_DONE = text("""
UPDATE received_hooks SET state = 'done', due_at = NULL, error = NULL
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")


@dataclass(frozen=True)
class ClaimedHook:
    id: str
    kind: str
    target: str
    body: bytes
    tries: int
    facts: dict[str, Any] = field(default_factory=dict)


def claim_hooks(most: int = 1) -> list[ClaimedHook]:
    """Due hooks, the oldest first. Their rows stay locked until the transaction ends."""
    params = {"tenant_id": current_tenant_id(), "now": now(), "most": most}
    return [_hook(row) for row in db.session.execute(CLAIM, params)]


def claim_hook(hook: ClaimedHook) -> ClaimedHook | None:
    """Claim one hook. None: another worker has it, or it is done."""
    params = {
        "tenant_id": current_tenant_id(),
        "now": now(),
        "id": str(to_uuid("hook", hook.id)),
    }
    row = db.session.execute(CLAIM_ONE, params).first()
    return _hook(row) if row is not None else None


def _hook(row: Any) -> ClaimedHook:
    named = (from_uuid("hook", row.id), row.kind, row.target)
    return ClaimedHook(*named, bytes(row.body), row.tries, row.facts or {})


def mark_done(hook: ClaimedHook, ignored: Sequence[str] = ()) -> None:
    """`ignored` are the reasons of parts that were not used."""
    _update_hook(hook, "done", None, ignored)


def mark_all_done(them: list[ClaimedHook]) -> None:
    if them:
        db.session.execute(
            MARK_DONE,
            {
                "tenant_id": current_tenant_id(),
                "ids": [str(to_uuid("hook", hook.id)) for hook in them],
            },
        )


def retry_or_park(hook: ClaimedHook, reasons: Sequence[str]) -> str:
    """Retry later; after the last try the hook is parked with its reasons. Returns the state."""
    tries = hook.tries + 1
    if tries >= TRIES:
        _update_hook(hook, "parked", None, reasons)
        return "parked"
    wait = BACK_OFF[min(tries, len(BACK_OFF)) - 1]
    _update_hook(hook, "waiting", now() + timedelta(seconds=wait), reasons)
    return "waiting"


def is_last_try(hook: ClaimedHook) -> bool:
    return hook.tries + 1 >= TRIES


def next_due() -> datetime | None:
    return db.session.scalar(
        select(func.min(ReceivedHook.due_at)).where(
            ReceivedHook.tenant_id == current_tenant_id(), ReceivedHook.due_at.is_not(None)
        )
    )


def list_parked(limit: int = 50) -> list[ReceivedHook]:
    """For the portal: the newest first."""
    return list(
        db.session.scalars(
            select(ReceivedHook)
            .where(ReceivedHook.tenant_id == current_tenant_id(), ReceivedHook.state == "parked")
            .order_by(ReceivedHook.id.desc())
            .limit(limit)
        )
    )


def requeue_parked(hook_id: str) -> bool:
    """Retry a parked hook at a person's request. The caller marks the lane. False if it is not
    parked.
    """
    freed = db.session.execute(
        update(ReceivedHook)
        .where(
            ReceivedHook.tenant_id == current_tenant_id(),
            ReceivedHook.id == hook_id,
            ReceivedHook.state == "parked",
        )
        .values(state="waiting", tries=0, due_at=now(), error=None)
        .returning(ReceivedHook.id)
    )
    return freed.first() is not None


def _update_hook(
    hook: ClaimedHook, state: str, due_at: datetime | None, reasons: Sequence[str]
) -> None:
    db.session.execute(
        update(ReceivedHook)
        .where(ReceivedHook.tenant_id == current_tenant_id(), ReceivedHook.id == hook.id)
        .values(
            state=state,
            tries=hook.tries if state == "done" else hook.tries + 1,
            due_at=due_at,
            error=join_reasons(reasons[:MOST_REASONS]) or None,
        )
    )
