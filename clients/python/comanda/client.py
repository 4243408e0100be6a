"""The client. Lists are iterators that fetch pages as they are consumed."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Self, TypedDict, Unpack
from urllib.parse import quote

from comanda.shapes import Change, Contact, Event, Message, Raw, Sent, Template
from comanda.transport import Transport

MediaType = Literal["image", "document", "video", "audio"]
Category = Literal["authentication", "marketing", "utility"]
Parameters = Sequence[str] | Mapping[str, Any]
PAGE = 200


class Options(TypedDict, total=False):
    """The options of every send method."""

    instance_id: int
    reference: str
    scheduled_at: datetime
    valid_for_seconds: int
    fallback_template: Mapping[str, Any]
    wait: int
    """Seconds to wait for the network's answer, 1 to 30; 0 returns at once."""
    idempotency_key: str


class Comanda:
    """`Comanda(api_key, base_url)`; thread-safe.

    Retries 429 and 5xx responses and failed connections `retries` times, with growing pauses or
    after `Retry-After`. Every POST has an idempotency key.
    """

    def __init__(
        self, api_key: str, base_url: str, *, timeout: float = 40.0, retries: int = 4
    ) -> None:
        self._transport = Transport(api_key, base_url, timeout=timeout, retries=retries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def me(self) -> Raw:
        """The account, its plan and limits, and the permissions of this key."""
        return self._transport.call("GET", "/me")

    # Sending. Each call waits up to ten seconds for the network's answer; `wait=0` does not wait.

    def send(self, phone: str, message: str, **options: Unpack[Options]) -> Sent:
        return self._send("/messages/send", {"phone": phone, "message": message}, options)

    def send_media(
        self,
        phone: str,
        media_url: str,
        type: MediaType,  # noqa: A002 - the field's name
        *,
        caption: str | None = None,
        filename: str | None = None,
        **options: Unpack[Options],
    ) -> Sent:
        body: Raw = {"phone": phone, "media_url": media_url, "type": type}
        extra = {"caption": caption, "filename": filename}
        return self._send("/messages/send-media", {**body, **_given(extra)}, options)

    def send_location(
        self,
        phone: str,
        latitude: float,
        longitude: float,
        *,
        name: str | None = None,
        address: str | None = None,
        **options: Unpack[Options],
    ) -> Sent:
        body: Raw = {"phone": phone, "latitude": latitude, "longitude": longitude}
        extra = {"name": name, "address": address}
        return self._send("/messages/send-location", {**body, **_given(extra)}, options)

    def send_template(
        self,
        phone: str,
        name: str,
        language: str,
        parameters: Parameters = (),
        **options: Unpack[Options],
    ) -> Sent:
        given = dict(parameters) if isinstance(parameters, Mapping) else list(parameters)
        body: Raw = {"phone": phone, "name": name, "language": language, "parameters": given}
        return self._send("/messages/send-template", body, options)

    # Messages

    def message(self, message_id: str) -> Message:
        """Find a message by our id or by the network's."""
        return Message.of(self._transport.call("GET", f"/messages/{quote(message_id, safe='')}"))

    def timeline(self, message_id: str) -> list[Change]:
        path = f"/messages/{quote(message_id, safe='')}/timeline"
        return [Change.of(one) for one in self._transport.call("GET", path)["data"]]

    def cancel(self, message_id: str) -> Message:
        """Possible until the message has been sent."""
        path = f"/messages/{quote(message_id, safe='')}/cancel"
        return Message.of(self._transport.call("POST", path))

    def messages(
        self,
        *,
        phone: str | None = None,
        instance_id: int | None = None,
        status_code: str | None = None,
        direction: Literal["in", "out"] | None = None,
        reference: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        page: int = PAGE,
    ) -> Iterator[Message]:
        """Newest first."""
        query = {
            "phone": phone,
            "instance_id": instance_id,
            "status_code": status_code,
            "direction": direction,
            "reference": reference,
            "since": since,
            "until": until,
        }
        return map(Message.of, self._pages("/messages", query, page))

    # Contacts

    def contacts(
        self,
        *,
        search: str | None = None,
        tag: str | None = None,
        opted_out: bool | None = None,
        blocked: bool | None = None,
        page: int = PAGE,
    ) -> Iterator[Contact]:
        query = {"search": search, "tag": tag, "opted_out": opted_out, "blocked": blocked}
        return map(Contact.of, self._pages("/contacts", query, page))

    def contact(self, contact_id: str) -> Contact:
        return Contact.of(self._transport.call("GET", f"/contacts/{quote(contact_id, safe='')}"))

    def add_contact(self, *, idempotency_key: str | None = None, **facts: Any) -> Contact:
        """`facts`: name, phone, language, tags, birthday, fields, opted_out, consent, …"""
        answer = self._transport.call(
            "POST", "/contacts", body=facts, idempotency_key=idempotency_key
        )
        return Contact.of(answer)

    def change_contact(self, contact_id: str, **facts: Any) -> Contact:
        path = f"/contacts/{quote(contact_id, safe='')}"
        return Contact.of(self._transport.call("PATCH", path, body=facts))

    def remove_contact(self, contact_id: str) -> None:
        self._transport.call("DELETE", f"/contacts/{quote(contact_id, safe='')}")

    # Templates. WhatsApp reviews new and changed ones; `state` is `pending` until then.

    def templates(
        self,
        *,
        state: str | None = None,
        category: Category | None = None,
        name: str | None = None,
        instance_id: int | None = None,
        page: int = PAGE,
    ) -> Iterator[Template]:
        """By name. `name` is a part of it."""
        query = {"state": state, "category": category, "name": name, "instance_id": instance_id}
        return map(Template.of, self._pages("/templates", query, page))

    def template(self, template_id: str) -> Template:
        return Template.of(self._transport.call("GET", f"/templates/{quote(template_id, safe='')}"))

    def add_template(
        self,
        name: str,
        language: str,
        category: Category,
        *,
        idempotency_key: str | None = None,
        **content: Any,
    ) -> Template:
        """`content`: body, examples, header, footer, buttons, instance_id, …"""
        body = {"name": name, "language": language, "category": category, **content}
        answer = self._transport.call(
            "POST", "/templates", body=body, idempotency_key=idempotency_key
        )
        return Template.of(answer)

    def change_template(self, template_id: str, **content: Any) -> Template:
        """Replace the whole content: parts that are left out are removed."""
        path = f"/templates/{quote(template_id, safe='')}"
        return Template.of(self._transport.call("PATCH", path, body=content))

    def duplicate_template(
        self,
        template_id: str,
        *,
        name: str | None = None,
        language: str | None = None,
        idempotency_key: str | None = None,
    ) -> Template:
        """Without `name`, the name gets a number. Pass the same name to add a language."""
        answer = self._transport.call(
            "POST",
            f"/templates/{quote(template_id, safe='')}/duplicate",
            body=_given({"name": name, "language": language}),
            idempotency_key=idempotency_key,
        )
        return Template.of(answer)

    def remove_template(self, template_id: str) -> None:
        """Remove this language. WhatsApp does not allow its name again for 30 days."""
        self._transport.call("DELETE", f"/templates/{quote(template_id, safe='')}")

    # Events

    def events(self, after: int = 0, *, page: int = PAGE) -> Iterator[Event]:
        """Oldest first, without gaps, up to the present. Store the last `sequence` and pass it as
        `after` the next time."""
        return map(Event.of, self._pages("/events", {"after": after}, page))

    def _send(self, path: str, body: Raw, options: Options) -> Sent:
        body_options: Raw = dict(options)
        key, wait = body_options.pop("idempotency_key", None), body_options.pop("wait", None)
        headers = {}
        if wait is not None:
            headers["Prefer"] = f"wait={int(wait)}" if wait else "respond-async"
        if isinstance(body_options.get("scheduled_at"), datetime):
            body_options["scheduled_at"] = body_options["scheduled_at"].isoformat()
        answer = self._transport.call(
            "POST",
            path,
            body={**body, **_given(body_options)},
            headers=headers,
            idempotency_key=key,
        )
        return Sent.of(answer)

    def _pages(self, path: str, query: Mapping[str, Any], limit: int) -> Iterator[Raw]:
        params = {**query, "limit": limit}
        while True:
            found = self._transport.call("GET", path, query=params)
            yield from found["data"]
            if found["next"] is None:
                return
            params["after"] = found["next"]


def _given(values: Mapping[str, Any]) -> Raw:
    return {name: value for name, value in values.items() if value is not None}
