"""A site's printers: add, change and find them, and record their state."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import bindparam, select

from core import live_updates, lookups
from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import Invalid, NotFound, invalid
from core.ids import new_token
from core.values.text import one_line
from printing import choices as printing_choices
from printing.connections.registry import CONNECTIONS
from printing.models import PrintAgent, Printer
from printing.rendering.encoders.registry import LANGUAGES
from printing.rendering.profiles import PROFILES
from printing.rendering.render import PrintFormat
from tenants import audit

LOOKUP = "printer"
MAX_PRINTERS = 40
SILENT_AFTER = timedelta(seconds=90)  # three and a half polls of an agent (25 seconds each)
CHANGEABLE = frozenset(
    {
        "name", "agent_id", "output", "language", "profile", "width_mm", "code_page", "checks",
        "stations", "bills", "copies", "fallback_id", "fallback_seconds", "mac", "enabled",
    }
)  # fmt: skip
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?")
_MAC = re.compile(r"[0-9a-f]{12}")
_PAGE = re.compile(r"(?:[0-9]{1,3}:)?[a-z0-9_-]{2,20}")


P = TypeVar("P", Printer, "PrinterSummary")

ALL_PRINTERS = select(Printer).where(Printer.tenant_id == THIS_TENANT)
PRINTERS = ALL_PRINTERS.where(Printer.removed_at.is_(None)).order_by(Printer.created_at, Printer.id)


SUMMARIES = (
    select(
        Printer.id,
        Printer.site_id,
        Printer.name,
        Printer.state,
        Printer.enabled,
        Printer.stations,
        Printer.bills,
        Printer.removed_at,
    )
    .where(Printer.tenant_id == THIS_TENANT)
    .order_by(Printer.created_at, Printer.id)
)


class PrinterSummary(NamedTuple):
    """What the pages of orders show of a printer."""

    id: str
    site_id: str
    name: str
    state: str
    enabled: bool
    stations: list[str]
    bills: bool
    removed_at: datetime | None


def summaries() -> dict[str, PrinterSummary]:
    """All printers by id, also removed ones, for their jobs."""
    return {row.id: PrinterSummary(*row) for row in read_rows(SUMMARIES)}


def summaries_in_use(site_id: str | None = None) -> list[PrinterSummary]:
    return [
        one
        for one in summaries().values()
        if one.removed_at is None and site_id in (None, one.site_id)
    ]


PRINTERS_OF_SITE = PRINTERS.where(Printer.site_id == bindparam("site_id"))


def listed(site_id: str | None = None) -> list[Printer]:
    if site_id:
        return list(db.session.scalars(PRINTERS_OF_SITE, {"site_id": site_id}))
    return list(db.session.scalars(PRINTERS))


def by_id_including_removed() -> dict[str, Printer]:
    """Include removed printers, for their jobs."""
    return {one.id: one for one in db.session.scalars(ALL_PRINTERS)}


def get(printer_id: str) -> Printer:
    printer = db.session.get(Printer, (current_tenant_id(), printer_id))
    if printer is None or printer.removed_at is not None:
        raise NotFound()
    return printer


def for_station(site_id: str, station: str) -> list[Printer]:
    return [one for one in listed(site_id) if one.enabled and station in one.stations]


def for_bills(site_id: str) -> list[Printer]:
    return bill_printers(listed(site_id))


def bill_printers(known: Iterable[P]) -> list[P]:
    return [one for one in known if one.enabled and one.bills]


def of_agent(agent_id: str) -> list[Printer]:
    query = select(Printer).where(
        Printer.tenant_id == current_tenant_id(),
        Printer.agent_id == agent_id,
        Printer.removed_at.is_(None),
        Printer.enabled,
    )
    return list(db.session.scalars(query.order_by(Printer.created_at, Printer.id)))


def add(site_id: str, name: str, way: str, values: Mapping[str, Any]) -> Printer:
    """Add a printer. The caller has checked that the site exists."""
    connection = CONNECTIONS.get(way)
    if connection is None:
        raise invalid("way", "invalid_choice", "Choose how the printer is reached.")
    if len(listed(site_id)) >= MAX_PRINTERS:
        raise Invalid(
            "too_many", "A restaurant can have at most {most} printers.", most=MAX_PRINTERS
        )
    printer = Printer(
        tenant_id=current_tenant_id(),
        site_id=site_id,
        name=_name("name", name),
        way=way,
        language=connection.language,
        profile=connection.profile,
        output={},
        stations=[],
        state_since=now(),
    )
    if connection.polls:
        printer.secret = new_token()
    _apply(printer, values)
    if not connection.polls and not printer.output:
        raise invalid("output", "output_missing", "Say where the agent finds the printer.")
    db.session.add(printer)
    db.session.flush()
    if printer.secret:
        lookups.add_lookup(LOOKUP, lookups.secret_digest(printer.secret), printer.id)
    audit.record("printers.added", printer.name, printer_id=printer.id, site_id=site_id)
    notify_agent(printer.agent_id)
    return printer


def change(printer_id: str, values: Mapping[str, Any]) -> Printer:
    printer = get(printer_id)
    was, before = printer.agent_id, audit.snapshot(printer)
    changed = _apply(printer, values)
    if changed:
        audit.record_change(
            "printers.changed",
            printer.name,
            before,
            printer,
            shown=audit.NAMED,
            printer_id=printer.id,
        )
        for agent_id in {was, printer.agent_id}:
            notify_agent(agent_id)
        live_updates.publish_update("printers.changed", id=printer.id)
    return printer


def remove(printer_id: str) -> None:
    """Remove a printer. Its jobs stay readable; waiting ones are not moved to another printer."""
    printer = get(printer_id)
    if printer.secret:
        lookups.remove_lookup(LOOKUP, lookups.secret_digest(printer.secret))
    printer.removed_at, printer.secret, printer.enabled = now(), None, False
    for other in listed(printer.site_id):
        if other.fallback_id == printer.id:
            other.fallback_id = None
    audit.record("printers.removed", printer.name, printer_id=printer.id)
    notify_agent(printer.agent_id)


def renew_secret(printer_id: str) -> Printer:
    """Replace the address of a polling printer; the old one stops working at once."""
    printer = get(printer_id)
    if not printer.secret:
        raise Invalid("no_secret", "A printer that is connected to an agent has no address.")
    lookups.remove_lookup(LOOKUP, lookups.secret_digest(printer.secret))
    printer.secret, printer.mac = new_token(), ""
    lookups.add_lookup(LOOKUP, lookups.secret_digest(printer.secret), printer.id)
    audit.record("printers.address_renewed", printer.name, printer_id=printer.id)
    return printer


def record_state(printer: Printer, state: str, reason: str = "") -> bool:
    """Record a state and its reason (printing/reasons.py). Returns True if one of them is new."""
    state = state if state in printing_choices.STATES else "error"
    if (printer.state, printer.detail) == (state, reason):
        return False
    if printer.state != state:
        printer.state_since = now()
    printer.state, printer.detail = state, reason
    live_updates.publish_update("printers.changed", id=printer.id, state=state)
    return True


def print_format(printer: Printer) -> PrintFormat:
    return PrintFormat(
        language=printer.language,
        profile=printer.profile,
        width_mm=printer.width_mm,
        code_page=printer.code_page,
    )


def notify_agent(agent_id: str | None) -> None:
    """Have the agent's open poll answered."""
    if agent_id:
        live_updates.publish_update("prints.agent", agent=agent_id, printers=True)


def _apply(printer: Printer, values: Mapping[str, Any]) -> list[str]:
    """Check all fields before any is written. Returns the changed ones."""
    unknown = set(values) - CHANGEABLE
    if unknown:
        raise invalid(min(unknown), "unknown_field", "A printer has no such setting.")
    clean = {field: _CHECKS[field](field, value) for field, value in values.items()}
    if CONNECTIONS[printer.way].polls:
        clean.pop("agent_id", None)
        clean.pop("output", None)
        clean.pop("language", None)
    _check_same_site(printer, clean)
    changed = [field for field, value in clean.items() if getattr(printer, field) != value]
    for field in changed:
        setattr(printer, field, clean[field])
    return sorted(changed)


def _check_same_site(printer: Printer, clean: dict[str, Any]) -> None:
    """Its agent and its backup printer must belong to the same site."""
    if agent_id := clean.get("agent_id"):
        agent = db.session.get(PrintAgent, (current_tenant_id(), agent_id))
        if agent is None or agent.revoked_at is not None or agent.site_id != printer.site_id:
            raise invalid("agent_id", "unknown_agent", "Choose an agent of this restaurant.")
    if fallback_id := clean.get("fallback_id"):
        other = db.session.get(Printer, (current_tenant_id(), fallback_id))
        if other is None or other.removed_at is not None or other.site_id != printer.site_id:
            raise invalid("fallback_id", "unknown_printer", "Choose a printer of this restaurant.")
        if other.id == printer.id:
            raise invalid("fallback_id", "own_fallback", "A printer cannot stand in for itself.")


def _name(field: str, value: Any) -> str:
    text = one_line(str(value or ""), 60)
    if not text:
        raise invalid(field, "name_missing", "Give the printer a name, such as Kitchen.")
    return text


def _output(field: str, value: Any) -> dict[str, Any]:
    given = dict(value or {})
    kind = given.get("kind")
    if kind not in printing_choices.OUTPUTS:
        raise invalid(field, "invalid_choice", "Say where the agent finds the printer.")
    if kind == "network":
        host = str(given.get("host", "")).strip()
        if not _HOST.fullmatch(host):
            raise invalid(
                field, "invalid_host", "Give the printer's address, such as 192.168.1.50."
            )
        return {"kind": kind, "host": host, "port": _number(given.get("port") or 9100, 1, 65535)}
    if kind == "usb":
        return {"kind": kind} | {
            one: one_line(str(given.get(one, "")), 10) for one in ("vendor", "product")
        }
    if kind == "serial":
        device = one_line(str(given.get("device", "")), 100)
        if not device:
            raise invalid(field, "device_missing", "Name the device, such as /dev/ttyUSB0.")
        baud = _number(given.get("baud") or 9600, 300, 921600)
        return {"kind": kind, "device": device, "baud": baud}
    if kind == "file":
        path = one_line(str(given.get("path", "")), 200)
        if not path:
            raise invalid(field, "path_missing", "Name the file, such as /dev/usb/lp0.")
        return {"kind": kind, "path": path}
    return {"kind": kind}


def _number(value: Any, low: int, high: int) -> int:
    text = str(value)
    if not (text.isascii() and text.isdigit() and len(text) < 9 and low <= int(text) <= high):
        raise invalid(
            "output", "invalid_number", "Enter a number from {low} to {high}.", low=low, high=high
        )
    return int(text)


def _one_of(known: Collection[Any]) -> Any:
    def check(field: str, value: Any) -> Any:
        if value not in known:
            raise invalid(field, "invalid_choice", "Choose one of the available values.")
        return value

    return check


def _between(low: int, high: int) -> Any:
    def check(field: str, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise invalid(
                field, "invalid_number", "Enter a number from {low} to {high}.", low=low, high=high
            )
        return value

    return check


def _stations(field: str, value: Any) -> list[str]:
    codes = list(dict.fromkeys(one_line(str(one), 40) for one in value or ()))
    if len(codes) > 20:
        raise invalid(field, "too_many", "A printer serves at most 20 stations.")
    return codes


def normalize_device(value: str) -> str:
    """Return the stored form of a device name.

    A MAC address may have colons, dots, dashes or nothing between its digits; other names are only
    lowercased.
    """
    text = value.strip().lower()[:60]
    digits = re.sub("[:.\\s-]", "", text)
    if not _MAC.fullmatch(digits):
        return text
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def _mac(field: str, value: Any) -> str:
    text = normalize_device(str(value or ""))
    if text and not _MAC.fullmatch(text.replace(":", "")):
        raise invalid(field, "invalid_mac", "A MAC address looks like 00:11:62:0d:9a:4e.")
    return text


def _code_page(field: str, value: Any) -> str | None:
    text = str(value or "").strip().lower()
    if text and not _PAGE.fullmatch(text):
        raise invalid(field, "invalid_code_page", "Choose a row of the code-page strip.")
    return text or None


def _profile(field: str, value: Any) -> str:
    profile = str(value or "generic")
    if profile not in PROFILES:
        raise invalid(field, "invalid_choice", "Choose one of the available values.")
    return profile


def _flag(_field: str, value: Any) -> bool:
    return bool(value)


def _id(_field: str, value: Any) -> str | None:
    return str(value) if value else None


_CHECKS: dict[str, Any] = {
    "name": _name,
    "agent_id": _id,
    "output": _output,
    "language": _one_of(LANGUAGES),
    "profile": _profile,
    "width_mm": _one_of(printing_choices.WIDTHS),
    "code_page": _code_page,
    "checks": _flag,
    "stations": _stations,
    "bills": _flag,
    "copies": _between(1, 3),
    "fallback_id": _id,
    "fallback_seconds": _between(5, 600),
    "mac": _mac,
    "enabled": _flag,
}
