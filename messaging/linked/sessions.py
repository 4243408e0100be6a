"""What the host writes down about a session. Each is called while its lease is held."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from core import leases
from core.clock import now, rfc3339
from core.db import current_tenant_id, db
from messaging import lines_book
from messaging.linked import KIND, CodeShown, QrShown
from messaging.models import Line, LinkedLine
from messaging.sending import look_again
from tenants.plans import known_facts
from webhooks.publishing import publish

N_ = str  # collected for translation here, translated where it is shown
TIMED_OUT = N_("No phone scanned a code in time. Start again when the phone is at hand.")
CANNOT_SEND = N_("A linked phone cannot send this kind of message; send it by a cloud line.")
LOGGED_OUT = N_("Logged out here.")
PARKED = N_(
    "The session failed again and again and is parked, so that it disturbs nobody."
    " Restart it to try once more."
)


class LeaseLost(Exception):
    """Another host has the session now."""


@dataclass(frozen=True)
class Wish:
    """A line as its host has to know it, read anew for each connection."""

    wanted: str
    name: str
    network: str
    state: str
    code_phone: str
    per_second: Decimal
    sends: bool
    """Switched on, and its account is not suspended."""


def hold(line_id: int, turn: int) -> None:
    if not leases.hold(KIND, current_tenant_id(), line_id, turn):
        raise LeaseLost


def wish(line_id: int) -> Wish | None:
    line, linked = _rows(line_id)
    if line is None or linked is None:
        return None
    return Wish(
        linked.wanted,
        line.name,
        line.network,
        line.state,
        linked.code_phone,
        line.per_second,
        line.enabled and line.removed_at is None and not known_facts().suspended,
    )


def opened(line_id: int, host: str) -> None:
    _, linked = _both(line_id)
    linked.host = host


def shown(line_id: int, event: QrShown | CodeShown) -> None:
    """A code for the page, and for a customer's own page by event."""
    _, linked = _both(line_id)
    linked.qr = event.code if isinstance(event, QrShown) else None
    linked.code = event.code if isinstance(event, CodeShown) else None
    linked.shown_until = event.until
    lines_book.note_trouble(line_id, "pairing", "")
    data = {
        "state": "pairing",
        "qr": linked.qr,
        "code": linked.code,
        "expires_at": rfc3339(event.until),
    }
    publish("instances.qr", {"instance_id": line_id, "data": data})


def paired(line_id: int, phone: str) -> None:
    """Another number than before is a new number: its warm-up begins anew."""
    line, linked = _both(line_id)
    if phone and phone != line.phone:
        line.phone = phone
        linked.paired_at = now()
    linked.paired_at = linked.paired_at or now()
    _no_code(linked)
    if not line.test and lines_book.default_line(test=False) is None:
        lines_book.make_default(line_id)


def connected(line_id: int) -> None:
    _, linked = _both(line_id)
    _no_code(linked)
    linked.seen_at = now()
    if lines_book.note_trouble(line_id, "connected", ""):
        look_again()


def seen(line_id: int) -> None:
    _, linked = _both(line_id)
    linked.seen_at = now()


def down(line_id: int, because: str, gave_up: bool) -> bool:
    """It does not come up. A line that was never linked is not tried for ever: True, it ends."""
    line, _ = _both(line_id)
    if line.state != "pairing":
        lines_book.note_trouble(line_id, "disconnected", because)
        return False
    if gave_up:
        _ended(line_id)
        lines_book.note_trouble(line_id, "unpaired", because)
    return gave_up


def restricted(line_id: int, because: str, until: datetime | None) -> None:
    lines_book.note_trouble(line_id, "restricted", because, until)


def logged_out(line_id: int, because: str) -> None:
    _ended(line_id)
    lines_book.note_trouble(line_id, "logged_out", because)


def cannot_open(line_id: int, because: str) -> None:
    line, _ = _ended(line_id)
    state = "unpaired" if line.state == "pairing" else "disconnected"
    lines_book.note_trouble(line_id, state, because)


def timed_out(line_id: int) -> None:
    _ended(line_id)
    lines_book.note_trouble(line_id, "unpaired", TIMED_OUT)


def parked(line_id: int) -> None:
    """Its device stays: a restart goes on without a new code."""
    line, _ = _ended(line_id)
    lines_book.note_trouble(
        line_id, "unpaired" if line.state == "pairing" else "disconnected", PARKED
    )


def _ended(line_id: int) -> tuple[Line, LinkedLine]:
    line, linked = _both(line_id)
    linked.wanted = "nothing"
    linked.host = ""
    _no_code(linked)
    return line, linked


def _no_code(linked: LinkedLine) -> None:
    linked.qr = linked.code = linked.shown_until = None
    linked.code_phone = ""


def _rows(line_id: int) -> tuple[Line | None, LinkedLine | None]:
    key = (current_tenant_id(), line_id)
    return db.session.get(Line, key), db.session.get(LinkedLine, key)


def _both(line_id: int) -> tuple[Line, LinkedLine]:
    line, linked = _rows(line_id)
    if line is None or linked is None:
        raise LeaseLost
    return line, linked
