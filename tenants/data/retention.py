"""The tenant's retention settings: for how many days its data is kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.sql.partitions import id_at
from tenants import accounts, audit
from tenants.models import Account

RETENTION_FIELDS = ("message_days", "media_days", "call_days", "hook_days")
MIN_DAYS, MAX_DAYS = {"message_days": 7, "media_days": 1, "call_days": 1, "hook_days": 1}, 3650
BATCH_SIZE = 2_000
DELETE_OLD_REQUESTS = text("""
DELETE FROM api_calls
 WHERE tenant_id = :tenant_id AND id IN (
       SELECT id FROM api_calls WHERE tenant_id = :tenant_id AND id < CAST(:before AS uuid)
        ORDER BY id LIMIT :most)
RETURNING id
""")


@dataclass(frozen=True)
class RetentionDays:
    """None: forever, or as long as the service itself keeps the data."""

    message_days: int | None = None
    media_days: int | None = None
    call_days: int | None = None
    hook_days: int | None = None

    def before(self, kind: str) -> datetime | None:
        days: int | None = getattr(self, kind)
        return now() - timedelta(days=days) if days is not None else None


def get_days() -> RetentionDays:
    own = accounts.account()
    return RetentionDays(**{kind: getattr(own, kind) for kind in RETENTION_FIELDS})


def set_days(days: RetentionDays) -> None:
    """Takes effect the next night. Deleted data cannot be restored. Raises Invalid."""
    own: Account = accounts.account()
    before = audit.snapshot(own)
    for kind in RETENTION_FIELDS:
        value: int | None = getattr(days, kind)
        if value is not None and not MIN_DAYS[kind] <= value <= MAX_DAYS:
            raise invalid(
                kind,
                "invalid_days",
                "Enter {least} to {most} days.",
                least=MIN_DAYS[kind],
                most=MAX_DAYS,
            )
        setattr(own, kind, value)
    name = accounts.get(own.tenant_id).name
    audit.record_change("account.retention_changed", name, before, own)


def delete_old_requests(before: datetime) -> int:
    """Delete old entries of the request log. Returns how many; call again while it returns
    BATCH_SIZE.
    """
    deleted = db.session.execute(
        DELETE_OLD_REQUESTS,
        {"tenant_id": current_tenant_id(), "before": id_at(before), "most": BATCH_SIZE},
    )
    return len(deleted.all())
