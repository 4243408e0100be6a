"""Lists of received hooks for people, and their retention."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, text

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db
from core.errors import NotFound
from core.sql.partitions import id_at
from webhooks.inbound.models import ReceivedHook

HOOK_STATES = ("waiting", "done", "parked")
AT_ONCE = 2_000
# Bodies are cleared soon after they expire; older rows were processed on earlier nights.
LOOK_BACK = timedelta(days=7)

CLEAR_BODIES = text("""
UPDATE received_hooks SET body = ''
 WHERE tenant_id = :tenant_id AND id IN (
       SELECT id FROM received_hooks
        WHERE tenant_id = :tenant_id AND id >= :since AND id < :before AND state = 'done'
          AND body <> ''
        ORDER BY id LIMIT :most)
RETURNING id
""")
DELETE_HOOKS = text("""
DELETE FROM received_hooks
 WHERE tenant_id = :tenant_id AND id IN (
       SELECT id FROM received_hooks
        WHERE tenant_id = :tenant_id AND id < :before AND state <> 'waiting'
        ORDER BY id LIMIT :most)
RETURNING id
""")


@dataclass(frozen=True)
class HookFilters:
    kind: str | None = None
    target: str | None = None
    state: str | None = None


@dataclass(frozen=True)
class HookSummary:
    """A hook without its body, which may be megabytes."""

    id: str
    kind: str
    target: str
    state: str
    tries: int
    due_at: datetime | None
    error: str | None
    received_at: datetime
    size: int


def list_hooks(filters: HookFilters, after: str | None, limit: int) -> list[HookSummary]:
    """Newest first, of all kinds."""
    query = _rows().order_by(ReceivedHook.id.desc()).limit(limit)
    for column, value in (
        (ReceivedHook.kind, filters.kind),
        (ReceivedHook.target, filters.target),
        (ReceivedHook.state, filters.state),
    ):
        if value is not None:
            query = query.where(column == value)
    if after:
        query = query.where(ReceivedHook.id < after)
    return [HookSummary(*row) for row in db.session.execute(query)]


def get(hook_id: str) -> HookSummary:
    row = db.session.execute(_rows().where(ReceivedHook.id == hook_id)).first()
    if row is None:
        raise NotFound()
    return HookSummary(*row)


def body_start(hook_id: str, most: int) -> bytes:
    """The first bytes of its body; empty once the body was cleared."""
    found = db.session.scalar(
        select(func.substring(ReceivedHook.body, 1, most)).where(
            ReceivedHook.tenant_id == current_tenant_id(), ReceivedHook.id == hook_id
        )
    )
    return bytes(found or b"")


# The ids of the hooks that failed, for a count.
PARKED_HOOKS = select(ReceivedHook.id).where(
    ReceivedHook.tenant_id == THIS_TENANT, ReceivedHook.state == "parked"
)


def clear_old_bodies(keep_for: timedelta) -> int:
    """Clear the bodies of processed hooks. Returns how many; call again while it returns
    AT_ONCE.
    """
    before = now() - keep_for
    deleted = db.session.execute(
        CLEAR_BODIES,
        {
            "tenant_id": current_tenant_id(),
            "since": id_at(before - LOOK_BACK),
            "before": id_at(before),
            "most": AT_ONCE,
        },
    )
    return len(deleted.all())


def delete_old_hooks(keep_for: timedelta) -> int:
    """Hooks that still wait are kept, however old. Returns how many; call again while it returns
    AT_ONCE.
    """
    deleted = db.session.execute(
        DELETE_HOOKS,
        {"tenant_id": current_tenant_id(), "before": id_at(now() - keep_for), "most": AT_ONCE},
    )
    return len(deleted.all())


def _rows() -> Any:
    return select(
        ReceivedHook.id,
        ReceivedHook.kind,
        ReceivedHook.target,
        ReceivedHook.state,
        ReceivedHook.tries,
        ReceivedHook.due_at,
        ReceivedHook.error,
        ReceivedHook.received_at,
        func.length(ReceivedHook.body),
    ).where(ReceivedHook.tenant_id == current_tenant_id())
