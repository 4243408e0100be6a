"""The Graph API of templates: create, edit, delete, and upload files for headers."""

import asyncio
import json
import secrets
from collections.abc import Callable
from typing import Any

from aiohttp import web

from messaging.simulator.network.magic_numbers import Refusal
from messaging.simulator.network.state import SimulatedLine, SimulatedNetwork
from messaging.simulator.network.templates.checks import template_fault
from messaging.simulator.network.templates.store import Template, new_template_id
from messaging.simulator.network.webhook_sender import WebhookSender

APP_ID = "1"
REJECTED_NAME, PAUSED_NAME = "reject", "pause_after_"
_VERSION = r"/{version:v\d+\.\d+}"
_OTP_URL = "https://www.whatsapp.com/otp/code/?otp_type={kind}&code=otp{{{{1}}}}"
Refuse = Callable[[Refusal, int | None], web.Response]


class TemplateEndpoints:
    """`account_lines` finds the lines of the account in a path; `refuse` makes the error."""

    def __init__(
        self,
        network: SimulatedNetwork,
        courier: WebhookSender | None,
        account_lines: Callable[[web.Request], list[SimulatedLine]],
        unauthorized: Callable[[web.Request], web.Response | None],
        refuse: Refuse,
    ) -> None:
        self._network = network
        self._courier = courier
        self._account_lines = account_lines
        self._unauthorized = unauthorized
        self._refuse = refuse

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get(_VERSION + "/app", self.app),
            web.post(_VERSION + r"/{id:\d+}/uploads", self.begin_upload),
            web.post(_VERSION + r"/{session:upload:[\w-]+}", self.upload),
            web.post(_VERSION + r"/{id:\d+}/message_templates", self.create),
            web.delete(_VERSION + r"/{id:\d+}/message_templates", self.delete),
            web.post(_VERSION + r"/{id:\d+}", self.edit),
        ]

    def resume_reviews(self) -> None:
        """Review what was pending when the simulator stopped."""
        for account_id, template in self._network.templates.pending():
            self._plan_review(account_id, template)

    async def app(self, request: web.Request) -> web.Response:
        return self._unauthorized(request) or _answer({"id": APP_ID, "name": "Simulated app"})

    async def begin_upload(self, request: web.Request) -> web.Response:
        if refused := self._unauthorized(request):
            return refused
        if not request.query.get("file_length", "").isdecimal():
            return self._refuse(Refusal(100, 400, "file_length is required"), None)
        return _answer({"id": f"upload:{secrets.token_urlsafe(12)}"})

    async def upload(self, request: web.Request) -> web.Response:
        body = await request.read()
        if not request.headers.get("Authorization", "").startswith("OAuth ") or not body:
            return self._refuse(
                Refusal(100, 400, "The upload has no access token or no file"), None
            )
        handle = f"4::{secrets.token_urlsafe(24)}"
        self._network.templates.handles.add(handle)
        return _answer({"h": handle})

    async def create(self, request: web.Request) -> web.Response:
        body = await self._read(request)
        if isinstance(body, web.Response):
            return body
        account_id = request.match_info["id"]
        store = self._network.templates
        if fault := template_fault(body, store.handles):
            return self._refuse(Refusal(100, 400, fault.message), fault.subcode)
        if store.find(account_id, body["name"], body["language"]):
            message = "There is already content in this language for this template."
            return self._refuse(Refusal(100, 400, message), 2388024)
        template = {
            "id": new_template_id(),
            "name": body["name"],
            "language": body["language"],
            **_reviewed_parts(body),
        }
        store.add(account_id, template)
        self._plan_review(account_id, template)
        return _answer({name: template[name] for name in ("id", "status", "category")})

    async def edit(self, request: web.Request) -> web.Response:
        if refused := self._unauthorized(request):
            return refused
        accounts = dict.fromkeys(line.account_id for line in self._network.lines.values())
        found = self._network.templates.find_by_id(request.match_info["id"], accounts)
        if found is None:
            return self._refuse(Refusal(100, 400, "Object does not exist"), 33)
        account_id, template = found
        body = {**template, **(await _json(request) or {})}
        if fault := template_fault(body, self._network.templates.handles):
            return self._refuse(Refusal(100, 400, fault.message), fault.subcode)
        template.update(_reviewed_parts(body))
        self._network.templates.save()
        self._plan_review(account_id, template)
        return _answer({"success": True, "id": template["id"], "category": template["category"]})

    async def delete(self, request: web.Request) -> web.Response:
        if refused := self._unauthorized(request) or self._unknown_account(request):
            return refused
        name, template_id = request.query.get("name", ""), request.query.get("hsm_id", "")
        if not self._network.templates.remove(request.match_info["id"], name, template_id):
            return self._refuse(Refusal(100, 404, "The template was not found"), 2593002)
        return _answer({"success": True})

    async def _read(self, request: web.Request) -> Any:
        if refused := self._unauthorized(request) or self._unknown_account(request):
            return refused
        return await _json(request)

    def _unknown_account(self, request: web.Request) -> web.Response | None:
        if self._account_lines(request):
            return None
        return self._refuse(Refusal(100, 400, "Unsupported request. Unknown account"), 33)

    def _plan_review(self, account_id: str, template: Template) -> None:
        seconds = self._network.conditions.review_ms / 1000
        asyncio.get_running_loop().call_later(seconds, self._review, account_id, template)

    def _review(self, account_id: str, template: Template) -> None:
        """Approve the template, or reject a name that contains `reject`.

        A name that contains `pause_after_` and a number is paused after so many messages.
        """
        if template["status"] != "PENDING":
            return
        rejected = REJECTED_NAME in template["name"]
        template["status"] = "REJECTED" if rejected else "APPROVED"
        template["rejected_reason"] = "PROMOTIONAL" if rejected else "NONE"
        self._network.templates.save()
        self._report(account_id, template, template["status"])

    def count_send(self, account_id: str, template: Template) -> None:
        """Pause the template if its name says so."""
        limit = pause_limit(template["name"])
        if limit is None or template["status"] != "APPROVED":
            return
        template["sends"] = template.get("sends", 0) + 1
        if template["sends"] >= limit:
            template["status"] = "PAUSED"
            self._report(account_id, template, "PAUSED")
        self._network.templates.save()

    def _report(self, account_id: str, template: Template, event: str) -> None:
        value = {
            "event": event,
            "message_template_id": int(template["id"]),
            "message_template_name": template["name"],
            "message_template_language": template["language"],
            "message_template_category": template["category"],
            "reason": template.get("rejected_reason", "NONE"),
        }
        lines = self._network.account(account_id)
        if lines and self._courier is not None:
            self._courier.account_update(lines[0], "message_template_status_update", value)


def pause_limit(name: str) -> int | None:
    """The number after `pause_after_` in a name; None if there is none."""
    _before, found, after = name.partition(PAUSED_NAME)
    digits = after.partition("_")[0]
    return int(digits) if found and digits.isdecimal() and int(digits) > 0 else None


def _reviewed_parts(body: dict[str, Any]) -> dict[str, Any]:
    return {
        "category": body["category"],
        "status": "PENDING",
        "rejected_reason": "NONE",
        "quality_score": {"score": "UNKNOWN"},
        "parameter_format": body.get("parameter_format") or "POSITIONAL",
        "components": _written_out(body["components"]),
    }


def _written_out(components: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write the text of an authentication template, as the network does."""
    return [_written_part(one) for one in components]


def _written_part(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("type") == "BODY" and "text" not in part:
        text = "*{{1}}* is your verification code."
        if part.get("add_security_recommendation"):
            text += " For your security, do not share this code."
        return {**part, "text": text, "example": {"body_text": [["123456"]]}}
    if part.get("type") == "FOOTER" and "code_expiration_minutes" in part:
        return {**part, "text": f"Expires in {part['code_expiration_minutes']} minutes."}
    if part.get("type") == "BUTTONS":
        return {**part, "buttons": [_written_button(one) for one in part["buttons"]]}
    return part


def _written_button(button: dict[str, Any]) -> dict[str, Any]:
    if button.get("type") != "OTP":
        return button
    kind = button["otp_type"]
    url = _OTP_URL.format(kind=kind)
    return {**button, "type": "URL", "text": button.get("text") or "Copy code", "url": url}


async def _json(request: web.Request) -> Any:
    try:
        return json.loads(await request.read())
    except (ValueError, RecursionError):
        return None


def _answer(body: dict[str, Any]) -> web.Response:
    return web.json_response(body)
