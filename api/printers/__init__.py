"""Blueprint for printers that poll the server; the secret in the URL identifies the printer."""

import re
import time

from flask import Blueprint, Response, g, request

from api.address_limits import seconds_to_wait
from api.errors import response_for
from core.db import global_scope
from core.errors import NotFound, RateLimited
from printing.connections import pull_printers

printer_routes = Blueprint("printer_doors", __name__, url_prefix="/print")

LARGEST_BODY = 256 * 1024
CACHE_SECONDS = 5.0
CACHE_SIZE = 10_000
SECRET = re.compile(r"[A-Za-z0-9_-]{16,64}")

_cache: dict[str, tuple[tuple[int, str], float]] = {}


@printer_routes.errorhandler(Exception)
def answer_error(error: Exception) -> Response:
    return response_for(error)


@printer_routes.after_request
def forbid_caching(answer: Response) -> Response:
    answer.headers["Cache-Control"] = "no-store"
    return answer


def find_printer(secret: str) -> tuple[int, str]:
    """Return tenant and printer, with a short cache: a printer polls every few seconds."""
    found = _cache.get(secret)
    if found is not None and found[1] > time.monotonic():
        g.tenant_id = found[0][0]
        return found[0]
    owner = None
    if SECRET.fullmatch(secret):
        with global_scope():
            owner = pull_printers.find_by_secret(secret)
    if owner is None:
        _cache.pop(secret, None)
        _limit_wrong_addresses()
        raise NotFound("No printer uses this address.")
    if len(_cache) >= CACHE_SIZE:
        _cache.clear()
    _cache[secret] = (owner, time.monotonic() + CACHE_SECONDS)
    g.tenant_id = owner[0]
    return owner


def clear_printer_cache() -> None:
    _cache.clear()


def printer_origin() -> str:
    return f"{request.remote_addr or ''} {request.headers.get('User-Agent', '')[:60]}".strip()


def _limit_wrong_addresses() -> None:
    seconds = seconds_to_wait("printers", rate=2, burst=60)
    if seconds is not None:
        raise RateLimited(
            "Too many requests with invalid addresses. Wait {seconds} s.",
            retry_after=seconds,
            seconds=seconds,
        )
