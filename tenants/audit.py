"""The audit log: an entry for every change of rights, keys, money or settings."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import bindparam, inspect, select

from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.logs import current_request_id
from tenants.models import AuditEntry


@dataclass(frozen=True)
class Actor:
    kind: str
    """person, key, partner, operator or system"""
    id: str
    name: str
    address: str = ""


SYSTEM = Actor("system", "system", "Comanda")

MAX_VALUE_LENGTH = 40  # for longer values only the field's name is recorded
NOT_FIELDS = frozenset(
    {
        "changed_at",
        "check_error",
        "checked_at",
        "header_blob_key",
        "link_version",
        "name_key",
        "named_by",
    }
)
SHOWN_FIELDS = frozenset(
    {
        "accept_minutes",
        "active",
        "amount",
        "bills",
        "burst",
        "call_days",
        "chosen_cap_usd",
        "copies",
        "cost",
        "country",
        "currency",
        "delay_minutes",
        "display_only",
        "enabled",
        "fallback_seconds",
        "fee",
        "feedback_minutes",
        "follow_days",
        "free_from",
        "guest_cancel_minutes",
        "hook_days",
        "item_name",
        "keywords",
        "kind",
        "kitchen_late_minutes",
        "kitchen_warn_minutes",
        "link_minutes",
        "locale",
        "media_days",
        "message_days",
        "minimum",
        "monthly_messages",
        "most",
        "number",
        "orders_in_words",
        "paid_until",
        "per_contact",
        "points",
        "prints_ticket_codes",
        "profile",
        "quiet_from",
        "quiet_until",
        "rate_per_second",
        "rest_days",
        "scheduled_at",
        "seats",
        "service_percent",
        "shows_promise",
        "spend_cap_usd",
        "stations",
        "tax_included",
        "time_zone",
        "valid_days",
        "value",
        "width_mm",
    }
)
"""Fields whose old and new values are recorded: neither personal nor secret."""
NAMED = SHOWN_FIELDS | {"name"}
"""For objects whose name is not a person's."""

_actor: ContextVar[Actor] = ContextVar("actor", default=SYSTEM)


def set_actor(actor: Actor) -> None:
    """Called by an entry point once it has identified the caller."""
    _actor.set(actor)


@contextmanager
def acting_as(actor: Actor) -> Iterator[None]:
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


def current_actor() -> Actor:
    return _actor.get()


def record(act: str, subject: str, **detail: object) -> None:
    """Write the entry in the transaction of the change it describes."""
    actor = current_actor()
    db.session.add(
        AuditEntry(
            tenant_id=current_tenant_id(),
            actor_kind=actor.kind,
            actor_id=actor.id,
            actor_name=actor.name,
            address=actor.address,
            act=act,
            subject=subject,
            detail=detail,
            request_id=current_request_id() or "",
        )
    )


def snapshot(row: object) -> dict[str, Any]:
    """The columns of a row before it is changed. A flush would reset SQLAlchemy's own history."""
    columns = inspect(row).mapper.column_attrs
    return {column.key: getattr(row, column.key) for column in columns}


def record_change(
    act: str,
    subject: str,
    before: dict[str, Any],
    after: object,
    *,
    shown: frozenset[str] = SHOWN_FIELDS,
    **detail: object,
) -> None:
    """Record the names of the fields that differ, and the values of those in `shown` if short.

    `after` is the row that `before` is a snapshot of, or a dict with the same keys. Nothing is
    recorded if nothing differs.
    """
    now_there = after if isinstance(after, dict) else snapshot(after)
    fields = sorted(
        name
        for name, value in before.items()
        if now_there.get(name) != value and name not in NOT_FIELDS
    )
    if not fields:
        return
    changes = {
        name: [_short(before[name]), _short(now_there[name])] for name in fields if name in shown
    }
    recorded = {
        name: pair
        for name, pair in changes.items()
        if all(len(one) <= MAX_VALUE_LENGTH for one in pair)
    }
    record(act, subject, **detail, fields=fields, **({"changes": recorded} if recorded else {}))


def _short(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime | date):
        return value.isoformat(timespec="minutes") if isinstance(value, datetime) else str(value)
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


ENTRIES = (
    select(AuditEntry)
    .where(AuditEntry.tenant_id == THIS_TENANT)
    .order_by(AuditEntry.id.desc())
    .limit(bindparam("most"))
    .execution_options(plan_once=True)
)


LATEST = ENTRIES.with_only_columns(
    AuditEntry.at, AuditEntry.actor_name, AuditEntry.act, AuditEntry.subject, AuditEntry.detail
)


def latest_changes(most: int) -> Sequence[Any]:
    """Time, actor, act, subject and detail of the newest entries."""
    return read_rows(LATEST, {"most": most})


def entries(
    *, act: str = "", actor: str = "", after: str | None = None, limit: int = 50
) -> list[AuditEntry]:
    """Newest first. `act` may be a whole act or its first word, such as `keys`."""
    query = ENTRIES
    if act:
        query = query.where(AuditEntry.act.startswith(act, autoescape=True))
    if actor:
        query = query.where(
            AuditEntry.actor_name.icontains(actor.replace("\0", ""), autoescape=True)
        )
    if after:
        query = query.where(AuditEntry.id < after)
    return list(db.session.scalars(query, {"most": limit}))
