"""Star CloudPRNT: POST polls, GET fetches a job, DELETE reports its result."""

from typing import Any
from urllib.parse import unquote

from flask import Response, jsonify, request

from api.printers import LARGEST_BODY, find_printer, printer_origin, printer_routes
from api.v1 import parse_json
from core.db import tenant_scope
from core.errors import DomainError
from printing import reasons
from printing.connections import pull_printers
from printing.connections.pull_printers import ReportedState

CONNECTION = "cloudprnt"
ADDRESS = "/star/<token>"
RETRY_CODES = frozenset({"520"})  # the printer could not download in time: nothing was printed


@printer_routes.post(ADDRESS)
def star_poll(token: str) -> Any:
    tenant_id, printer_id = find_printer(token)
    request.max_content_length = LARGEST_BODY
    body = parse_json(request.get_data(cache=False) or b"{}")
    state = state_of(unquote(str(body.get("statusCode") or "")))
    with tenant_scope(tenant_id):
        printer = pull_printers.get_enabled(printer_id, CONNECTION)
        pull_printers.check_device(printer, str(body.get("printerMAC") or ""))
        pull_printers.record_poll(printer, state)
        job = None
        if body.get("printingInProgress") is not True:
            job = pull_printers.offer_job(printer, printer_origin())
        answer: dict[str, Any] = {"jobReady": job is not None}
        if job is not None:
            answer |= {
                "mediaTypes": [job.media_type],
                "jobToken": pull_printers.job_token(job),
                "deleteMethod": "DELETE",
            }
    return jsonify(answer)


@printer_routes.get(ADDRESS)
def star_fetch(token: str) -> Any:
    tenant_id, printer_id = find_printer(token)
    with tenant_scope(tenant_id):
        printer = pull_printers.get_enabled(printer_id, CONNECTION)
        pull_printers.check_device(printer, request.args.get("mac", ""))
        pull_printers.record_poll(printer, None)
        job = pull_printers.fetch_job(printer, _token(), printer_origin())
        content_type = request.args.get("type", "")
        if content_type and content_type != job.media_type:
            raise _wrong_type()
        data, media_type = job.data or b"", job.media_type
    return Response(data, headers={"Content-Type": media_type})


@printer_routes.delete(ADDRESS)
def star_done(token: str) -> Any:
    tenant_id, printer_id = find_printer(token)
    code = unquote(request.args.get("code", "")).replace("\0", "").strip()[:80]
    with tenant_scope(tenant_id):
        printer = pull_printers.get_enabled(printer_id, CONNECTION)
        pull_printers.check_device(printer, request.args.get("mac", ""))
        state = state_of(code)
        pull_printers.record_poll(printer, state if code.startswith("4") else None)
        pull_printers.record_result(
            printer,
            _token(),
            _outcome(code),
            detail=code,
            evidence={"code": code},
            by=printer_origin(),
        )
    return Response(b"", mimetype="text/plain")


def state_of(code: str) -> ReportedState | None:
    """Return the state for a status code; the first digit decides for unknown codes."""
    if not code:
        return None
    if code[0] == "2" or code.upper().startswith("OK"):
        return ReportedState("paper_low" if code.startswith("21") else "ready")
    if code.startswith("410"):
        return ReportedState("paper_out", reasons.device_text(code))
    if code.startswith("42"):
        return ReportedState("cover_open", reasons.device_text(code))
    return ReportedState("error", reasons.device_text(code))


def _wrong_type() -> DomainError:
    error = DomainError("wrong_type", "The ticket is not available in this media type.")
    error.status = 415  # required by Star's protocol
    return error


def _outcome(code: str) -> str:
    if code[:1] == "2" or code.upper().startswith("OK"):
        return "printed"
    if code[:1] == "4" or code[:3] in RETRY_CODES:
        return "failed"
    return "refused" if code[:1] == "5" else "unsure"


def _token() -> str:
    return request.args.get("token", "").replace("\0", "")[:64]
