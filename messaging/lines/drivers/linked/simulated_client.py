"""Linked lines on the simulated network: one socket to messaging/simulator per session.

The simulator reports events to a linked device in the cloud webhook format, so the same parser
reads them. Only pairing and sending are different.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import aiohttp

from core import chaos
from core.clock import now
from core.security.signing import sign_token
from messaging import reasons
from messaging.lines.drivers.base import (
    EchoedMessage,
    Envelope,
    Receipt,
    SendAccepted,
    SendOutcome,
    SendRefused,
    SendUnknown,
    TryLater,
)
from messaging.lines.drivers.cloud import driver as cloud_driver
from messaging.lines.drivers.cloud.media import MediaNotFetched
from messaging.lines.drivers.linked.client import (
    ClientConnected,
    ClientDisconnected,
    ClientEvent,
    DeviceLoggedOut,
    DevicePaired,
    EchoReceived,
    LinkedSession,
    MediaFileBody,
    MessageChanged,
    MessageReceived,
    NumberRestricted,
    PairingCodeShown,
    PairingTimedOut,
    QrCodeShown,
    ReceiptReceived,
)
from messaging.reasons import with_detail
from messaging.token_purposes import SESSION, UNSIGNED

SENT_CONTENT = (
    *("latitude", "longitude", "name", "address", "reply_to"),
    *("contacts", "message_id", "emoji", "voice"),
)
TOKEN_LIFETIME = timedelta(minutes=10)
CONNECT_SECONDS = 5.0
SEND_REFUSALS: dict[object, SendRefused | TryLater] = {
    131026: SendRefused("recipient_unavailable", reasons.NOT_ON_NETWORK, "131026"),
    131056: TryLater("pair_limited", reasons.TOO_MANY_TO_RECIPIENT, 6.0, "pair"),
    130429: TryLater("rate_limited", reasons.LINE_SLOWED, 2.0, "line"),
    "restricted": TryLater("line_unavailable", reasons.RESTRICTED, 60.0, "line"),
}


class SimulatedClient:
    def __init__(self, http: aiohttp.ClientSession, url: str, secret: str, session: LinkedSession):
        self._http = http
        self._url = url.rstrip("/")
        self._secret = secret or UNSIGNED
        self._session = session
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._answers: dict[int, asyncio.Future[SendOutcome]] = {}
        self._number = 0

    async def events(self, code_phone: str = "") -> AsyncGenerator[ClientEvent, None]:
        try:
            self._socket = await self._http.ws_connect(
                f"{self._url}/linked",
                headers=self._headers(),
                heartbeat=20.0,
                timeout=aiohttp.ClientWSTimeout(ws_close=2.0),
            )
            await self._socket.send_json({"device": self._session.device, "phone": code_phone})
        except (aiohttp.ClientError, OSError, TimeoutError):
            yield ClientDisconnected(reasons.UNREACHABLE)
            return
        try:
            async for message in self._socket:
                if message.type is not aiohttp.WSMsgType.TEXT:
                    break
                frame = json.loads(message.data)
                for event in await self._read(frame):
                    yield event
                if "n" in frame and frame["type"] in ("news", "echo"):
                    await self._send_frame({"type": "ack", "n": frame["n"]})
        finally:
            self._fail_pending_answers()
        yield ClientDisconnected(reasons.CONNECTION_CUT)

    async def _read(self, frame: dict[str, Any]) -> list[ClientEvent]:
        kind = frame["type"]
        if kind in ("sent", "refused"):
            await self._answered(frame)
            return []
        if kind == "news":
            return _line_update_event(frame["value"])
        if kind in ("qr", "code"):
            until = now() + timedelta(seconds=frame["seconds"])
            shown = QrCodeShown if kind == "qr" else PairingCodeShown
            return [shown(frame["code"], until)]
        made: dict[str, ClientEvent] = {
            "timeout": PairingTimedOut(),
            "connected": ClientConnected(),
            "replaced": ClientDisconnected(reasons.THIS_ONE_REPLACED),
        }
        if kind in made:
            return [made[kind]]
        if kind == "paired":
            return [DevicePaired(frame["device"], frame["phone"], frame["name"])]
        if kind == "logged_out":
            return [DeviceLoggedOut(reasons.UNLINKED)]
        if kind == "restricted":
            return [NumberRestricted(reasons.RESTRICTED_TERMS)]
        if kind == "echo":
            echo = (frame["id"], frame["to"], frame["kind"], frame["text"], frame["at"])
            return [EchoReceived(*echo, frame.get("content") or {})]
        return []

    async def _answered(self, frame: dict[str, Any]) -> None:
        answer = self._answers.pop(frame["n"], None)
        if frame["type"] == "sent":
            chaos.fault_point("after_answer")
            await self._send_frame({"type": "got", "n": frame["n"]})
            outcome: SendOutcome = SendAccepted(frame["id"])
        else:
            outcome = SEND_REFUSALS.get(frame["code"]) or SendRefused(
                "refused_by_network", reasons.REFUSED, str(frame["code"])
            )
        if answer is not None and not answer.done():
            answer.set_result(outcome)

    async def send(self, envelope: Envelope, media: MediaFileBody | None) -> SendOutcome:
        if self._socket is None or self._socket.closed:
            return TryLater("disconnected", reasons.CONNECTION_CUT, 2.0, "line")
        content = {name: value for name, value in envelope.content.items() if name in SENT_CONTENT}
        if media is not None:
            try:
                content |= {"id": await self._upload(media), "filename": media.filename}
            except (aiohttp.ClientError, OSError, TimeoutError):
                return TryLater("network_unreachable", reasons.UNREACHABLE)
        self._number += 1
        number = self._number
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        try:
            await self._socket.send_json(
                {
                    "type": "send",
                    "n": number,
                    "to": envelope.phone,
                    "kind": envelope.kind,
                    "text": envelope.text,
                    "content": content,
                }
            )
        except (aiohttp.ClientError, OSError):
            self._answers.pop(number, None)
            return SendUnknown(reasons.BROKE_WHILE_SENDING)
        chaos.fault_point_soon("after_bytes")
        outcome: SendOutcome = await answer
        return outcome

    async def mark_read(self, phone: str, network_id: str, *, typing: bool) -> None:
        await self._send_frame({"type": "read", "to": phone, "id": network_id, "typing": typing})

    async def _upload(self, media: MediaFileBody) -> str:
        async with self._http.post(
            f"{self._url}/linked/media",
            params={"filename": media.filename},
            data=media.body,
            headers={**self._headers(), "Content-Type": media.mime_type},
        ) as reply:
            reply.raise_for_status()
            return str((await reply.json())["id"])

    async def fetch(self, source: str, most: int) -> bytes:
        body = bytearray()
        try:
            async with self._http.get(
                f"{self._url}/linked/media/{quote(source, safe='')}", headers=self._headers()
            ) as reply:
                if reply.status != 200:
                    final = 400 <= reply.status < 500
                    raise MediaNotFetched(
                        with_detail(reasons.NETWORK_STATUS, f"{reply.status} for it."), final=final
                    )
                async for chunk in reply.content.iter_chunked(64 * 1024):
                    body += chunk
                    if len(body) > most:
                        raise MediaNotFetched(reasons.FILE_LARGER, final=True)
        except (aiohttp.ClientError, OSError, TimeoutError):
            raise MediaNotFetched(reasons.UNREACHABLE) from None
        return bytes(body)

    async def log_out(self) -> None:
        await self._send_frame({"type": "log_out"})

    async def close(self) -> None:
        self._fail_pending_answers()
        if self._socket is not None:
            with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError):
                await self._socket.close()

    async def _send_frame(self, frame: dict[str, Any]) -> None:
        with contextlib.suppress(aiohttp.ClientError, OSError):
            if self._socket is not None and not self._socket.closed:
                await self._socket.send_json(frame)

    def _fail_pending_answers(self) -> None:
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result(SendUnknown(reasons.BROKE_BEFORE_ANSWER))
        self._answers.clear()

    def _headers(self) -> dict[str, str]:
        claims = {
            "tenant_id": self._session.tenant_id,
            "line_id": self._session.line_id,
            "name": self._session.name,
        }
        return {
            "Authorization": f"Bearer {sign_token(self._secret, SESSION, claims, TOKEN_LIFETIME)}"
        }


def _line_update_event(value: dict[str, Any]) -> list[ClientEvent]:
    field = "smb_message_echoes" if "message_echoes" in value else "messages"
    body = {
        "object": "whatsapp_business_account",
        "entry": [{"id": "0", "changes": [{"value": value, "field": field}]}],
    }
    events: list[ClientEvent] = []
    for parsed in cloud_driver.parse_webhook(json.dumps(body).encode()):
        events += [MessageReceived(message) for message in parsed.messages]
        events += [_echo(one) for one in parsed.echoes]
        events += [
            MessageChanged(one) for one in parsed.updates if one.kind in ("edited", "deleted")
        ]
        events += [ReceiptReceived(_without_price(receipt)) for receipt in parsed.receipts]
    return events


def _echo(one: EchoedMessage) -> EchoReceived:
    recipient = one.phone or one.recipient_network_id
    return EchoReceived(one.network_id, recipient, one.kind, one.text, one.at, one.content)


def _without_price(receipt: Receipt) -> Receipt:
    """Remove the price: a phone's own app gets none."""
    return Receipt(
        receipt.network_id,
        receipt.state,
        receipt.at,
        recipient=receipt.recipient,
        error_code=receipt.error_code,
        error_reason=receipt.error_reason,
    )
