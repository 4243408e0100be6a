"""Actions on a linked line: add it, link a phone, restart it, log it out."""

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.errors import Conflict, Invalid, NotFound, invalid
from core.queue import leases
from core.values.phone import BadPhone, check_phone
from messaging.lines import repository as line_repository
from messaging.lines.drivers.linked.client import LINKED_KIND
from messaging.lines.drivers.linked.pacing import PER_SECOND
from messaging.models import Line, LinkedLine
from tenants import audit
from tenants.people import clean_name

MOST_LINES = 50  # per tenant: each needs a connection that a host has to hold


def add_linked_line(name: str, *, network: str = "whatsapp") -> Line:
    """Add a line that is not linked yet. It cannot become the default before it is linked."""
    if sum(line.kind == LINKED_KIND for line in line_repository.list_lines()) >= MOST_LINES:
        raise Invalid(
            "too_many_lines", "An account can have at most {count} linked phones.", count=MOST_LINES
        )
    line_repository.check_plan_allows_line()
    line = Line(
        tenant_id=current_tenant_id(),
        id=line_repository.new_line_id(),
        kind=LINKED_KIND,
        network=network,
        name=clean_name(name),
        state="unpaired",
        per_second=PER_SECOND,
    )
    db.session.add(line)
    db.session.flush()
    db.session.add(LinkedLine(tenant_id=line.tenant_id, line_id=line.id))
    db.session.flush()
    audit.record("lines.added", line.name, kind=LINKED_KIND, instance_id=line.id)
    return line


def get_linked_line(line_id: int) -> tuple[Line, LinkedLine]:
    """Return the line and its linked row. Raises Conflict for another kind of line."""
    line = line_repository.get(line_id)
    linked = db.session.get(LinkedLine, (current_tenant_id(), line_id))
    if linked is None:
        raise Conflict(
            "not_linked", "This is only available for linked phones. This line is a different type."
        )
    return line, linked


def find_linked_line(line_id: int) -> LinkedLine | None:
    return db.session.get(LinkedLine, (current_tenant_id(), line_id))


def start(line_id: int, phone: str = "") -> tuple[Line, LinkedLine]:
    """Show QR codes until a phone scans one. With `phone`, show a code to type into it instead."""
    line, linked = get_linked_line(line_id)
    if line.state == "connected":
        raise Conflict(
            "already_connected",
            "This line is already connected. Unlink the phone before you link it again.",
        )
    linked.code_phone = _phone(phone) if phone else ""
    linked.qr = linked.code = linked.shown_until = None
    _request_session(line, linked, "session")
    if line.state in ("unpaired", "logged_out"):
        line_repository.record_line_state(line_id, "pairing", "")
    audit.record("lines.pairing_started", line.name, instance_id=line_id)
    db.session.refresh(line)
    return line, linked


def restart(line_id: int) -> tuple[Line, LinkedLine]:
    """Reconnect with the stored device. A line without one gets new codes."""
    line, linked = get_linked_line(line_id)
    if line.state in ("unpaired", "logged_out", "pairing"):
        return start(line_id)
    _request_session(line, linked, "session")
    audit.record("lines.restarted", line.name, instance_id=line_id)
    return line, linked


def log_out(line_id: int) -> tuple[Line, LinkedLine]:
    """Unlink the device from the phone. Waiting messages wait until a phone is linked again."""
    line, linked = get_linked_line(line_id)
    if line.state in ("unpaired", "logged_out"):
        raise Conflict("not_paired", "No phone is linked to this line.")
    linked.qr = linked.code = linked.shown_until = None
    _request_session(line, linked, "logout")
    audit.record("lines.logged_out", line.name, instance_id=line_id)
    return line, linked


def end_session(line_id: int) -> None:
    """End the session of a line that is being removed."""
    linked = find_linked_line(line_id)
    if linked is None:
        raise NotFound()
    linked.wanted = "logout"
    leases.request(LINKED_KIND, current_tenant_id(), line_id)
    notify_workers("jobs.linked.wakeup.wake_hosts", current_tenant_id())


def _request_session(line: Line, linked: LinkedLine, mode: str) -> None:
    linked.wanted = mode
    db.session.flush()
    leases.request(LINKED_KIND, line.tenant_id, line.id)
    notify_workers("jobs.linked.wakeup.wake_hosts", line.tenant_id)


def _phone(phone: str) -> str:
    try:
        return check_phone(phone)
    except BadPhone as error:
        raise invalid("phone", error.code, "{fault}", fault=str(error)) from None


def has_valid_code(linked: LinkedLine) -> bool:
    """Return whether the page shows a code that is still valid."""
    return linked.shown_until is not None and linked.shown_until > now()
