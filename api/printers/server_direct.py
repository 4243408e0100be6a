"""Epson Server Direct Print: one address for three kinds of form. Plain XML without SOAP."""

import re
from typing import Any
from xml.etree import ElementTree as ET

from flask import Response, request

from api.printers import LARGEST_BODY, find_printer, printer_origin, printer_routes
from core.db import tenant_scope
from core.errors import Malformed
from printing import reasons
from printing.connections import pull_printers
from printing.connections.pull_printers import ReportedState
from printing.models import Printer, PrintJob

CONNECTION = "server_direct"
DEVICE = "local_printer"
TIMEOUT_MS = 60_000
SUCCESS, OFFLINE, COVER_OPEN, NEAR_END, PAPER_END = 0x2, 0x8, 0x20, 0x20000, 0x80000
# Errors after which the printer did not print, but will when the cause is fixed.
RECOVERABLE = frozenset(
    {
        "EPTR_REC_EMPTY", "EPTR_COVER_OPEN", "EPTR_AUTOMATICAL", "EPTR_CUTTER", "EPTR_MECHANICAL",
        "EPTR_UNRECOVERABLE", "EX_BADPORT", "EX_SPOOLER", "DEVICENOTFOUND", "EPTR_BATTERY_LOW",
    }
)  # fmt: skip
PERMANENT = frozenset({"SCHEMAERROR", "INVALIDDEVICE", "TOOMANYREQUESTS", "REQUESTENTITYTOOLARGE"})
STATE_OF = {"EPTR_REC_EMPTY": "paper_out", "EPTR_COVER_OPEN": "cover_open"}
XML_START = re.compile(rb"^\s*<\?xml[^>]*\?>\s*")


@printer_routes.post("/epson/<token>")
def epson(token: str) -> Any:
    tenant_id, printer_id = find_printer(token)
    request.max_content_length = LARGEST_BODY
    kind = request.form.get("ConnectionType", "")
    with tenant_scope(tenant_id):
        printer = pull_printers.get_enabled(printer_id, CONNECTION)
        pull_printers.check_device(printer, request.form.get("ID", "").replace("\0", ""))
        if kind == "GetRequest":
            return _next_job(printer)
        if kind == "SetResponse":
            return _record_results(printer)
        if kind == "SetStatus":
            pull_printers.record_poll(printer, _state_in(request.form.get("Status", "")))
            return _nothing()
        pull_printers.record_poll(printer, None)
    raise Malformed("unknown_request", "This ConnectionType is not supported.")


def _next_job(printer: Printer) -> Response:
    pull_printers.record_poll(printer, None)
    job = pull_printers.offer_job(printer, printer_origin())
    if job is None:
        return _nothing()
    job = pull_printers.fetch_job(printer, pull_printers.job_token(job), printer_origin())
    return Response(request_xml(job), headers={"Content-Type": "text/xml; charset=utf-8"})


def _record_results(printer: Printer) -> Response:
    pull_printers.record_poll(printer, None)
    for job_token, answer in _results_in(request.form.get("ResponseFile", "")):
        code = answer.get("code", "")[:40]
        good = answer.get("success", "").lower() in ("true", "1")
        state = _state(_number(answer.get("status", "")))
        if code in STATE_OF:
            state = ReportedState(STATE_OF[code], reasons.device_text(code))
        if state is not None:
            pull_printers.record_poll(printer, state)
        pull_printers.record_result(
            printer,
            job_token,
            "printed" if good else _outcome(code),
            detail="" if good else code,
            evidence={"code": code, "status": answer.get("status", "")[:20]},
            by=printer_origin(),
        )
    return _nothing()


def _outcome(code: str) -> str:
    word = code.upper()
    return "failed" if word in RECOVERABLE else "refused" if word in PERMANENT else "unsure"


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
    """At most 30 characters: our id without its prefix, and the fence."""
    return f"{job.id.removeprefix('pj_')}.{job.fence % 1000}"


def _results_in(text: str) -> list[tuple[str, dict[str, str]]]:
    """Return (our token, attributes) for each job that the printer reports."""
    root = _parsed(text)
    found = []
    for part in root.iter():
        if _name(part) != "eposprint":
            continue
        attributes = next(
            (dict(one.attrib) for one in part.iter() if _name(one) == "response"), None
        )
        job = next((one.text or "" for one in part.iter() if _name(one) == "printjobid"), "")
        if attributes is not None:
            found.append((f"pj_{job.strip()}" if job.strip() else "", attributes))
    if not found:  # version 1.00 has no ids: it can only be the current job
        found = [("", dict(one.attrib)) for one in root.iter() if _name(one) == "response"]
    return found


def _state_in(text: str) -> ReportedState | None:
    if not text.strip():
        return None
    for part in _parsed(text).iter():
        if _name(part) == "printerstatus":
            return _state(_number(part.attrib.get("asbstatus", "")))
    return None


def _state(bits: int | None) -> ReportedState | None:
    if bits is None:
        return None
    if bits & PAPER_END:
        return ReportedState("paper_out")
    if bits & COVER_OPEN:
        return ReportedState("cover_open")
    if bits & OFFLINE:
        return ReportedState("error", reasons.REPORTED_OFFLINE)
    return ReportedState("paper_low" if bits & NEAR_END else "ready")


def _number(text: str) -> int | None:
    try:
        return int(text, 16 if text.lower().startswith("0x") else 10)
    except ValueError:
        return None


def _parsed(text: str) -> ET.Element:
    if "<!" in text or "\0" in text:  # a printer's XML has no declarations
        raise Malformed("malformed_xml", "XML with a declaration is not accepted.")
    try:
        return ET.fromstring(text.encode())  # noqa: S314 - nothing is declared in it
    except ET.ParseError:
        raise Malformed("malformed_xml", "The XML is not valid.") from None


def _name(part: ET.Element) -> str:
    return str(part.tag).rpartition("}")[2].lower()


def _nothing() -> Response:
    return Response(b"", headers={"Content-Type": "text/xml; charset=utf-8", "Content-Length": "0"})
