"""The Cloud API's paths: sending, media, number details, templates."""

import asyncio
import json
import random
from functools import partial
from typing import Any

from aiohttp import web

from messaging.simulator.network.line_tokens import line_from_token
from messaging.simulator.network.magic_numbers import ORDINARY_PHONE, Refusal, magic_number_of
from messaging.simulator.network.receipts import ReceiptScheduler
from messaging.simulator.network.send_checks import check_send
from messaging.simulator.network.state import (
    ChatMessage,
    SimulatedLine,
    SimulatedNetwork,
    new_network_id,
    timestamp,
    user_id,
)
from messaging.simulator.network.templates.endpoints import TemplateEndpoints
from messaging.simulator.network.webhook_sender import WebhookSender

MOST_MEDIA = 16 * 1024 * 1024
_JSON = {"Content-Type": "application/json; charset=UTF-8"}
_NO_TOKEN = Refusal(190, 401, "Invalid OAuth access token - Cannot parse access token")
_EXPIRED = Refusal(190, 401, "Error validating access token: Session has expired")
_SERVER_ERROR = Refusal(131000, 500, "Something went wrong")
EXPIRED_TOKEN = "expired"  # noqa: S105 - a token that begins so has run out
_chance = random.random


def json_response(body: Any, status: int = 200) -> web.Response:
    return web.Response(
        body=json.dumps(body, separators=(",", ":")).encode(), status=status, headers=_JSON
    )


def refusal_response(
    network: SimulatedNetwork, refusal: Refusal, subcode: int | None = None
) -> web.Response:
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
    return json_response({"error": error}, refusal.status)


class GraphApi:
    def __init__(
        self,
        network: SimulatedNetwork,
        receipts: ReceiptScheduler,
        secret: str = "",
        courier: WebhookSender | None = None,
    ) -> None:
        self._network = network
        self._receipts = receipts
        self._secret = secret
        self.templates = TemplateEndpoints(
            network,
            courier,
            self._account,
            self._unauthorized,
            lambda refusal, subcode: refusal_response(network, refusal, subcode),
        )

    def _line(self, request: web.Request, phone_number_id: str = "") -> SimulatedLine | None:
        number_id = phone_number_id or request.match_info["id"]
        known = self._network.lines.get(number_id)
        if known is None:
            known = line_from_token(
                self._secret, request.headers.get("Authorization", ""), number_id
            )
            if known is not None:
                self._network.register(known)
        return known

    def _account(self, request: web.Request) -> list[SimulatedLine]:
        account_id = request.match_info["id"]
        # The account id of a line that registers by its token is derived from its own id.
        return self._network.account(account_id) or [
            line for line in [self._line(request, account_id[1:] or "0")] if line
        ]

    def routes(self) -> list[web.RouteDef]:
        version = r"/{version:v\d+\.\d+}"
        return [
            web.post(version + r"/{id:\d+}/messages", self.send),
            web.post(version + r"/{id:\d+}/media", self.upload),
            web.get(version + r"/{id:\d+}/message_templates", self.list_templates),
            *self.templates.routes(),
            web.get(version + r"/{id:\d+}/subscribed_apps", self.subscribed),
            web.get(version + r"/{id:\d+}", self.look_up),
            web.get(r"/_media/{id:\d+}", self.download),
        ]

    def _unauthorized(self, request: web.Request) -> web.Response | None:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            return refusal_response(self._network, _NO_TOKEN)
        if token.startswith(EXPIRED_TOKEN):
            return refusal_response(self._network, _EXPIRED)
        return None

    def _not_found(self, what: str) -> web.Response:
        message = f"Unsupported request. Object with ID '{what}' does not exist"
        return refusal_response(self._network, Refusal(100, 400, message), subcode=33)

    async def send(self, request: web.Request) -> web.Response:
        raw = await request.read()
        if refused := self._unauthorized(request):
            return refused
        line = self._line(request)
        if line is None:
            return self._not_found(request.match_info["id"])
        now = self._network.conditions
        if now.delay_ms:
            await asyncio.sleep(now.delay_ms / 1000)
        if now.drop_before and _chance() < now.drop_before:
            return _drop_connection(request)
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            return refusal_response(self._network, Refusal(100, 400, "The body is not JSON"))
        if isinstance(body, dict) and body.get("status") == "read":
            return self._business_read(line, str(body.get("message_id")))
        if now.fail_rate and _chance() < now.fail_rate:
            return refusal_response(self._network, _SERVER_ERROR)
        return self._take(request, line, body)

    def _take(self, request: web.Request, line: SimulatedLine, body: Any) -> web.Response:
        read = check_send(body, partial(self._network.templates.find, line.account_id))
        if isinstance(read, Refusal):
            return refusal_response(self._network, read)
        to, kind, text, content = read
        ours = body.get("biz_opaque_callback_data", "")
        phone = to if to[0].isdigit() else self._recipient_phone(to, line)
        if phone is None:
            return refusal_response(self._network, Refusal(131026, 400, "Message undeliverable"))
        magic = magic_number_of(phone, kind)
        if magic.refusal is not None and self._refusal_applies(
            magic.refusal, ours or line.phone, phone
        ):
            return refusal_response(self._network, magic.refusal)
        bubble = ChatMessage(
            new_network_id(), True, kind, text, content, timestamp(), "accepted", ours
        )
        chat = self._network.chat(phone, line)
        self._network.accepted.add(ours, bubble.id)
        if kind == "reaction" and (target := chat.find(content["message_id"])):
            target.reaction = text
        self._network.show(chat, bubble)
        if self._network.conditions.receipts or magic is not ORDINARY_PHONE:
            self._receipts.plan(chat, bubble, magic)
        rate = self._network.conditions.drop_after
        if magic.answer_lost or (rate and _chance() < rate):
            return _drop_connection(request)
        # Both values matched their patterns: nothing in them needs escaping.
        person = f'{{"input":"{to}","wa_id":"{phone}"}}'
        return web.Response(
            body=(
                f'{{"messaging_product":"whatsapp","contacts":[{person}],'
                f'"messages":[{{"id":"{bubble.id}"}}]}}'
            ).encode(),
            headers=_JSON,
        )

    def _refusal_applies(self, refusal: Refusal, message: str, phone: str) -> bool:
        return refusal.times is None or self._network.counts_down(message, phone, refusal.times)

    def _recipient_phone(self, recipient: str, line: SimulatedLine) -> str | None:
        known = (chat.phone for chat in self._network.chats(tenant_id=line.tenant_id))
        return next((one for one in known if user_id(one, line.account_id) == recipient), None)

    def _business_read(self, line: SimulatedLine, network_id: str) -> web.Response:
        for chat in self._network.chats(tenant_id=line.tenant_id):
            if chat.line is line and (bubble := chat.find(network_id)):
                bubble.state = "read"
                self._network.publish(chat)
        return json_response({"success": True})

    async def upload(self, request: web.Request) -> web.Response:
        if refused := self._unauthorized(request):
            return refused
        if self._line(request) is None:
            return self._not_found(request.match_info["id"])
        form = await request.post()
        given = form.get("file")
        if not isinstance(given, web.FileField):
            return refusal_response(
                self._network, Refusal(100, 400, "(#100) Param file is required")
            )
        body = given.file.read(MOST_MEDIA + 1)
        if not body or len(body) > MOST_MEDIA:
            return refusal_response(self._network, Refusal(131053, 400, "Media upload error: size"))
        kind = str(form.get("type") or given.content_type)
        return json_response({"id": self._network.store_media(kind, body, given.filename).id})

    async def look_up(self, request: web.Request) -> web.Response:
        if refused := self._unauthorized(request):
            return refused
        object_id = request.match_info["id"]
        if line := self._line(request):
            return json_response(_number(line))
        if media := self._network.media(object_id):
            return json_response(
                {
                    "messaging_product": "whatsapp",
                    "url": f"{request.scheme}://{request.host}/_media/{media.id}",
                    "mime_type": media.mime_type,
                    "sha256": media.sha256,
                    "file_size": len(media.body),
                    "id": media.id,
                }
            )
        return self._not_found(object_id)

    async def download(self, request: web.Request) -> web.Response:
        if refused := self._unauthorized(request):
            return refused
        media = self._network.media(request.match_info["id"])
        if media is None:
            raise web.HTTPNotFound
        return web.Response(body=media.body, headers={"Content-Type": media.mime_type})

    async def list_templates(self, request: web.Request) -> web.Response:
        if refused := self._unauthorized(request):
            return refused
        if not self._account(request):
            return self._not_found(request.match_info["id"])
        found = self._network.templates.templates_of(request.match_info["id"])
        return json_response(paged_response(found, request))

    async def subscribed(self, request: web.Request) -> web.Response:
        if refused := self._unauthorized(request):
            return refused
        lines = self._account(request)
        if not lines:
            return self._not_found(request.match_info["id"])
        app = {"whatsapp_business_api_data": {"id": "1", "name": "Simulated app"}}
        return json_response({"data": [app] if any(line.callback_url for line in lines) else []})


def paged_response(all_of_them: list[dict[str, Any]], request: web.Request) -> dict[str, Any]:
    """Page like the network: a cursor, and `next` only if there is more."""
    limit, after = request.query.get("limit", ""), request.query.get("after", "")
    size = min(int(limit), 100) if limit.isdecimal() and int(limit) > 0 else 25
    begins = int(after) if after.isdecimal() else 0
    ends = min(begins + size, len(all_of_them))
    paging: dict[str, Any] = {"cursors": {"before": str(begins), "after": str(ends)}}
    if ends < len(all_of_them):
        paging["next"] = str(request.url.update_query(after=str(ends)))
    return {"data": all_of_them[begins:ends], "paging": paging}


def _number(line: SimulatedLine) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "id": line.phone_number_id,
        "display_phone_number": f"+{line.phone}",
        "verified_name": line.title,
        "quality_rating": "GREEN",
        "whatsapp_business_manager_messaging_limit": "TIER_UNLIMITED",
        "is_on_biz_app": False,
        "platform_type": "CLOUD_API",
        "status": "CONNECTED",
    }
    if line.callback_url:
        facts["webhook_configuration"] = {"application": line.callback_url}
    return facts


def _drop_connection(request: web.Request) -> web.Response:
    """Break the connection instead of sending a response."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)
