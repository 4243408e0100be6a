"""One attempt: sign, post, and say in words what the endpoint did. Nothing is decided here."""

import time
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime

from core import faultpoints
from core.clock import now
from core.outbound import OutboundError, Reply
from core.outbound.aio import Client
from core.signing import webhook_headers
from webhooks.claiming import Batch, Claimed

CONNECT_SECONDS, TOTAL_SECONDS = 5.0, 15.0
MOST_READ, KEPT = 64 * 1024, 2 * 1024
KEPT_HEADERS, KEPT_HEADER = 30, 300
USER_AGENT = "Comanda-Webhooks/1"
GONE = 410
ASKS_TO_WAIT = (429, 503)


@dataclass(frozen=True)
class Posted:
    """What came of one attempt."""

    at: datetime
    millis: int
    status: int | None
    error: str | None
    signature: str = ""
    retry_after: float | None = None
    headers: dict[str, str] = field(default_factory=dict)
    answer: str = ""
    lost: bool = False
    """There was nothing to bring, for which the endpoint is not to blame."""

    @property
    def delivered(self) -> bool:
        return self.error is None

    @property
    def gone(self) -> bool:
        return self.status == GONE


async def post(client: Client, batch: Batch, one: Claimed) -> Posted:
    at = now()
    if one.body is None:
        return Posted(at, 0, None, "The event is no longer kept.", lost=True)
    signed = webhook_headers(batch.secrets, one.event_id, one.body, at)
    began = time.monotonic()
    faultpoints.at("before_connect")
    try:
        reply = await client.request(
            "POST",
            batch.url,
            headers={**signed, "Content-Type": "application/json", "User-Agent": USER_AGENT},
            body=one.body,
            timeout=TOTAL_SECONDS,
            connect_timeout=CONNECT_SECONDS,
            max_body=MOST_READ,
            truncate=True,
            keep=KEPT,
        )
    except OutboundError as error:
        said = str(error)
        return Posted(
            at,
            _millis(began),
            None,
            f"{said[:1].upper()}{said[1:]}.",
            signature=signed["webhook-signature"],
        )
    faultpoints.at("after_answer")
    return _read(reply, at, _millis(began), signed["webhook-signature"])


def _read(reply: Reply, at: datetime, millis: int, signature: str) -> Posted:
    return Posted(
        at,
        millis,
        reply.status,
        None if reply.ok else _words(reply.status),
        signature=signature,
        retry_after=_retry_after(reply, at) if reply.status in ASKS_TO_WAIT else None,
        headers=_kept_headers(reply),
        answer=_storable(reply.body.decode("utf-8", "replace")),
    )


def _words(status: int) -> str:
    if status == GONE:
        return "The endpoint answered 410: it is gone and wants no more events."
    if 300 <= status < 400:
        return f"The endpoint answered {status}, a redirect; those are not followed."
    if status in ASKS_TO_WAIT:
        return f"The endpoint answered {status}: it asks to be left alone for a while."
    return f"The endpoint answered {status}."


def _retry_after(reply: Reply, at: datetime) -> float | None:
    """Seconds, from a number or from a date; None when it says nothing that can be read."""
    said = reply.headers.get("retry-after", "").strip()
    if said.isascii() and said.isdigit() and len(said) < 10:
        return float(said)
    try:
        return max((parsedate_to_datetime(said) - at).total_seconds(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _kept_headers(reply: Reply) -> dict[str, str]:
    return {
        _storable(name[:100]): _storable(value[:KEPT_HEADER])
        for name, value in list(reply.headers.items())[:KEPT_HEADERS]
    }


def _storable(text: str) -> str:
    """Header bytes that are no UTF-8 come as half surrogate pairs, which no database takes."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _millis(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
