"""What a customer does with a phone: write, edit, delete, block, hide or change the number."""

from dataclasses import replace
from typing import Any

from core.i18n.catalogs import N_
from core.values.phone import check_phone
from messaging.simulator.network.people.identity_fields import contact_fields, sender_fields
from messaging.simulator.network.people.messages import (
    WEBHOOK_KINDS,
    CustomerMessage,
    message_extras,
    message_part,
)
from messaging.simulator.network.people.person import Person
from messaging.simulator.network.people.reply_window import clock
from messaging.simulator.network.state import (
    Chat,
    ChatMessage,
    SimulatedLine,
    SimulatedNetwork,
    new_network_id,
    timestamp,
)
from messaging.simulator.network.webhook_sender import WebhookSender, webhook_metadata


class CannotDo(ValueError):
    """The person cannot do this. The message is a text to translate."""


class Customers:
    def __init__(self, network: SimulatedNetwork, courier: WebhookSender) -> None:
        self._network = network
        self._courier = courier

    def write(self, phone: str, line: SimulatedLine, writes: CustomerMessage) -> ChatMessage:
        check_phone(phone)
        if writes.name:
            self._network.people.keep(phone, line.tenant_id).name = writes.name
        chat = self._network.chat(phone, line)
        person = self._network.person(chat)
        part, content = message_part(self._network, writes, phone)
        bubble = ChatMessage(
            self._network.new_id(line),
            False,
            writes.kind,
            writes.text,
            content,
            timestamp(),
            "sent",
            reply_to=writes.reply_to,
            forwarded=bool(writes.forwarded),
        )
        kind = WEBHOOK_KINDS.get(writes.kind, writes.kind)
        message = {
            "id": bubble.id,
            "timestamp": str(int(bubble.at)),
            "type": kind,
            kind: part,
            **message_extras(writes, line.phone),
        }
        chat.written_at = clock(person)
        if writes.referral is not None:
            chat.ad_at = chat.written_at
            bubble.content["ad"] = writes.referral.headline
        if writes.kind == "reaction" and (target := chat.find(writes.reply_to)):
            target.reaction = writes.text
        self._network.show(chat, bubble)
        shown = replace(person, hides_phone=True) if writes.hide_phone else person
        self._post(chat, shown, message, writes.copies)
        return bubble

    def edit(self, chat: Chat, network_id: str, text: str) -> None:
        """Change the text of a message, or the caption of a file."""
        bubble = self._own(chat, network_id)
        if bubble.kind not in ("text", "image", "video", "document") or not text.strip():
            raise CannotDo(N_("Only texts and captions can be edited."))
        bubble.text, bubble.edited = text, True
        part: dict[str, Any] = {"body": text}
        if bubble.kind != "text":
            part = {"id": bubble.content["id"], "caption": text}
        inner = {"type": bubble.kind, bubble.kind: part}
        self._post_change(chat, "edit", {"original_message_id": network_id, "message": inner})

    def delete(self, chat: Chat, network_id: str) -> None:
        bubble = self._own(chat, network_id)
        bubble.deleted = True
        self._post_change(chat, "revoke", {"original_message_id": network_id})

    def hide_phone(self, chat: Chat, hidden: bool, username: str = "") -> None:
        """Hide the number behind a username, or show it again."""
        person = self._network.people.keep(chat.phone, chat.line.tenant_id)
        person.username = username.strip().lstrip("@") or person.username
        if hidden and not person.username:
            person.username = f"guest{person.phone[-4:]}"
        person.hides_phone = hidden
        self._network.publish(chat)

    def change_number(self, person: Person, phone: str) -> None:
        """Move the person to another number; the businesses they wrote to are told."""
        check_phone(phone)
        if self._network.chats(phone, person.tenant_id):
            raise CannotDo(N_("This number is already in use."))
        person = self._network.people.keep(person.phone, person.tenant_id)
        before = replace(person)
        for chat in self._network.move_chats(person, phone):
            if chat.bubbles:
                self._tell_change(chat, before, person)

    def rotate_id(self, person: Person) -> None:
        """Let the network replace the id; the number stays, and no business sees it."""
        person = self._network.people.keep(person.phone, person.tenant_id)
        before = replace(person)
        person.rotations += 1
        for chat in self._network.chats(person.phone, person.tenant_id):
            self._tell_change(chat, before, person, id_only=True)

    def move_clock(self, chat: Chat, hours: float) -> None:
        """Move the phone's clock forward, for example past the end of the 24-hour window."""
        self._network.people.keep(chat.phone, chat.line.tenant_id).hours_ahead += hours
        self._network.publish(chat)

    def block(self, chat: Chat, blocked: bool) -> None:
        chat.blocked = blocked
        self._network.publish(chat)

    def _own(self, chat: Chat, network_id: str) -> ChatMessage:
        bubble = chat.find(network_id)
        if bubble is None or bubble.from_business or bubble.deleted:
            raise CannotDo(N_("This message cannot be changed."))
        return bubble

    def _post_change(self, chat: Chat, kind: str, part: dict[str, Any]) -> None:
        message = {
            "id": self._network.new_id(chat.line),
            "timestamp": str(int(timestamp())),
            "type": kind,
            kind: part,
        }
        self._network.publish(chat)
        self._post(chat, self._network.person(chat), message)

    def _post(self, chat: Chat, person: Person, message: dict[str, Any], copies: int = 1) -> None:
        """Send it to the line, or to its standby field while Meta's agent has the conversation."""
        line = chat.line
        value = {
            "contacts": [contact_fields(self._network, person, line)],
            "messages": [{**sender_fields(self._network, person, line), **message}],
        }
        if chat.held_by_agent:
            body = {**webhook_metadata(line), "standby": value}
            self._courier.post(line, body, field="standby", copies=copies)
        else:
            self._courier.post(line, {**webhook_metadata(line), **value}, copies=copies)

    def _tell_change(
        self, chat: Chat, before: Person, after: Person, *, id_only: bool = False
    ) -> None:
        """Post the system message. Linked devices get none; their ids stay the same."""
        self._network.publish(chat)
        if chat.line.phone_number_id in self._network.linked:
            return
        hidden = id_only or after.hides_phone
        old, new = (before.user_id, after.user_id) if hidden else (before.phone, after.phone)
        system: dict[str, Any] = {
            "body": f"User {after.title} changed from {old} to {new}",
            "user_id": after.user_id,
            "previous_user_id": before.user_id,
            "type": "user_changed_user_id" if hidden else "user_changed_number",
        }
        if not hidden:
            system["wa_id"] = after.phone
        if self._network.conditions.parent_ids:
            system["parent_user_id"] = after.parent_user_id
            system["previous_parent_user_id"] = before.parent_user_id
        self._network.people.remember_id(after.user_id, after)
        message = {
            **sender_fields(self._network, replace(before, hides_phone=hidden), chat.line),
            "id": new_network_id(),
            "timestamp": str(int(timestamp())),
            "type": "system",
            "system": system,
        }
        # A system message has no contacts.
        self._courier.post(chat.line, {**webhook_metadata(chat.line), "messages": [message]})
