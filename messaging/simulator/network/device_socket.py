"""The endpoint for linked devices: each has a socket for pairing, sending and events.

Codes expire as the real ones do: the first after a minute, the next ones after 20 seconds, and
after the last one the connection ends.
"""

import asyncio
import base64
import contextlib
import json
import os
import random
from typing import Any

from aiohttp import WSMsgType, web

from core.security.signing import BadToken, read_token
from messaging.simulator.network.devices import DeviceRegistry, LinkedDevice, PairingScan
from messaging.simulator.network.magic_numbers import ORDINARY_PHONE, magic_number_of
from messaging.simulator.network.receipts import ReceiptScheduler
from messaging.simulator.network.state import ChatMessage, timestamp
from messaging.token_purposes import SESSION

MOST_MEDIA = 100 * 1024 * 1024
# The refusals that also apply to a phone's own app: it has no window, no templates and no token.
APPLIED_REFUSALS = {131026, 131056, 130429}
LOGOUT_CODE = 190
_PAIRING_CODE_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTVWXYZ"
_chance = random.random


class DeviceSocket:
    def __init__(self, devices: DeviceRegistry, receipts: ReceiptScheduler) -> None:
        self._devices = devices
        self._network = devices.network
        self._receipts = receipts

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/linked", self.socket),
            web.post("/linked/media", self.upload),
            web.get(r"/linked/media/{id:\d+}", self.download),
        ]

    def _session(self, request: web.Request) -> dict[str, Any]:
        """Check the service's token. A request from a browser page has an Origin and is refused."""
        token = request.headers.get("Authorization", "").partition(" ")[2].strip()
        if "Origin" in request.headers:
            raise web.HTTPForbidden(text="asked for by a page")
        try:
            claims: Any = read_token(self._devices.secret, SESSION, token)
        except BadToken:
            raise web.HTTPUnauthorized(text="the session's token is not good") from None
        return dict(claims)

    async def upload(self, request: web.Request) -> web.Response:
        self._session(request)
        received = bytearray()
        async for chunk in request.content.iter_chunked(64 * 1024):
            received += chunk
            if len(received) > MOST_MEDIA:
                raise web.HTTPRequestEntityTooLarge(MOST_MEDIA, len(received))
        kind = request.headers.get("Content-Type", "application/octet-stream")
        media = self._network.store_media(kind, bytes(received), request.query.get("filename", ""))
        return web.json_response({"id": media.id})

    async def download(self, request: web.Request) -> web.Response:
        self._session(request)
        media = self._network.media(request.match_info["id"])
        if media is None:
            raise web.HTTPNotFound(text="there is no such file")
        return web.Response(body=media.body, headers={"Content-Type": media.mime_type})

    async def socket(self, request: web.Request) -> web.WebSocketResponse:
        claims = self._session(request)
        socket = web.WebSocketResponse(heartbeat=20.0)
        await socket.prepare(request)
        first = await socket.receive_json(timeout=10)
        tenant_id, line_id = int(claims["tenant_id"]), int(claims["line_id"])
        if credential := str(first.get("device") or ""):
            device = self._devices.find(credential, tenant_id, line_id)
            if device is None:
                await socket.send_json({"type": "logged_out", "because": "no longer linked"})
        else:
            device = await self._pair(socket, claims, str(first.get("phone") or ""))
        if device is not None:
            await self._serve(socket, device)
        await socket.close()
        return socket

    async def _pair(
        self, socket: web.WebSocketResponse, claims: dict[str, Any], phone: str
    ) -> LinkedDevice | None:
        """Send codes one after the other, until one is scanned or the connection closes."""
        closed = asyncio.create_task(_until_closed(socket))
        try:
            for number in range(self._network.conditions.qr_codes):
                scan = self._show(claims, number, phone)
                frame = {"type": "code", "code": scan.typed} if phone else {"type": "qr"}
                frame |= {} if phone else {"code": scan.code}
                await socket.send_json({**frame, "seconds": scan.until - timestamp()})
                either: list[asyncio.Future[Any]] = [scan.scanned, closed]
                await asyncio.wait(
                    either,
                    timeout=scan.until - timestamp(),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                self._devices.scans.pop(scan.code or scan.typed, None)
                if closed.done():
                    return None
                if scan.scanned.done():
                    return await self._link(socket, claims, *scan.scanned.result())
            await socket.send_json({"type": "timeout"})
            return None
        finally:
            closed.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await closed

    def _show(self, claims: dict[str, Any], number: int, phone: str) -> PairingScan:
        now = self._network.conditions
        lasts = (now.qr_first_ms if number == 0 or phone else now.qr_next_ms) / 1000
        typed = (
            "".join(
                _PAIRING_CODE_ALPHABET[byte % len(_PAIRING_CODE_ALPHABET)] for byte in os.urandom(8)
            )
            if phone
            else ""
        )
        parts = [base64.b64encode(os.urandom(size)).decode() for size in (32, 32, 16)]
        scan = PairingScan(
            code="" if phone else "2@" + ",".join(parts),
            tenant_id=int(claims["tenant_id"]),
            line_id=int(claims["line_id"]),
            name=str(claims["name"]),
            until=timestamp() + lasts,
            scanned=asyncio.get_running_loop().create_future(),
            typed=typed,
            phone=phone,
        )
        self._devices.scans[scan.code or scan.typed] = scan
        return scan

    async def _link(
        self, socket: web.WebSocketResponse, claims: dict[str, Any], phone: str, name: str
    ) -> LinkedDevice:
        device, credential = self._devices.link(
            int(claims["tenant_id"]), int(claims["line_id"]), str(claims["name"]), phone
        )
        await socket.send_json(
            {"type": "paired", "device": credential, "phone": phone, "name": name}
        )
        return device

    async def _serve(self, socket: web.WebSocketResponse, device: LinkedDevice) -> None:
        """Serve the device's newest connection; an older one is notified and closed."""
        if device.send is not None:
            device.send({"type": "replaced"})
        if device.cut is not None:
            device.cut()
        out: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        send, cut = out.put_nowait, lambda: out.put_nowait(None)
        device.send, device.cut = send, cut
        speaking = asyncio.create_task(_send_frames(socket, out))
        send({"type": "connected"})
        if device.banned:
            send({"type": "restricted", "because": device.banned})
        for frame in list(device.waiting.values()):
            send(frame)
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT and await self._handle_frame(
                    device, json.loads(message.data)
                ):
                    break
        finally:
            if device.send is send:
                device.send = device.cut = None
            for echo in device.unacknowledged.values():
                device.deliver(echo)
            device.unacknowledged.clear()
            speaking.cancel()

    async def _handle_frame(self, device: LinkedDevice, frame: dict[str, Any]) -> bool:
        """Handle one frame. Returns True if the connection breaks here."""
        kind = frame.get("type")
        if kind == "ack":
            device.waiting.pop(frame["n"], None)
        elif kind == "got":
            device.unacknowledged.pop(frame["n"], None)
        elif kind == "log_out":
            self._devices.unlink(device)
        elif kind == "read":
            self._business_read(device, str(frame.get("id")))
        elif kind == "send":
            return await self._send(device, frame)
        return False

    def _business_read(self, device: LinkedDevice, network_id: str) -> None:
        for chat in self._network.chats(tenant_id=device.line.tenant_id):
            if chat.line is device.line and (bubble := chat.find(network_id)):
                bubble.state = "read"
                self._network.publish(chat)

    async def _send(self, device: LinkedDevice, frame: dict[str, Any]) -> bool:
        now = self._network.conditions
        if now.delay_ms:
            await asyncio.sleep(now.delay_ms / 1000)
        if now.drop_before and _chance() < now.drop_before:
            return True
        n, to = frame["n"], str(frame["to"])
        phone = self._network.people.phone_of_id(to, device.line.tenant_id) or to
        refusal = self._refusal(device, phone, str(frame.get("text")))
        if refusal is not None:
            if refusal == LOGOUT_CODE:
                self._devices.unlink(device)
            elif device.send is not None:
                device.send({"type": "refused", "n": n, "code": refusal})
            return False
        bubble = self._take(device, phone, frame)
        bubble.by_id = phone != to
        device.unacknowledged[n] = {
            "type": "echo",
            "id": bubble.id,
            "to": to,
            "kind": str(frame["kind"]),
            "text": bubble.text,
            "at": int(bubble.at),
        }
        if magic_number_of(phone).answer_lost or (now.drop_after and _chance() < now.drop_after):
            return True
        if device.send is not None:
            device.send({"type": "sent", "n": n, "id": bubble.id})
        return False

    def _refusal(self, device: LinkedDevice, phone: str, text: str) -> int | str | None:
        if device.banned:
            return "restricted"
        refusal = magic_number_of(phone).refusal
        if refusal is None or refusal.code not in APPLIED_REFUSALS | {LOGOUT_CODE}:
            return None
        key = f"{device.line.phone}:{text}"
        applies = refusal.times is None or self._network.counts_down(key, phone, refusal.times)
        return refusal.code if applies else None

    def _take(self, device: LinkedDevice, phone: str, frame: dict[str, Any]) -> ChatMessage:
        magic = magic_number_of(phone)
        kind = str(frame["kind"])
        bubble = ChatMessage(
            self._network.new_id(device.line),
            True,
            "audio" if kind == "voice" else kind,
            str(frame.get("text") or ""),
            dict(frame.get("content") or {}),
            timestamp(),
            "accepted",
            reply_to=str((frame.get("content") or {}).get("reply_to") or ""),
        )
        chat = self._network.chat(phone, device.line)
        self._network.accepted.add("", bubble.id)
        if kind == "reaction" and (target := chat.find(str(bubble.content.get("message_id")))):
            target.reaction = bubble.text
        self._network.show(chat, bubble)
        if self._network.conditions.receipts or magic is not ORDINARY_PHONE:
            self._receipts.plan(chat, bubble, magic)
        return bubble


async def _send_frames(
    socket: web.WebSocketResponse, out: "asyncio.Queue[dict[str, Any] | None]"
) -> None:
    """Send frames one at a time; None closes the connection after them."""
    while (frame := await out.get()) is not None:
        await socket.send_json(frame)
    await socket.close()


async def _until_closed(socket: web.WebSocketResponse) -> None:
    async for _ in socket:
        pass
