"""Slow down callers that guess keys, codes or addresses: one bucket for each client address."""

from flask import request

from core.lookups import secret_digest
from core.rate_limits import Bucket, take_tokens


def seconds_to_wait(name: str, *, rate: float, burst: int) -> int | None:
    """Take one token of the client's bucket. None: the caller may go on."""
    client = secret_digest(request.remote_addr or "")[:32]
    rate_limit = take_tokens([Bucket(f"{name}:{client}", rate=rate, burst=burst)])
    return None if rate_limit.allowed else rate_limit.retry_after
