"""Create, edit and delete the templates of a business account, and upload files for headers."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from core.http import OutboundError
from core.http.async_client import Client
from messaging import reasons
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.errors import TOKEN_REJECTED, error_meaning, status_meaning
from messaging.lines.drivers.cloud.field_readers import read_id, read_text
from messaging.lines.drivers.cloud.responses import api_error, bearer_header, read_json
from messaging.reasons import with_detail

UPLOAD_SECONDS = 120.0
LONGEST_MESSAGE = 400


@dataclass(frozen=True)
class TemplateRefusal:
    """The network refused. `message` is its own explanation for people; may be empty."""

    code: int | None
    subcode: int | None
    message: str = ""
    reason: str = ""
    """Of messaging/reasons.py, if line or network are the cause; the template may be fine."""
    line_state: str = ""


@dataclass(frozen=True)
class SubmittedTemplate:
    network_id: str
    state: str
    category: str


@dataclass(frozen=True)
class HeaderFile:
    body: bytes
    mime_type: str
    filename: str


@dataclass(frozen=True)
class TemplateApi:
    """The network's template calls with the access of one line."""

    client: Client
    base_url: str
    version: str
    facts: LineFacts

    async def create(
        self, account_id: str, payload: dict[str, Any]
    ) -> SubmittedTemplate | TemplateRefusal:
        answer = await self._post(f"{quote(account_id, safe='')}/message_templates", payload)
        return answer if isinstance(answer, TemplateRefusal) else _submitted(answer)

    async def edit(
        self, network_id: str, payload: dict[str, Any]
    ) -> SubmittedTemplate | TemplateRefusal:
        """The answer to an edit has no state: the template is reviewed again."""
        answer = await self._post(quote(network_id, safe=""), payload)
        if isinstance(answer, TemplateRefusal):
            return answer
        return _submitted({"id": network_id, **answer})

    async def delete(self, account_id: str, name: str, network_id: str) -> TemplateRefusal | None:
        """Delete one language. Without `network_id` all languages of the name are deleted."""
        params = {"name": name} | ({"hsm_id": network_id} if network_id else {})
        path = f"{quote(account_id, safe='')}/message_templates?{urlencode(params)}"
        answer = await self._request("DELETE", path)
        return answer if isinstance(answer, TemplateRefusal) else None

    async def upload(self, file: HeaderFile) -> str | TemplateRefusal:
        """Upload a sample file with a resumable upload. Returns its handle."""
        app = await self._request("GET", "app")
        if isinstance(app, TemplateRefusal):
            return app
        params = urlencode(
            {
                "file_name": file.filename,
                "file_length": str(len(file.body)),
                "file_type": file.mime_type,
            }
        )
        begun = await self._post(f"{quote(read_id(app.get('id')), safe='')}/uploads?{params}", {})
        if isinstance(begun, TemplateRefusal):
            return begun
        session = read_text(begun.get("id"))
        stored = await self._request(
            "POST",
            quote(session, safe=":?=&-_"),
            body=file.body,
            headers={
                "Authorization": f"OAuth {self.facts.token}",
                "Content-Type": "application/octet-stream",
                "file_offset": "0",
            },
        )
        if isinstance(stored, TemplateRefusal):
            return stored
        return read_text(stored.get("h")) or TemplateRefusal(None, None)

    async def _post(self, path: str, payload: dict[str, Any]) -> dict[str, Any] | TemplateRefusal:
        body = json.dumps(payload, separators=(",", ":")).encode()
        return await self._request(
            "POST", path, body=body, headers={"Content-Type": "application/json"}
        )

    async def _request(
        self, method: str, path: str, *, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> dict[str, Any] | TemplateRefusal:
        authorization = bearer_header(self.facts.token)
        if authorization is None:
            return TemplateRefusal(None, None, "", TOKEN_REJECTED.reason, TOKEN_REJECTED.line_state)
        try:
            reply = await self.client.request(
                method,
                f"{self.base_url}/{self.version}/{path}",
                headers={"Authorization": authorization} | (headers or {}),
                body=body or None,
                timeout=UPLOAD_SECONDS,
            )
        except OutboundError as error:
            unreachable = with_detail(reasons.UNREACHABLE_BECAUSE, f"{error}.")
            return TemplateRefusal(None, None, "", unreachable)
        answer = read_json(reply.body)
        fault = api_error(answer)
        if reply.ok and isinstance(answer, dict) and fault is None:
            return answer
        return _refusal(reply.status, answer)


def _submitted(answer: dict[str, Any]) -> SubmittedTemplate:
    return SubmittedTemplate(
        network_id=read_id(answer.get("id")),
        state=read_text(answer.get("status")).lower()[:40] or "pending",
        category=read_text(answer.get("category")).lower()[:40],
    )


def _refusal(status: int, answer: Any) -> TemplateRefusal:
    fault = api_error(answer)
    if fault is None:
        return TemplateRefusal(None, None, "", status_meaning(status).reason)
    said = answer["error"].get("error_user_msg")
    message = read_text(said)[:LONGEST_MESSAGE] or fault.details
    known = error_meaning(fault.code, fault.subcode)
    if known is not None and (known.line_state or known.later) and fault.subcode is None:
        return TemplateRefusal(fault.code, fault.subcode, message, known.reason, known.line_state)
    return TemplateRefusal(fault.code, fault.subcode, message)
