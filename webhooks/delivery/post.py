"""One attempt: sign, post, and describe the endpoint's response. Nothing is decided here."""

import time
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime

from core import chaos
from core.clock import now
from core.http import OutboundError, Reply
from core.http.async_client import Client
from core.security.signing import webhook_headers
from core.values.reasons import encode_reason
from webhooks.delivery import reasons
from webhooks.delivery.claim import ClaimedDelivery, EndpointBatch

CONNECT_SECONDS, TOTAL_SECONDS = 5.0, 15.0
MAX_BODY_READ, STORED_BODY_BYTES = 64 * 1024, 2 * 1024
MAX_STORED_HEADERS, MAX_STORED_HEADER_LENGTH = 30, 300
USER_AGENT = "Comanda-Webhooks/1"
GONE = 410
RETRY_LATER_STATUSES = (429, 503)


@dataclass(frozen=True)
class AttemptResult:
    """The result of one attempt."""

    at: datetime
    millis: int
    status: int | None
    error: str | None
    signature: str = ""
    retry_after: float | None = None
    headers: dict[str, str] = field(default_factory=dict)
    answer: str = ""
    lost: bool = False
    """There was nothing to send, which is not the endpoint's fault."""

    @property
    def delivered(self) -> bool:
        return self.error is None

    @property
    def gone(self) -> bool:
        return self.status == GONE


async def post_delivery(
    client: Client, batch: EndpointBatch, one: ClaimedDelivery
) -> AttemptResult:
    at = now()
    if one.body is None:
        return AttemptResult(at, 0, None, reasons.EVENT_EXPIRED, lost=True)
    signed = webhook_headers(batch.secrets, one.event_id, one.body, at)
    began = time.monotonic()
    chaos.fault_point("before_connect")
    try:
        reply = await client.request(
            "POST",
            batch.url,
            headers={
                **batch.headers,
                **signed,
                "Content-Type": "application/json",
                "User-Agent": USER_AGENT,
            },
            body=one.body,
            timeout=TOTAL_SECONDS,
            connect_timeout=CONNECT_SECONDS,
            max_body=MAX_BODY_READ,
            truncate=True,
            keep=STORED_BODY_BYTES,
        )
    except OutboundError as error:
        return AttemptResult(
            at,
            _millis(began),
            None,
            reasons.not_reached(error),
            signature=signed["webhook-signature"],
        )
    chaos.fault_point("after_answer")
    return _read(reply, at, _millis(began), signed["webhook-signature"])


def _read(reply: Reply, at: datetime, millis: int, signature: str) -> AttemptResult:
    return AttemptResult(
        at,
        millis,
        reply.status,
        None if reply.ok else _reason(reply.status),
        signature=signature,
        retry_after=_retry_after(reply, at) if reply.status in RETRY_LATER_STATUSES else None,
        headers=_stored_headers(reply),
        answer=_storable(reply.body.decode("utf-8", "replace")),
    )


def _reason(status: int) -> str:
    if status == GONE:
        return reasons.GONE
    if 300 <= status < 400:
        return encode_reason(reasons.REDIRECT, status=status)
    if status in RETRY_LATER_STATUSES:
        return encode_reason(reasons.RETRY_LATER, status=status)
    return encode_reason(reasons.ANSWERED, status=status)


def _retry_after(reply: Reply, at: datetime) -> float | None:
    """Seconds, from a number or from a date; None if the header is missing or cannot be parsed."""
    value = reply.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit() and len(value) < 10:
        return float(value)
    try:
        return max((parsedate_to_datetime(value) - at).total_seconds(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _stored_headers(reply: Reply) -> dict[str, str]:
    return {
        _storable(name[:100]): _storable(value[:MAX_STORED_HEADER_LENGTH])
        for name, value in list(reply.headers.items())[:MAX_STORED_HEADERS]
    }


def _storable(text: str) -> str:
    """Header bytes that are not UTF-8 arrive as lone surrogates, which PostgreSQL cannot store."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _millis(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
