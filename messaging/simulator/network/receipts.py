"""Receipts that the network sends after it accepted a message."""

import asyncio
import itertools
import time
from dataclasses import replace
from typing import Any

from messaging.simulator.network.magic_numbers import MagicNumber, Refusal
from messaging.simulator.network.people.identity_fields import contact_fields, recipient_fields
from messaging.simulator.network.people.reply_window import is_free_entry
from messaging.simulator.network.state import (
    Chat,
    ChatMessage,
    SimulatedLine,
    SimulatedNetwork,
    timestamp,
)
from messaging.simulator.network.webhook_sender import WebhookSender, webhook_metadata

FREE_SERVICE_MESSAGES = 1000  # of a number in a month, as on the real network since October 2026
_RANK = {"accepted": 0, "sent": 1, "delivered": 2, "read": 3, "failed": 4}


class ReceiptScheduler:
    def __init__(self, network: SimulatedNetwork, courier: WebhookSender) -> None:
        self._network = network
        self._courier = courier
        self.planned = 0
        """Receipts that are not sent yet."""

    def plan(self, chat: Chat, bubble: ChatMessage, magic: MagicNumber) -> None:
        free_entry = is_free_entry(self._network, chat)
        bubble.pricing = price_message(self._network, chat.line, bubble, free_entry=free_entry)
        now = self._network.conditions
        states = list(magic.states)
        if chat.blocked:
            states = states[:1]  # a blocked sender does not learn about it
        elif states[-1:] == ["read"] and not self._network.reads(chat):
            states.pop()
        waits = {"sent": now.sent_ms, "delivered": now.delivered_ms, "read": now.read_ms}
        times = sorted(waits.get(state, now.delivered_ms) for state in states)
        late = now.late_ms if magic.delayed else 0
        loop = asyncio.get_running_loop()
        for state, wait in zip(states, times, strict=True):
            self.planned += 1
            loop.call_later((wait + late) / 1000, self._schedule_state, chat, bubble, state, magic)

    def read(self, chat: Chat) -> None:
        """Open the chat: all delivered messages become read."""
        for bubble in chat.bubbles:
            if bubble.from_business and bubble.state == "delivered":
                self._apply_state(chat, bubble, "read", None)
        if chat.unread:
            chat.unread = 0
            self._network.publish(chat)

    def _schedule_state(
        self, chat: Chat, bubble: ChatMessage, state: str, magic: MagicNumber
    ) -> None:
        self.planned -= 1
        self._apply_state(chat, bubble, state, magic)

    def _apply_state(
        self, chat: Chat, bubble: ChatMessage, state: str, magic: MagicNumber | None
    ) -> None:
        if chat.blocked and state in ("delivered", "read"):
            return
        if state == "read" and bubble.state == "read":
            return
        if _RANK[state] > _RANK[bubble.state]:
            bubble.state = state
            if state == "read":
                chat.unread = max(chat.unread - 1, 0)
            self._network.publish(chat)
        if self._network.conditions.receipts:
            self._report(chat, bubble, state, magic)

    def _report(
        self, chat: Chat, bubble: ChatMessage, state: str, magic: MagicNumber | None
    ) -> None:
        person = self._network.person(chat)
        named = recipient_fields(self._network, person, chat.line, by_id=bubble.by_id)
        failure = magic.failure if magic and state == "failed" else None
        status = status_of(named, bubble, state, failure)
        # As in the status itself: a business that sent to the phone sees it.
        seen = person if bubble.by_id else replace(person, hides_phone=False)
        contact = contact_fields(self._network, seen, chat.line)
        for _ in itertools.repeat(None, magic.copies if magic else 1):
            if bubble.origin == "agent":
                value = {"contacts": [contact], "statuses": [status]}
                body = {**webhook_metadata(chat.line), "standby": value}
                self._courier.post(chat.line, body, field="standby")
            else:
                self._courier.status(chat.line, status, contact)


def status_of(
    named: dict[str, Any], bubble: ChatMessage, state: str, failure: Refusal | None
) -> dict[str, Any]:
    """`named` are the fields that identify the recipient."""
    status: dict[str, Any] = {
        "id": bubble.id,
        "status": state,
        "timestamp": str(int(timestamp())),
        **named,
    }
    if bubble.ours:
        status["biz_opaque_callback_data"] = bubble.ours
    if failure is not None:
        status["errors"] = [
            {
                "code": failure.code,
                "title": failure.message,
                "message": failure.message,
                "error_data": {"details": f"{failure.message}."},
            }
        ]
    else:
        status["pricing"] = bubble.pricing
    return status


def price_message(
    network: SimulatedNetwork,
    line: SimulatedLine,
    bubble: ChatMessage,
    *,
    free_entry: bool = False,
) -> dict[str, Any]:
    """Bill messages with a category, and service messages after the free ones of the month."""
    kind, category = "regular", "service"
    if bubble.kind == "template" or bubble.content.get("category"):
        category = str(bubble.content.get("category") or "utility")
    else:
        key = (line.phone_number_id, time.strftime("%Y-%m", time.gmtime(bubble.at)))
        network.service_sent[key] += 1
        if network.service_sent[key] <= FREE_SERVICE_MESSAGES:
            kind = "free_customer_service"
    if free_entry:
        kind = "free_entry_point"
    billable = kind == "regular"
    return {"billable": billable, "pricing_model": "PMP", "type": kind, "category": category}
