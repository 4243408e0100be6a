"""The versioned API for API keys. Each resource is a module that adds its routes to `v1`."""

import json
import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

from flask import Request, Response, current_app, g
from flask_openapi3.types import ResponseDict
from werkzeug.exceptions import LengthRequired, RequestEntityTooLarge, UnsupportedMediaType

from api.auth import authenticate, authenticate_partner, check_rights
from api.current import current_flask, current_g, current_request
from api.request_bodies import clean_body, unknown_field_warnings, unknown_names
from api.schemas import ErrorBody
from core.db import limit_statements
from core.errors import Invalid, Malformed, invalid
from core.openapi.lazy_blueprint import LazyBlueprint

READ_LIMIT_MS = 5000
LARGEST_BODY = 1024 * 1024
LARGEST_FILE = 32 * LARGEST_BODY  # deploy/nginx.conf allows 33
DEEPEST_NESTING = 32
# JSON, but not a single object: a list of operations, or several texts.
UNSUPPORTED_TYPES = frozenset({"application/json-patch+json", "application/json-seq"})
View = TypeVar("View", bound=Callable[..., Any])
# PostgreSQL rejects NUL, and UTF-8 rejects lone surrogates.
FORBIDDEN_CHARACTERS = re.compile("[\x00\ud800-\udfff]")
SECURITY: list[dict[str, list[str]]] = [{"bearer": []}]
ERRORS: ResponseDict = {s: ErrorBody for s in (400, 401, 402, 403, 404, 422, 429, 503)}  # noqa: C420

v1 = LazyBlueprint(
    "v1",
    __name__,
    url_prefix="/api/v1",
    abp_security=SECURITY,
    abp_responses=ERRORS,
)


@v1.before_request
def check_caller() -> None:
    """Authenticate and check the scope first: a key without it learns nothing about parameters."""
    endpoint = current_request().endpoint
    view = current_flask().view_functions.get(endpoint) if endpoint is not None else None
    if getattr(view, "for_partners", False):
        authenticate_partner()
        return
    authenticate()
    if view is not None:
        check_rights(view)


@v1.before_request
def limit_reads() -> None:
    """Limit the time of reads, so that a broad list does not hold one of the few connections."""
    limit_statements(READ_LIMIT_MS if current_request().method in ("GET", "HEAD") else None)


@v1.teardown_request
def lift_limit(_error: BaseException | None = None) -> None:
    limit_statements(None)


@v1.before_request
def check_body() -> None:
    """Refuse a body that is too large, not JSON, or malicious JSON, before anything parses it."""
    current = current_request()
    view = current_flask().view_functions.get(current.endpoint or "")
    warnings = _check_parameters(current, view) if current.query_string else []
    current.max_content_length = LARGEST_BODY
    if current.method in ("POST", "PUT", "PATCH"):
        if getattr(view, "takes_file", False):
            _check_file(current)
        else:
            warnings += _check_json(current, view)
    if warnings:
        g.warnings = warnings


def _check_parameters(current: Request, view: Any) -> list[str]:
    for name, value in current.args.items():
        if FORBIDDEN_CHARACTERS.search(value):
            raise _forbidden_text(name)
    unknown = unknown_names(list(current.args), getattr(view, "query_model", None))
    return unknown_field_warnings(unknown, "parameter")


def _check_file(current: Request) -> None:
    current.max_content_length = LARGEST_FILE
    if current.content_length is None and "Transfer-Encoding" in current.headers:
        raise LengthRequired()  # without a length a truncated file cannot be detected


def _check_json(current: Request, view: Any) -> list[str]:
    """Returns the warnings."""
    current_g().raw_body = raw = current.get_data(cache=True)
    if not raw:
        # Treated as {}: optional fields may be missing, and required ones are reported.
        current._cached_json = ({}, {})  # noqa: SLF001
        return []
    if len(raw) >= LARGEST_BODY and current.content_length is None:
        raise RequestEntityTooLarge()  # a chunked body is read only up to the limit
    kind = current.mimetype
    if kind != "application/json" and (not current.is_json or kind in UNSUPPORTED_TYPES):
        raise UnsupportedMediaType()
    body, model = parse_json(raw), getattr(view, "body_model", None)
    unknown: list[str] = []
    if model is not None:
        body, unknown = clean_body(body, model)
    # Flask's own cache of the parsed body: the view gets what was checked here.
    current._cached_json = (body, body)  # noqa: SLF001
    return unknown_field_warnings(unknown, "field")


@v1.after_request
def add_warnings(answer: Response) -> Response:
    """Add warnings, also to a replayed response: the same request has the same warnings."""
    warnings = current_g().get("warnings")
    if warnings and answer.status_code < 300 and answer.is_json:
        body = answer.get_json(silent=True)
        if isinstance(body, dict):
            known = body.get("warnings") or []
            body["warnings"] = [*known, *(one for one in warnings if one not in known)]
            answer.set_data(current_app.json.dumps(body))
    return answer


def takes_file(view: View) -> View:
    """Mark a view whose body is a raw file that the view reads."""
    view.takes_file = True  # type: ignore[attr-defined]
    return view


def parse_json(raw: bytes) -> dict[str, Any]:
    try:
        value = _JSON.decode(raw.decode(json.detect_encoding(raw), "surrogatepass"))
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise Malformed(
            "malformed_json", "The body is not JSON: {fault}.", fault=str(error)
        ) from None
    if not isinstance(value, dict):
        raise invalid("body", "invalid_body", "The body must be a JSON object.")
    for field, part in value.items():
        if FORBIDDEN_CHARACTERS.search(field):
            raise _forbidden_text("body")
        if isinstance(part, str):
            if FORBIDDEN_CHARACTERS.search(part):
                raise _forbidden_text(field)
        elif isinstance(part, dict | list):
            _check(part, field)
    return value


def _check(value: Any, field: str) -> None:
    """Check iteratively, because recursion would fail on deeply nested values."""
    parts = [(value, 2)]
    while parts:
        part, depth = parts.pop()
        if isinstance(part, str) and FORBIDDEN_CHARACTERS.search(part):
            raise _forbidden_text(field)
        if isinstance(part, dict | list):
            if depth > DEEPEST_NESTING:
                raise _too_deep()
            inner = [*part, *part.values()] if isinstance(part, dict) else part
            parts.extend((one, depth + 1) for one in inner)


def _forbidden_text(field: str) -> Invalid:
    return invalid(field, "invalid_text", "A text holds NUL or half of a surrogate pair.")


def _too_deep() -> Invalid:
    return invalid(
        "body",
        "invalid_body",
        "The body is nested more than {most} levels deep.",
        most=DEEPEST_NESTING,
    )


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too large a number")
    return number


_JSON = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)
