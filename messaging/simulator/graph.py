"""The paths of the Cloud API: sending, media, the number's own facts, templates."""

import asyncio
import json
import random
from typing import Any

from aiohttp import web

from messaging.simulator.checks import read_send
from messaging.simulator.introductions import introduced
from messaging.simulator.magic import ORDINARY, Refusal, magic_of
from messaging.simulator.receipts import Receipts
from messaging.simulator.samples import TEMPLATES
from messaging.simulator.state import Bubble, Network, SimLine, new_network_id, stamp, user_id

MOST_MEDIA = 16 * 1024 * 1024
_JSON = {"Content-Type": "application/json; charset=UTF-8"}
_NO_TOKEN = Refusal(190, 401, "Invalid OAuth access token - Cannot parse access token")
_EXPIRED = Refusal(190, 401, "Error validating access token: Session has expired")
_TROUBLE = Refusal(131000, 500, "Something went wrong")
EXPIRED_TOKEN = "expired"  # noqa: S105 - a token that begins so has run out
_chance = random.random


def answer(body: Any, status: int = 200) -> web.Response:
    return web.Response(
        body=json.dumps(body, separators=(",", ":")).encode(), status=status, headers=_JSON
    )


def refuse(network: Network, refusal: Refusal, subcode: int | None = None) -> web.Response:
    network.refused[refusal.code] = network.refused.get(refusal.code, 0) + 1
    error: dict[str, Any] = {
        "message": f"(#{refusal.code}) {refusal.message}".replace("(#100) (#100)", "(#100)"),
        "type": "OAuthException",
        "code": refusal.code,
        "error_data": {"messaging_product": "whatsapp", "details": refusal.message},
        "fbtrace_id": new_network_id()[-11:],
    }
    if subcode is not None:
        error["error_subcode"] = subcode
    return answer({"error": error}, refusal.status)


class Graph:
    def __init__(self, network: Network, receipts: Receipts, secret: str = "") -> None:
        self._network = network
        self._receipts = receipts
        self._secret = secret

    def _line(self, request: web.Request, phone_number_id: str = "") -> SimLine | None:
        wanted = phone_number_id or request.match_info["id"]
        known = self._network.lines.get(wanted)
        if known is None:
            known = introduced(self._secret, request.headers.get("Authorization", ""), wanted)
            if known is not None:
                self._network.register(known)
        return known

    def _account(self, request: web.Request) -> list[SimLine]:
        wanted = request.match_info["id"]
        # A line that introduces itself has its account's id made from its own.
        return self._network.account(wanted) or [
            line for line in [self._line(request, wanted[1:] or "0")] if line
        ]

    def routes(self) -> list[web.RouteDef]:
        version = r"/{version:v\d+\.\d+}"
        return [
            web.post(version + r"/{id:\d+}/messages", self.send),
            web.post(version + r"/{id:\d+}/media", self.upload),
            web.get(version + r"/{id:\d+}/message_templates", self.templates),
            web.get(version + r"/{id:\d+}/subscribed_apps", self.subscribed),
            web.get(version + r"/{id:\d+}", self.look_up),
            web.get(r"/_media/{id:\d+}", self.download),
        ]

    def _no_entry(self, request: web.Request) -> web.Response | None:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            return refuse(self._network, _NO_TOKEN)
        if token.startswith(EXPIRED_TOKEN):
            return refuse(self._network, _EXPIRED)
        return None

    def _nothing_here(self, what: str) -> web.Response:
        message = f"Unsupported request. Object with ID '{what}' does not exist"
        return refuse(self._network, Refusal(100, 400, message), subcode=33)

    async def send(self, request: web.Request) -> web.Response:
        raw = await request.read()
        if refused := self._no_entry(request):
            return refused
        line = self._line(request)
        if line is None:
            return self._nothing_here(request.match_info["id"])
        now = self._network.conditions
        if now.delay_ms:
            await asyncio.sleep(now.delay_ms / 1000)
        if now.drop_before and _chance() < now.drop_before:
            return _hang_up(request)
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            return refuse(self._network, Refusal(100, 400, "The body is not JSON"))
        if isinstance(body, dict) and body.get("status") == "read":
            return self._business_read(line, str(body.get("message_id")))
        if now.fail_rate and _chance() < now.fail_rate:
            return refuse(self._network, _TROUBLE)
        return self._take(request, line, body)

    def _take(self, request: web.Request, line: SimLine, body: Any) -> web.Response:
        read = read_send(body)
        if isinstance(read, Refusal):
            return refuse(self._network, read)
        to, kind, text, content = read
        ours = body.get("biz_opaque_callback_data", "")
        phone = to if to[0].isdigit() else self._phone_behind(to, line)
        if phone is None:
            return refuse(self._network, Refusal(131026, 400, "Message undeliverable"))
        magic = magic_of(phone, kind)
        if magic.refusal is not None and self._stands(magic.refusal, ours or line.phone, phone):
            return refuse(self._network, magic.refusal)
        bubble = Bubble(new_network_id(), True, kind, text, content, stamp(), "accepted", ours)
        chat = self._network.chat(phone, line)
        self._network.accepted.add(ours, bubble.id)
        self._network.show(chat, bubble)
        if self._network.conditions.receipts or magic is not ORDINARY:
            self._receipts.plan(chat, bubble, magic)
        rate = self._network.conditions.drop_after
        if magic.answer_lost or (rate and _chance() < rate):
            return _hang_up(request)
        # Both spellings passed their patterns: nothing in them needs escaping.
        person = f'{{"input":"{to}","wa_id":"{phone}"}}'
        return web.Response(
            body=(
                f'{{"messaging_product":"whatsapp","contacts":[{person}],'
                f'"messages":[{{"id":"{bubble.id}"}}]}}'
            ).encode(),
            headers=_JSON,
        )

    def _stands(self, refusal: Refusal, message: str, phone: str) -> bool:
        return refusal.times is None or self._network.meets(message, phone, refusal.times)

    def _phone_behind(self, wanted: str, line: SimLine) -> str | None:
        known = (chat.phone for chat in self._network.chats(tenant_id=line.tenant_id))
        return next((one for one in known if user_id(one, line.account_id) == wanted), None)

    def _business_read(self, line: SimLine, network_id: str) -> web.Response:
        for chat in self._network.chats(tenant_id=line.tenant_id):
            if chat.line is line and (bubble := chat.find(network_id)):
                bubble.state = "read"
                self._network.tell(chat)
        return answer({"success": True})

    async def upload(self, request: web.Request) -> web.Response:
        if refused := self._no_entry(request):
            return refused
        if self._line(request) is None:
            return self._nothing_here(request.match_info["id"])
        form = await request.post()
        given = form.get("file")
        if not isinstance(given, web.FileField):
            return refuse(self._network, Refusal(100, 400, "(#100) Param file is required"))
        body = given.file.read(MOST_MEDIA + 1)
        if not body or len(body) > MOST_MEDIA:
            return refuse(self._network, Refusal(131053, 400, "Media upload error: size"))
        kind = str(form.get("type") or given.content_type)
        return answer({"id": self._network.keep_media(kind, body, given.filename).id})

    async def look_up(self, request: web.Request) -> web.Response:
        if refused := self._no_entry(request):
            return refused
        wanted = request.match_info["id"]
        if line := self._line(request):
            return answer(_number(line))
        if media := self._network.media(wanted):
            return answer(
                {
                    "messaging_product": "whatsapp",
                    "url": f"{request.scheme}://{request.host}/_media/{media.id}",
                    "mime_type": media.mime_type,
                    "sha256": media.sha256,
                    "file_size": len(media.body),
                    "id": media.id,
                }
            )
        return self._nothing_here(wanted)

    async def download(self, request: web.Request) -> web.Response:
        if refused := self._no_entry(request):
            return refused
        media = self._network.media(request.match_info["id"])
        if media is None:
            raise web.HTTPNotFound
        return web.Response(body=media.body, headers={"Content-Type": media.mime_type})

    async def templates(self, request: web.Request) -> web.Response:
        if refused := self._no_entry(request):
            return refused
        if not self._account(request):
            return self._nothing_here(request.match_info["id"])
        return answer(page_of(TEMPLATES, request))

    async def subscribed(self, request: web.Request) -> web.Response:
        if refused := self._no_entry(request):
            return refused
        lines = self._account(request)
        if not lines:
            return self._nothing_here(request.match_info["id"])
        app = {"whatsapp_business_api_data": {"id": "1", "name": "Simulated app"}}
        return answer({"data": [app] if any(line.callback_url for line in lines) else []})


def page_of(all_of_them: list[dict[str, Any]], request: web.Request) -> dict[str, Any]:
    """As the network pages: a cursor, and `next` only when there is more."""
    limit, after = request.query.get("limit", ""), request.query.get("after", "")
    size = min(int(limit), 100) if limit.isdecimal() and int(limit) > 0 else 25
    begins = int(after) if after.isdecimal() else 0
    ends = min(begins + size, len(all_of_them))
    paging: dict[str, Any] = {"cursors": {"before": str(begins), "after": str(ends)}}
    if ends < len(all_of_them):
        paging["next"] = str(request.url.update_query(after=str(ends)))
    return {"data": all_of_them[begins:ends], "paging": paging}


def _number(line: SimLine) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "id": line.phone_number_id,
        "display_phone_number": f"+{line.phone}",
        "verified_name": line.title,
        "quality_rating": "GREEN",
        "status": "CONNECTED",
    }
    if line.callback_url:
        facts["webhook_configuration"] = {"application": line.callback_url}
    return facts


def _hang_up(request: web.Request) -> web.Response:
    """The connection breaks in place of an answer."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)
