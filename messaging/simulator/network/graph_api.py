"""The Cloud API's paths: sending, media, number details, templates."""

import asyncio
import json
import random
from functools import partial
from typing import Any

from aiohttp import web

from messaging.simulator.network.checks.limits import SendLimits
from messaging.simulator.network.checks.refusals import refuse
from messaging.simulator.network.line_tokens import line_from_token
from messaging.simulator.network.magic_numbers import ORDINARY_PHONE, Refusal, magic_number_of
from messaging.simulator.network.people.meta_agent import MetaAgent
from messaging.simulator.network.people.reply_window import is_open
from messaging.simulator.network.read_reports import business_read
from messaging.simulator.network.receipts import ReceiptScheduler
from messaging.simulator.network.send_checks import check_read, check_send
from messaging.simulator.network.state import (
    Chat,
    ChatMessage,
    SimulatedLine,
    SimulatedNetwork,
    new_network_id,
    timestamp,
)
from messaging.simulator.network.templates.endpoints import TemplateEndpoints
from messaging.simulator.network.webhook_sender import WebhookSender

MOST_MEDIA = 16 * 1024 * 1024
_JSON = {"Content-Type": "application/json; charset=UTF-8"}
_NO_TOKEN = Refusal(190, 401, "Invalid OAuth access token - Cannot parse access token")
_EXPIRED = Refusal(190, 401, "Error validating access token: Session has expired")
_SERVER_ERROR = Refusal(131000, 500, "Something went wrong")
WINDOW_CLOSED = (
    "Message failed to send because more than 24 hours have passed since the customer last replied"
    " to this number."
)
DIRECT_SEND_REFUSALS = {
    "off": refuse(100, "Direct Send is not enabled for this account."),
    "blocked": refuse(139200, "Direct Send is blocked for this account."),
    "limited": refuse(131064, "Direct Send is limited because of wrong categories."),
}
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
        "message": f"(#{refusal.code}) {refusal.message}",
        "type": "OAuthException",
        "code": refusal.code,
        "error_data": {
            "messaging_product": "whatsapp",
            "details": refusal.details or refusal.message,
        },
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
        agent: MetaAgent,
        secret: str = "",
        courier: WebhookSender | None = None,
    ) -> None:
        self._network = network
        self._agent = agent
        self._limits = SendLimits()
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
            return refusal_response(self._network, refuse(100, "The body is not JSON."))
        if isinstance(body, dict) and body.get("status") == "read":
            return self._business_read(line, body)
        if now.fail_rate and _chance() < now.fail_rate:
            return refusal_response(self._network, _SERVER_ERROR)
        return self._take(request, line, body)

    def _count_template(self, line: SimulatedLine, kind: str, body: Any) -> None:
        if kind != "template":
            return
        part = body["template"]
        code = str(part["language"]["code"])
        found = self._network.templates.find(line.account_id, str(part["name"]), code)
        if found is not None:
            self.templates.count_send(line.account_id, found)

    def _take(self, request: web.Request, line: SimulatedLine, body: Any) -> web.Response:
        read = check_send(body, partial(self._network.templates.find, line.account_id))
        if isinstance(read, Refusal):
            return refusal_response(self._network, read)
        to, kind, text, content = read
        ours, by_id = body.get("biz_opaque_callback_data", ""), not to[0].isdigit()
        if by_id and "to" in body:
            return self._drop_message(to, ours)
        phone = self._phone_of_id(to, line) if by_id else to
        chat = self._network.chat(phone, line) if phone else None
        magic = magic_number_of(phone, kind)
        refusal = self._refusal(chat, kind, content, body) if chat else refuse(131026)
        if refusal is not None or chat is None:
            return refusal_response(self._network, refusal or refuse(131026))
        self._count_template(line, kind, body)
        bubble = ChatMessage(
            new_network_id(),
            True,
            kind,
            text,
            content,
            timestamp(),
            "accepted",
            ours,
            reply_to=(body.get("context") or {}).get("message_id", ""),
            by_id=by_id,
        )
        if "category" in body:
            bubble.content = {**content, "category": body["category"]}
        chat.typing_until = 0.0
        if kind != "template":  # a service message takes the conversation from Meta's agent
            self._agent.hand_over(chat)
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
        person = f'{{"input":"{to}","{"user_id" if by_id else "wa_id"}":"{to}"}}'
        return web.Response(
            body=(
                f'{{"messaging_product":"whatsapp","contacts":[{person}],'
                f'"messages":[{{"id":"{bubble.id}"}}]}}'
            ).encode(),
            headers=_JSON,
        )

    def _refusal(
        self, chat: Chat, kind: str, content: dict[str, Any], body: dict[str, Any]
    ) -> Refusal | None:
        """Check what depends on the person, the account and the time."""
        network, line = self._network, chat.line
        magic = magic_number_of(chat.phone, kind).refusal
        ours = body.get("biz_opaque_callback_data", "") or line.phone
        if magic and (magic.times is None or network.counts_down(ours, chat.phone, magic.times)):
            return magic
        if kind == "template":
            if "to" not in body and content["category"] == "authentication":
                return refuse(131062, "Authentication templates need a phone number.")
        elif refusal := self._window_refusal(chat, direct="category" in body):
            return refusal
        at = timestamp()
        return self._limits.fault(network.conditions, line.phone_number_id, chat.phone, at)

    def _window_refusal(self, chat: Chat, *, direct: bool) -> Refusal | None:
        """A message with a category needs no window, if the account may send it."""
        if not direct:
            return None if is_open(self._network, chat) else refuse(131047, WINDOW_CLOSED)
        return DIRECT_SEND_REFUSALS.get(self._network.conditions.direct_send)

    def _drop_message(self, to: str, ours: str) -> web.Response:
        """An id in `to` is accepted and never delivered, without a receipt."""
        message_id = new_network_id()
        self._network.accepted.add(ours, message_id)
        return json_response(
            {
                "messaging_product": "whatsapp",
                "contacts": [{"input": to, "wa_id": to}],
                "messages": [{"id": message_id}],
            }
        )

    def _phone_of_id(self, user_id: str, line: SimulatedLine) -> str:
        """The phone of the person with this id; "" if there is none, or the id was replaced."""
        network, tenant_id = self._network, line.tenant_id
        if phone := network.people.phone_of_id(user_id, tenant_id):
            return phone
        for chat in network.chats(tenant_id=tenant_id):
            person = network.person(chat)
            if user_id in (person.user_id, person.parent_user_id):
                network.people.remember_id(user_id, person)
                return chat.phone
        return ""

    def _business_read(self, line: SimulatedLine, body: dict[str, Any]) -> web.Response:
        """Mark the message and those before it as read, and show that the business types."""
        if fault := check_read(body):
            return refusal_response(self._network, fault)
        typing = "typing_indicator" in body
        business_read(self._network, line, body["message_id"], typing=typing)
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
                self._network, refuse(131008, "Required parameter is missing: file")
            )
        body = given.file.read(MOST_MEDIA + 1)
        if not body or len(body) > MOST_MEDIA:
            return refusal_response(self._network, refuse(131053, "File empty or too large"))
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
