"""Record session changes for a host. Every function is called while the host holds the lease."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from core.clock import now, rfc3339
from core.db import current_tenant_id, db
from core.queue import leases
from messaging import reasons
from messaging.lines import repository as line_repository
from messaging.lines.drivers.linked.client import LINKED_KIND, PairingCodeShown, QrCodeShown
from messaging.lines.send_lane import wake_waiting_messages
from messaging.models import Line, LinkedLine
from tenants.plans.catalog import current_tenant_facts
from webhooks.events import publish_webhook_event


class LeaseLost(Exception):
    """Raised when another host has the session."""


@dataclass(frozen=True)
class RequestedSession:
    """The line's data that a host needs, read again for each connection."""

    wanted: str
    name: str
    network: str
    state: str
    code_phone: str
    per_second: Decimal
    sends: bool
    """The line is enabled and its account is not suspended."""


def check_lease(line_id: int, turn: int) -> None:
    if not leases.lock_held(LINKED_KIND, current_tenant_id(), line_id, turn):
        raise LeaseLost


def read_requested_session(line_id: int) -> RequestedSession | None:
    line, linked = _rows(line_id)
    if line is None or linked is None:
        return None
    return RequestedSession(
        linked.wanted,
        line.name,
        line.network,
        line.state,
        linked.code_phone,
        line.per_second,
        line.enabled and line.removed_at is None and not current_tenant_facts().suspended,
    )


def record_opened(line_id: int, host: str) -> None:
    _, linked = _existing_rows(line_id)
    linked.host = host


def record_code_shown(line_id: int, event: QrCodeShown | PairingCodeShown) -> None:
    """Store a code for the portal page and publish it as an event for the customer's own page."""
    _, linked = _existing_rows(line_id)
    linked.qr = event.code if isinstance(event, QrCodeShown) else None
    linked.code = event.code if isinstance(event, PairingCodeShown) else None
    linked.shown_until = event.until
    line_repository.record_line_state(line_id, "pairing", "")
    data = {
        "state": "pairing",
        "qr": linked.qr,
        "code": linked.code,
        "expires_at": rfc3339(event.until),
    }
    publish_webhook_event("instances.qr", {"instance_id": line_id, "data": data})


def record_paired(line_id: int, phone: str) -> None:
    """Record the linked phone. A different number starts the warm-up again."""
    line, linked = _existing_rows(line_id)
    if phone and phone != line.phone:
        line.phone = phone
        linked.paired_at = now()
    linked.paired_at = linked.paired_at or now()
    _clear_code(linked)
    if not line.test and line_repository.default_line(test=False) is None:
        line_repository.make_default(line_id)


def record_connected(line_id: int) -> None:
    _, linked = _existing_rows(line_id)
    _clear_code(linked)
    linked.seen_at = now()
    if line_repository.record_line_state(line_id, "connected", ""):
        wake_waiting_messages()


def record_seen(line_id: int) -> None:
    _, linked = _existing_rows(line_id)
    linked.seen_at = now()


def record_down(line_id: int, because: str, gave_up: bool) -> bool:
    """Record that the session does not connect.

    Returns True if the session ends: a line that was never linked is not retried forever.
    """
    line, _ = _existing_rows(line_id)
    if line.state != "pairing":
        line_repository.record_line_state(line_id, "disconnected", because)
        return False
    if gave_up:
        _end_session(line_id)
        line_repository.record_line_state(line_id, "unpaired", because)
    return gave_up


def record_restricted(line_id: int, because: str, until: datetime | None) -> None:
    line_repository.record_line_state(line_id, "restricted", because, until)


def record_logged_out(line_id: int, because: str) -> None:
    _end_session(line_id)
    line_repository.record_line_state(line_id, "logged_out", because)


def record_client_unavailable(line_id: int, because: str) -> None:
    line, _ = _end_session(line_id)
    state = "unpaired" if line.state == "pairing" else "disconnected"
    line_repository.record_line_state(line_id, state, because)


def record_pairing_timeout(line_id: int) -> None:
    _end_session(line_id)
    line_repository.record_line_state(line_id, "unpaired", reasons.PAIRING_TIMED_OUT)


def record_parked(line_id: int) -> None:
    """Park the session. Its device stays, so a restart needs no new code."""
    line, _ = _end_session(line_id)
    line_repository.record_line_state(
        line_id, "unpaired" if line.state == "pairing" else "disconnected", reasons.PARKED
    )


def _end_session(line_id: int) -> tuple[Line, LinkedLine]:
    line, linked = _existing_rows(line_id)
    linked.wanted = "nothing"
    linked.host = ""
    _clear_code(linked)
    return line, linked


def _clear_code(linked: LinkedLine) -> None:
    linked.qr = linked.code = linked.shown_until = None
    linked.code_phone = ""


def _rows(line_id: int) -> tuple[Line | None, LinkedLine | None]:
    key = (current_tenant_id(), line_id)
    return db.session.get(Line, key), db.session.get(LinkedLine, key)


def _existing_rows(line_id: int) -> tuple[Line, LinkedLine]:
    line, linked = _rows(line_id)
    if line is None or linked is None:
        raise LeaseLost
    return line, linked
