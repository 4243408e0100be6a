"""What people ask of a linked line: add it, link a phone, start it again, log it out."""

from core import leases
from core.clock import now
from core.db import current_tenant_id, db, ring
from core.errors import Conflict, Invalid, NotFound, invalid
from core.phone import BadPhone, check_phone
from messaging import lines_book
from messaging.linked import KIND
from messaging.linked.pace import PER_SECOND
from messaging.models import Line, LinkedLine
from tenants import audit
from tenants.people import clean_name

MOST_LINES = 50  # of one tenant: each is a connection that somebody has to hold


def add_line(name: str, *, network: str = "whatsapp") -> Line:
    """Not linked yet, and not the default before it is."""
    if sum(line.kind == KIND for line in lines_book.listed()) >= MOST_LINES:
        raise Invalid(
            "too_many_lines", "An account has at most {count} linked phones.", count=MOST_LINES
        )
    lines_book.check_room()
    line = Line(
        tenant_id=current_tenant_id(),
        id=lines_book.new_line_id(),
        kind=KIND,
        network=network,
        name=clean_name(name),
        state="unpaired",
        per_second=PER_SECOND,
    )
    db.session.add(line)
    db.session.flush()
    db.session.add(LinkedLine(tenant_id=line.tenant_id, line_id=line.id))
    db.session.flush()
    audit.record("lines.added", line.name, kind=KIND, instance_id=line.id)
    return line


def find(line_id: int) -> tuple[Line, LinkedLine]:
    """A line that is linked, or can be."""
    line = lines_book.get(line_id)
    linked = db.session.get(LinkedLine, (current_tenant_id(), line_id))
    if linked is None:
        raise Conflict("not_linked", "Only a linked phone has this; this line is another kind.")
    return line, linked


def known(line_id: int) -> LinkedLine | None:
    return db.session.get(LinkedLine, (current_tenant_id(), line_id))


def start(line_id: int, phone: str = "") -> tuple[Line, LinkedLine]:
    """Show QR codes until a phone scans one; with a phone, a code to type into it instead."""
    line, linked = find(line_id)
    if line.state == "connected":
        raise Conflict("already_connected", "This line is connected. Log it out to link anew.")
    linked.code_phone = _phone(phone) if phone else ""
    linked.qr = linked.code = linked.shown_until = None
    _ask(line, linked, "session")
    if line.state in ("unpaired", "logged_out"):
        lines_book.note_trouble(line_id, "pairing", "")
    audit.record("lines.pairing_started", line.name, instance_id=line_id)
    db.session.refresh(line)
    return line, linked


def restart(line_id: int) -> tuple[Line, LinkedLine]:
    """Connect anew, as the device it is; a line without one gets new codes."""
    line, linked = find(line_id)
    if line.state in ("unpaired", "logged_out", "pairing"):
        return start(line_id)
    _ask(line, linked, "session")
    audit.record("lines.restarted", line.name, instance_id=line_id)
    return line, linked


def log_out(line_id: int) -> tuple[Line, LinkedLine]:
    """The device disappears from the phone; messages that wait, wait for the next link."""
    line, linked = find(line_id)
    if line.state in ("unpaired", "logged_out"):
        raise Conflict("not_paired", "No phone is linked to this line.")
    linked.qr = linked.code = linked.shown_until = None
    _ask(line, linked, "logout")
    audit.record("lines.logged_out", line.name, instance_id=line_id)
    return line, linked


def let_go(line_id: int) -> None:
    """The line is being removed: its session ends too."""
    linked = known(line_id)
    if linked is None:
        raise NotFound()
    linked.wanted = "logout"
    leases.want(KIND, current_tenant_id(), line_id)
    ring("jobs.linked.wake", current_tenant_id())


def _ask(line: Line, linked: LinkedLine, wanted: str) -> None:
    linked.wanted = wanted
    db.session.flush()
    leases.want(KIND, line.tenant_id, line.id)
    ring("jobs.linked.wake", line.tenant_id)


def _phone(phone: str) -> str:
    try:
        return check_phone(phone)
    except BadPhone as error:
        raise invalid("phone", error.code, "{fault}", fault=str(error)) from None


def is_shown(linked: LinkedLine) -> bool:
    """A code on the page that can still be used."""
    return linked.shown_until is not None and linked.shown_until > now()
