"""Every error under /api is JSON with a code, a sentence and the request id."""

from typing import Any, NoReturn

from flask import Flask, Response, g, jsonify, request
from pydantic import ValidationError
from werkzeug.exceptions import ClientDisconnected, HTTPException

from api.current import current_g, current_request
from core.errors import DomainError, FieldError, Invalid, NotFound, RateLimited, TryAgain, invalid
from core.http.json_response import JsonResponse
from core.ids import BadId
from core.logs import logger
from core.sql.db_errors import is_outage, is_too_slow
from core.values.text import BadText

log = logger(__name__)

API_VERSION = "1.4"

HTTP_CODES = {
    400: ("bad_request", "The request could not be understood."),
    411: ("length_required", "Send a file with its Content-Length."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not answer that method."),
    408: ("try_again", "The request took too long to arrive."),
    413: ("body_too_large", "The body is too large: at most 1 MiB, or 32 MiB for a file."),
    415: ("unsupported_media_type", "Send the body as application/json."),
}


def is_api_request() -> bool:
    path = current_request().path
    return path.startswith("/api/") or path == "/api"


def error_response(
    status: int,
    code: str,
    message: str,
    faults: list[FieldError] | None = None,
    more: dict[str, object] | None = None,
) -> Response:
    answer = jsonify(
        status="error",
        code=code,
        message=message,
        errors=[fault.as_dict() for fault in faults or []],
        request_id=g.get("request_id", ""),
        **(more or {}),
    )
    answer.status_code = status
    if status == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def domain_error_response(error: DomainError) -> Response:
    answer = error_response(error.status, error.code, error.message, error.faults, error.more)
    if isinstance(error, RateLimited):
        answer.headers["Retry-After"] = str(error.retry_after)
    elif error.status == 503:
        answer.headers["Retry-After"] = "1"
    return answer


def http_error_response(error: HTTPException) -> Response:
    status = error.code or 500
    code, message = HTTP_CODES.get(status, ("error", error.name + "."))
    answer = error_response(status, code, message)
    for name, value in error.get_headers():
        if name in ("Allow", "Retry-After"):
            answer.headers[name] = value
    return answer


def validation_error_response(error: ValidationError) -> NoReturn:
    raise validation_error(error)


def validation_error(error: ValidationError) -> Invalid:
    """Convert Pydantic's errors to ours, with field names as the caller wrote them."""
    faults = [
        _field_error(finding) for finding in error.errors(include_url=False, include_input=False)
    ]
    first = faults[0]
    code = f"{first.code}_parameter" if first.code in ("missing", "invalid") else first.code
    refusal = Invalid(code, "{sentence}", sentence=first.message)
    refusal.faults = faults
    return refusal


def _field_error(finding: Any) -> FieldError:
    context = finding.get("ctx") or {}
    # An error of a whole object names its field inside the object.
    path = [*finding["loc"], *([context["field"]] if context.get("field") else [])]
    field = ".".join(str(part) for part in path) or "body"
    if context.get("ours"):
        return FieldError(field, finding["type"], context["sentence"])
    if finding["type"] == "missing":
        return FieldError(field, "missing", f"{field} is missing")
    return FieldError(field, "invalid", f"{field}: {_field_message(finding)}")


def _field_message(finding: Any) -> str:
    message = str(finding["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def outage_response() -> Response:
    answer = error_response(
        503, "try_again", "The service cannot reach its database just now. Nothing was done."
    )
    answer.headers["Retry-After"] = "2"
    return answer


def crash_response() -> Response:
    return error_response(
        500, "internal_error", "Something broke on our side. Tell us the request id."
    )


def response_for(error: Exception) -> Response:
    if isinstance(error, DomainError):
        return domain_error_response(error)
    if isinstance(error, BadId):
        return domain_error_response(_bad_id(error))
    if isinstance(error, ClientDisconnected):
        return error_response(
            400, "incomplete_body", "The body ended early: it is shorter than announced."
        )
    if isinstance(error, BadText):
        return error_response(422, error.code, f"{str(error)[:1].upper()}{str(error)[1:]}.")
    if isinstance(error, HTTPException):
        return http_error_response(error)
    if is_too_slow(error):
        log.warning("query timed out", route=request.url_rule.rule if request.url_rule else "")
        return domain_error_response(
            TryAgain(
                "query_too_slow",
                "The request took too long. Narrow it with since and until, one line or one phone.",
            )
        )
    if is_outage(error):
        log.error("database unavailable", error=type(error).__name__)
        return outage_response()
    log.error("request failed", exc_info=error)
    return crash_response()


def _bad_id(error: BadId) -> DomainError:
    """A bad cursor if the id came from `after`; otherwise there is nothing with that id."""
    if error.value and error.value == request.args.get("after"):
        return invalid(
            "after", "invalid_cursor", "Use the `next` value of the previous page for `after`."
        )
    return NotFound()


def http_response_for(status: int) -> Response:
    return error_response(status, *HTTP_CODES[status])


def add_api_headers(app: Flask) -> None:
    @app.after_request
    def headers(answer: Response) -> Response:
        headers, facts = answer.headers, current_g()
        # A JSON response is new and has none of these headers. To replace one takes longer.
        write = headers.add if isinstance(answer, JsonResponse) else headers.set
        write("X-Request-Id", facts.get("request_id", ""))
        if is_api_request():
            write("API-Version", API_VERSION)
            if "Cache-Control" not in headers:
                headers.add("Cache-Control", "no-store")
            rate_limit, tenant = facts.get("rate_limit"), facts.get("facts")
            if rate_limit is not None and tenant is not None:
                write("RateLimit-Policy", f'"tenant";q={tenant.burst};w={tenant.window}')
                reset = -(-rate_limit.reset_ms // 1000)
                write("RateLimit", f'"tenant";r={max(rate_limit.left, 0)};t={reset}')
        return answer
