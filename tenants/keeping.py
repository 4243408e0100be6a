"""How many days a tenant wants its things kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.partitions import id_at
from tenants import accounts, audit
from tenants.models import Account

KINDS = ("message_days", "media_days", "call_days", "hook_days")
LEAST, MOST = {"message_days": 7, "media_days": 1, "call_days": 1, "hook_days": 1}, 3650
AT_ONCE = 2_000
DROP_CALLS = text("""
DELETE FROM api_calls
 WHERE tenant_id = :tenant_id AND id IN (
       SELECT id FROM api_calls WHERE tenant_id = :tenant_id AND id < CAST(:before AS uuid)
        ORDER BY id LIMIT :most)
RETURNING id
""")


@dataclass(frozen=True)
class Days:
    """None: for good, or as long as the service itself keeps it."""

    message_days: int | None = None
    media_days: int | None = None
    call_days: int | None = None
    hook_days: int | None = None

    def before(self, kind: str) -> datetime | None:
        days: int | None = getattr(self, kind)
        return now() - timedelta(days=days) if days is not None else None


def chosen() -> Days:
    own = accounts.account()
    return Days(**{kind: getattr(own, kind) for kind in KINDS})


def choose(days: Days) -> None:
    """The next night does it; what is gone then does not come back."""
    own: Account = accounts.account()
    before = audit.snapshot(own)
    for kind in KINDS:
        value: int | None = getattr(days, kind)
        if value is not None and not LEAST[kind] <= value <= MOST:
            raise invalid(
                kind, "invalid_days", "From {least} to {most} days.", least=LEAST[kind], most=MOST
            )
        setattr(own, kind, value)
    name = accounts.get(own.tenant_id).name
    audit.record_change("account.retention_changed", name, before, own)


def drop_calls(before: datetime) -> int:
    """Of the request log. Says how many; call again until few."""
    gone = db.session.execute(
        DROP_CALLS,
        {"tenant_id": current_tenant_id(), "before": id_at(before), "most": AT_ONCE},
    )
    return len(gone.all())
