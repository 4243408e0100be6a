"""A tenant's lines: add, change, find and remove them, and record their state."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import bindparam, or_, select, update

from core.clock import now
from core.db import (
    THIS_TENANT,
    current_tenant_id,
    db,
    invalidate_tenant_cache,
    notify_workers,
    read_rows,
)
from core.errors import Forbidden, Invalid, NotFound, invalid
from core.ids import new_token
from core.lookups import add_lookup as make_findable
from core.queue import lanes
from core.values.phone import BadPhone, check_phone
from messaging.lines.drivers.base import LineFacts
from messaging.models import Line
from messaging.reasons import NETWORK_REASONS
from tenants import audit
from tenants.people import clean_name
from tenants.plans import limits as plan_limits
from webhooks.events import publish_webhook_event

CLOUD_PER_SECOND = Decimal(80)
SENDING_STATES = frozenset({"connected"})
LOWEST_ID, HIGHEST_ID = 100_000, 2_000_000_000
# The webhook event for each line state. Pairing has its own event with the QR code.
STATE_EVENTS = {
    "connected": "instances.connected",
    "disconnected": "instances.disconnected",
    "logged_out": "instances.disconnected",
    "restricted": "instances.restricted",
    "quality_low": "instances.restricted",
    "unpaired": "",
    "pairing": "",
}


@dataclass(frozen=True)
class LineLabel:
    """A line's label for old messages. A `removed` line has no page; a `held` one sends later."""

    id: int
    name: str
    kind: str
    removed: bool
    test: bool
    held: bool


@dataclass(frozen=True)
class LineRoute:
    """A line as entry points cache it; a change of the line invalidates the cache."""

    id: int
    kind: str
    test: bool
    enabled: bool
    default: bool
    sends_now: bool = True
    """False if the line is down and has no backup line; its messages are accepted and wait."""
    per_second: float = float(CLOUD_PER_SECOND)


def add_cloud_line(
    name: str,
    phone: str,
    phone_number_id: str,
    token: str,
    app_secret: str,
    *,
    account_id: str = "",
    network: str = "whatsapp",
    test: bool = False,
    default: bool = False,
    unreached: str = "",
) -> Line:
    """Add a number of the cloud API.

    The first live one that the network confirms becomes the default. `unreached` is why the network
    could not be asked about the number. Such a line is disconnected until a check succeeds, and it
    does not become the default.
    """
    if not test:
        check_plan_allows_line()
    first = not test and not unreached and default_line(test=False) is None
    line = Line(
        tenant_id=current_tenant_id(),
        id=new_line_id(),
        kind="cloud",
        network=network,
        test=test,
        name=clean_name(name),
        phone=_own_phone(phone),
        state="disconnected" if unreached else "connected",
        state_because=unreached,
        phone_number_id=phone_number_id,
        account_id=account_id or None,
        token=token,
        app_secret=app_secret,
        verify_token=new_token(),
        hook_token=new_token(),
        per_second=CLOUD_PER_SECOND,
        is_default=first or (default and not test and not unreached),
    )
    if line.is_default:
        _no_default()
    db.session.add(line)
    db.session.flush()
    lanes.mark_due("templates", line.tenant_id)
    notify_workers("jobs.lines.template_sync.drain")
    make_findable("cloud_hook", str(line.hook_token), str(line.id))
    audit.record("lines.added", line.name, kind="cloud", instance_id=line.id)
    return line


def check_plan_allows_line() -> None:
    """Check the plan's limit for live lines. Raises PaymentRequired if it is reached."""
    plan_limits.check_limit("lines", sum(not line.test for line in list_lines()))


def new_line_id() -> int:
    return LOWEST_ID + secrets.randbelow(HIGHEST_ID - LOWEST_ID)


def get(line_id: int) -> Line:
    line = db.session.get(Line, (current_tenant_id(), line_id))
    if line is None or line.removed_at is not None:
        raise NotFound()
    return line


LINES = (
    select(Line)
    .where(Line.tenant_id == THIS_TENANT, Line.removed_at.is_(None))
    .order_by(Line.test, Line.is_default.desc(), Line.created_at)
    .execution_options(plan_once=True)
)
DEFAULT_LINE = LINES.where(Line.test == bindparam("test"), or_(Line.test, Line.is_default)).limit(1)
LINE_LABELS = (
    select(
        Line.id,
        Line.name,
        Line.kind,
        Line.removed_at.is_not(None),
        Line.test,
        or_(Line.enabled.is_(False), Line.state.not_in(SENDING_STATES)),
    )
    .where(Line.tenant_id == THIS_TENANT)
    .order_by(Line.removed_at.is_not(None), Line.test, Line.name)
)


def list_lines() -> list[Line]:
    return list(db.session.scalars(LINES))


def line_labels() -> list[LineLabel]:
    """Return the labels of all lines, also removed ones; secrets are not decrypted."""
    return [LineLabel(*row) for row in read_rows(LINE_LABELS)]


def default_line(*, test: bool) -> Line | None:
    return db.session.scalars(DEFAULT_LINE, {"test": test}).first()


def make_default(line_id: int) -> Line:
    line = get(line_id)
    if line.test:
        raise Invalid("test_line", "The test line cannot be the default for live messages.")
    was = default_line(test=False)
    if was is not None and was.id == line.id:
        return line
    _no_default()
    line.is_default = True
    before = was.name if was else ""
    audit.record("lines.default_changed", line.name, was=before, now=line.name, instance_id=line.id)
    return line


def rename(line_id: int, name: str) -> Line:
    line = get(line_id)
    line.name = clean_name(name)
    return line


def set_pace(line_id: int, per_second: Decimal) -> Line:
    line = get(line_id)
    if line.per_second != per_second:
        audit.record("lines.pace_changed", line.name, was=str(line.per_second), now=str(per_second))
        line.per_second = per_second
    return line


def set_account(line_id: int, account_id: str) -> Line:
    """Set the business account of the number and sync the templates of that account."""
    line = get(line_id)
    if (line.account_id or "") != account_id:
        audit.record(
            "lines.account_changed",
            line.name,
            was=line.account_id or "",
            now=account_id,
            instance_id=line.id,
        )
        line.account_id, line.templates_at, line.templates_error = account_id or None, None, ""
        lanes.mark_due("templates", line.tenant_id)
        notify_workers("jobs.lines.template_sync.drain")
    return line


def replace_credentials(line_id: int, token: str, app_secret: str = "") -> Line:
    """Replace the token, and the app secret if one is given."""
    line = get(line_id)
    line.token = token
    if app_secret:
        line.app_secret = app_secret
    audit.record("lines.access_renewed", line.name, instance_id=line.id)
    return line


def set_enabled(line_id: int, enabled: bool) -> Line:
    line = get(line_id)
    if line.enabled != enabled:
        line.enabled = enabled
        audit.record("lines.enabled" if enabled else "lines.disabled", line.name)
    return line


def resume(line_id: int) -> bool:
    """Resume a line paused for low quality until the next warning. False if it was not paused."""
    line = get(line_id)
    if line.state != "quality_low" or not record_line_state(line_id, "connected", ""):
        return False
    audit.record("lines.resumed", line.name)
    return True


def set_fallback(line_id: int, other_id: int | None, field: str = "fallback") -> Line:
    """Set the line that takes over while this one is down; None lets its messages wait."""
    line, other = get(line_id), None
    if other_id is not None:
        other = db.session.get(Line, (current_tenant_id(), other_id))
        if other is None or other.removed_at is not None:
            raise invalid(field, "unknown_instance", "No line has this number.")
        if other.id == line.id:
            raise invalid(field, "same_line", "A line cannot be its own backup.")
        if other.test != line.test:
            raise invalid(field, "test_line", "The test line reaches simulated phones only.")
    if line.fallback_line_id != other_id:
        was = line.fallback_line_id and db.session.get(
            Line, (current_tenant_id(), line.fallback_line_id)
        )
        line.fallback_line_id = other_id
        audit.record(
            "lines.fallback_changed",
            line.name,
            was=was.name if was else "",
            now=other.name if other else "",
        )
    return line


def list_routes() -> tuple[LineRoute, ...]:
    """Return the lines that can be sent from, the oldest first."""
    rows = db.session.execute(
        select(
            Line.id,
            Line.kind,
            Line.test,
            Line.enabled,
            Line.is_default,
            Line.state.in_(SENDING_STATES) | Line.fallback_line_id.is_not(None),
            Line.per_second,
        )
        .where(Line.tenant_id == current_tenant_id(), Line.removed_at.is_(None))
        .order_by(Line.created_at, Line.id)
    )
    return tuple(LineRoute(*row[:-1], float(row.per_second)) for row in rows)


def route_for(line_id: int | None, *, test: bool, allowed: frozenset[int] | None) -> LineRoute:
    """Return the line for a message: the requested one, else the default."""
    return choose_route(list_routes(), line_id, test=test, allowed=allowed)


def choose_route(
    known: tuple[LineRoute, ...], line_id: int | None, *, test: bool, allowed: frozenset[int] | None
) -> LineRoute:
    """Choose the line. A test key may name any line, but its messages use the test line."""
    line: LineRoute | None
    if line_id is not None and not any(
        one.id == line_id and (test or not one.test) for one in known
    ):
        raise invalid("instance_id", "unknown_instance", "No line has this instance_id.")
    if test:
        line = next((one for one in known if one.test), None)
    elif line_id is None:
        line = next((one for one in known if one.default and not one.test), None)
    else:
        line = next(one for one in known if one.id == line_id)
    if line is None:
        raise invalid(
            "instance_id",
            "no_instance",
            "There is no line to send from yet. Add one under Lines in the portal, "
            "or use a test key to try out sending.",
        )
    if allowed is not None and not test and line.id not in allowed:
        raise Forbidden(
            "line_not_allowed", "This key does not have access to the line {line}.", line=line.id
        )
    if not line.enabled:
        raise invalid("instance_id", "line_disabled", "This line is turned off.")
    return line


def line_facts(line: Line) -> LineFacts:
    return LineFacts(
        tenant_id=line.tenant_id,
        id=line.id,
        kind=line.kind,
        phone_number_id=line.phone_number_id or "",
        token=line.token or "",
        app_secret=line.app_secret or "",
    )


def _default_if_none(line_id: int) -> None:
    """Make the line the default if there is none. It may have been added before it worked."""
    line = get(line_id)
    if not line.test and default_line(test=False) is None:
        make_default(line_id)


def record_line_state(
    line_id: int, state: str, because: str, until: datetime | None = None
) -> bool:
    """Store a new state, and publish its event and alert once. Returns True if it is new."""
    changed = db.session.execute(
        update(Line)
        .where(Line.tenant_id == current_tenant_id(), Line.id == line_id, Line.state != state)
        .values(state=state, state_because=because, state_at=now(), paused_until=until)
        .returning(Line.id, Line.test)
    ).first()
    if changed is not None and state == "connected":
        _default_if_none(line_id)
    if changed is not None:
        invalidate_tenant_cache()
    if changed is not None and (kind := STATE_EVENTS.get(state, "instances.disconnected")):
        data: dict[str, Any] = {"state": state, "because": NETWORK_REASONS.english(because)}
        data |= {"test": True} if changed.test else {}
        publish_webhook_event(kind, {"instance_id": line_id, "data": data})
        lanes.mark_due("troubles", current_tenant_id())
        notify_workers("jobs.lines.alerts.send_alerts")
    return changed is not None


def _no_default() -> None:
    db.session.execute(
        update(Line)
        .where(Line.tenant_id == current_tenant_id(), Line.is_default)
        .values(is_default=False)
    )


def _own_phone(phone: str) -> str:
    try:
        return check_phone(phone)
    except BadPhone as error:
        raise invalid("phone", error.code, "{fault}", fault=str(error)) from None
