"""The doors of printers that ask by themselves. The secret in the address finds one of them."""

import re
import time

from flask import Blueprint, Response, g, request

from api.answers import answer_for
from core.buckets import Bucket, take
from core.db import global_scope
from core.errors import NotFound, RateLimited
from core.lookups import digest
from printing import asking

printer_doors = Blueprint("printer_doors", __name__, url_prefix="/print")

LARGEST_BODY = 256 * 1024
REMEMBER_SECONDS = 5.0
MOST_REMEMBERED = 10_000
SECRET = re.compile(r"[A-Za-z0-9_-]{16,64}")

_memory: dict[str, tuple[tuple[int, str], float]] = {}


@printer_doors.errorhandler(Exception)
def answer_error(error: Exception) -> Response:
    return answer_for(error)


@printer_doors.after_request
def keep_nothing(answer: Response) -> Response:
    answer.headers["Cache-Control"] = "no-store"
    return answer


def owner_of(secret: str) -> tuple[int, str]:
    """The tenant and the printer. Remembered briefly: a printer asks every few seconds."""
    found = _memory.get(secret)
    if found is not None and found[1] > time.monotonic():
        g.tenant_id = found[0][0]
        return found[0]
    owner = None
    if SECRET.fullmatch(secret):
        with global_scope():
            owner = asking.find(secret)
    if owner is None:
        _memory.pop(secret, None)
        _slow_down()
        raise NotFound("There is no printer at this address.")
    if len(_memory) >= MOST_REMEMBERED:
        _memory.clear()
    _memory[secret] = (owner, time.monotonic() + REMEMBER_SECONDS)
    g.tenant_id = owner[0]
    return owner


def forget_printers() -> None:
    _memory.clear()


def where() -> str:
    return f"{request.remote_addr or ''} {request.headers.get('User-Agent', '')[:60]}".strip()


def _slow_down() -> None:
    stranger = digest(request.remote_addr or "")[:32]
    taken = take([Bucket(f"printers:{stranger}", rate=2, burst=60)])
    if not taken.allowed:
        raise RateLimited(
            "Too many wrong addresses. Wait {seconds} s.",
            retry_after=taken.retry_after,
            seconds=taken.retry_after,
        )
