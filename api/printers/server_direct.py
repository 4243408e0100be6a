"""Epson Server Direct Print: one address, three kinds of form. XML, and no SOAP around it."""

import re
from typing import Any
from xml.etree import ElementTree as ET

from flask import Response, request

from api.printers import LARGEST_BODY, owner_of, printer_doors, where
from core.db import tenant_scope
from core.errors import Malformed
from printing import asking
from printing.asking import Said
from printing.models import Printer, PrintJob

WAY = "server_direct"
DEVICE = "local_printer"
TIMEOUT_MS = 60_000
SUCCESS, OFFLINE, COVER_OPEN, NEAR_END, PAPER_END = 0x2, 0x8, 0x20, 0x20000, 0x80000
# The printer says that it could not print; after these words it will when that is mended.
MENDS = frozenset(
    {
        "EPTR_REC_EMPTY", "EPTR_COVER_OPEN", "EPTR_AUTOMATICAL", "EPTR_CUTTER", "EPTR_MECHANICAL",
        "EPTR_UNRECOVERABLE", "EX_BADPORT", "EX_SPOOLER", "DEVICENOTFOUND", "EPTR_BATTERY_LOW",
    }
)  # fmt: skip
NEVER = frozenset({"SCHEMAERROR", "INVALIDDEVICE", "TOOMANYREQUESTS", "REQUESTENTITYTOOLARGE"})
STATE_OF = {"EPTR_REC_EMPTY": "paper_out", "EPTR_COVER_OPEN": "cover_open"}
XML_START = re.compile(rb"^\s*<\?xml[^>]*\?>\s*")


@printer_doors.post("/epson/<token>")
def epson(token: str) -> Any:
    tenant_id, printer_id = owner_of(token)
    request.max_content_length = LARGEST_BODY
    kind = request.form.get("ConnectionType", "")
    with tenant_scope(tenant_id):
        printer = asking.known(printer_id, WAY)
        asking.check_device(printer, request.form.get("ID", "").replace("\0", ""))
        if kind == "GetRequest":
            return _give(printer)
        if kind == "SetResponse":
            return _settle(printer)
        if kind == "SetStatus":
            asking.seen(printer, _state_in(request.form.get("Status", "")))
            return _nothing()
        asking.seen(printer, None)
    raise Malformed("unknown_request", "ConnectionType is not one that is answered here.")


def _give(printer: Printer) -> Response:
    asking.seen(printer, None)
    job = asking.offer(printer, where())
    if job is None:
        return _nothing()
    job = asking.fetch(printer, asking.token_of(job), where())
    return Response(request_xml(job), headers={"Content-Type": "text/xml; charset=utf-8"})


def _settle(printer: Printer) -> Response:
    asking.seen(printer, None)
    for job_token, answer in _answers(request.form.get("ResponseFile", "")):
        code = answer.get("code", "")[:40]
        good = answer.get("success", "").lower() in ("true", "1")
        said = _state(_number(answer.get("status", "")))
        if code in STATE_OF:
            said = Said(STATE_OF[code], code)
        if said is not None:
            asking.seen(printer, said)
        asking.answered(
            printer,
            job_token,
            "printed" if good else _outcome(code),
            detail="" if good else code,
            evidence={"code": code, "status": answer.get("status", "")[:20]},
            by=where(),
        )
    return _nothing()


def _outcome(code: str) -> str:
    word = code.upper()
    return "failed" if word in MENDS else "refused" if word in NEVER else "unsure"


def request_xml(job: PrintJob) -> bytes:
    ticket = XML_START.sub(b"", job.data or b"")
    return (
        (
            '<?xml version="1.0" encoding="utf-8"?>\n<PrintRequestInfo Version="2.00"><ePOSPrint>'
            f"<Parameter><devid>{DEVICE}</devid><timeout>{TIMEOUT_MS}</timeout>"
            f"<printjobid>{printjobid(job)}</printjobid></Parameter><PrintData>"
        ).encode()
        + ticket
        + b"</PrintData></ePOSPrint></PrintRequestInfo>"
    )


def printjobid(job: PrintJob) -> str:
    """At most 30 letters: ours without its prefix, and the fence."""
    return f"{job.id.removeprefix('pj_')}.{job.fence % 1000}"


def _answers(text: str) -> list[tuple[str, dict[str, str]]]:
    """(our token, what it says) for each ticket the printer tells of."""
    root = _parsed(text)
    found = []
    for part in root.iter():
        if _name(part) != "eposprint":
            continue
        said = next((dict(one.attrib) for one in part.iter() if _name(one) == "response"), None)
        job = next((one.text or "" for one in part.iter() if _name(one) == "printjobid"), "")
        if said is not None:
            found.append((f"pj_{job.strip()}" if job.strip() else "", said))
    if not found:  # version 1.00 has no ids: it can only mean the one in hand
        found = [("", dict(one.attrib)) for one in root.iter() if _name(one) == "response"]
    return found


def _state_in(text: str) -> Said | None:
    if not text.strip():
        return None
    for part in _parsed(text).iter():
        if _name(part) == "printerstatus":
            return _state(_number(part.attrib.get("asbstatus", "")))
    return None


def _state(bits: int | None) -> Said | None:
    if bits is None:
        return None
    if bits & PAPER_END:
        return Said("paper_out")
    if bits & COVER_OPEN:
        return Said("cover_open")
    if bits & OFFLINE:
        return Said("error", "The printer says that it is offline.")
    return Said("paper_low" if bits & NEAR_END else "ready")


def _number(text: str) -> int | None:
    try:
        return int(text, 16 if text.lower().startswith("0x") else 10)
    except ValueError:
        return None


def _parsed(text: str) -> ET.Element:
    if "<!" in text or "\0" in text:  # no document of a printer declares anything
        raise Malformed("malformed_xml", "The XML holds a declaration.")
    try:
        return ET.fromstring(text.encode())  # noqa: S314 - nothing is declared in it
    except ET.ParseError:
        raise Malformed("malformed_xml", "The XML cannot be read.") from None


def _name(part: ET.Element) -> str:
    return str(part.tag).rpartition("}")[2].lower()


def _nothing() -> Response:
    return Response(b"", headers={"Content-Type": "text/xml; charset=utf-8", "Content-Length": "0"})
