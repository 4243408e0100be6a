"""Meta's agent: it answers in the business's name, and the service only listens (`standby`)."""

from typing import Any

from core.i18n.catalogs import N_
from messaging.simulator.network.magic_numbers import ORDINARY_PHONE
from messaging.simulator.network.people.customers import CannotDo
from messaging.simulator.network.people.identity_fields import network_id
from messaging.simulator.network.receipts import ReceiptScheduler
from messaging.simulator.network.state import (
    Chat,
    ChatMessage,
    SimulatedNetwork,
    new_network_id,
    timestamp,
)
from messaging.simulator.network.webhook_sender import WebhookSender, webhook_metadata

AGENT_APP, BUSINESS_APP = "270000000000001", "1"


class MetaAgent:
    def __init__(
        self, network: SimulatedNetwork, courier: WebhookSender, receipts: ReceiptScheduler
    ) -> None:
        self._network = network
        self._courier = courier
        self._receipts = receipts

    def take(self, chat: Chat) -> None:
        """Let the agent answer from now on."""
        self._require_cloud_line(chat)
        self._pass_control(chat, to_agent=True)

    def hand_over(self, chat: Chat) -> None:
        """Let the business answer: the agent gave up, or the business sent a message."""
        self._pass_control(chat, to_agent=False)

    def answer(self, chat: Chat, text: str) -> ChatMessage:
        self._require_cloud_line(chat)
        if not text.strip():
            raise CannotDo(N_("Enter a text."))
        if not chat.held_by_agent:
            self._pass_control(chat, to_agent=True)
        bubble = ChatMessage(
            new_network_id(), True, "text", text, {}, timestamp(), "accepted", origin="agent"
        )
        self._network.show(chat, bubble)
        person = self._network.person(chat)
        recipient = network_id(self._network, person, chat.line)
        message: dict[str, Any] = {"recipient": recipient, "recipient_type": "individual"}
        if not person.hides_phone:
            message["to"] = person.phone
        message |= {"type": "text", "text": {"body": text}}
        echo = {"id": bubble.id, "timestamp": str(int(bubble.at)), "message": message}
        value = {**webhook_metadata(chat.line), "standby": {"message_echoes": [echo]}}
        self._courier.post(chat.line, value, field="standby")
        if self._network.conditions.receipts:
            self._receipts.plan(chat, bubble, ORDINARY_PHONE)
        return bubble

    def _require_cloud_line(self, chat: Chat) -> None:
        if chat.line.phone_number_id in self._network.linked:
            raise CannotDo(N_("Meta’s agent does not work on linked phones."))

    def _pass_control(self, chat: Chat, *, to_agent: bool) -> None:
        if chat.held_by_agent == to_agent:
            return
        chat.held_by_agent = to_agent
        self._network.publish(chat)
        person, line = self._network.person(chat), chat.line
        sender: dict[str, Any] = {"user_id": network_id(self._network, person, line)}
        if not person.hides_phone:
            sender["phone_number"] = person.phone
        passed = {
            "metadata": "",
            "previous_owner_app_id": BUSINESS_APP if to_agent else AGENT_APP,
            "previous_owner_app_role": "business_app" if to_agent else "meta_business_agent",
            "previous_owner_role": "escalation" if to_agent else "ai_agent",
            "new_owner_role": "ai_agent" if to_agent else "escalation",
        }
        # This webhook has no metadata: the number is its recipient.
        value = {
            "messaging_product": "whatsapp",
            "recipient": webhook_metadata(line)["metadata"],
            "sender": sender,
            "timestamp": str(int(timestamp())),
            "type": "control_passed",
            "control_passed": passed,
        }
        self._courier.post(line, value, field="messaging_handovers")
