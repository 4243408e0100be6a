"""What staff type on the business's own phone: the service sees it as an echo."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.i18n.catalogs import N_
from messaging.simulator.network.magic_numbers import ORDINARY_PHONE
from messaging.simulator.network.people.customers import CannotDo
from messaging.simulator.network.people.identity_fields import network_id
from messaging.simulator.network.people.messages import CustomerMessage, message_part
from messaging.simulator.network.receipts import ReceiptScheduler
from messaging.simulator.network.state import Chat, ChatMessage, SimulatedNetwork, timestamp
from messaging.simulator.network.webhook_sender import WebhookSender, webhook_metadata

ECHOES = "smb_message_echoes"


class PhoneMessage(BaseModel):
    """One message that staff send from the phone."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["text", "image", "document", "location"] = "text"
    text: Annotated[str, Field(max_length=4096)] = ""


class BusinessPhone:
    def __init__(
        self, network: SimulatedNetwork, courier: WebhookSender, receipts: ReceiptScheduler
    ) -> None:
        self._network = network
        self._courier = courier
        self._receipts = receipts

    def write(self, chat: Chat, writes: PhoneMessage) -> ChatMessage:
        if writes.kind == "text" and not writes.text.strip():
            raise CannotDo(N_("Enter a text."))
        message = CustomerMessage(
            to_phone_number_id=chat.line.phone_number_id, kind=writes.kind, text=writes.text
        )
        part, content = message_part(self._network, message, chat.phone)
        bubble = ChatMessage(
            self._network.new_id(chat.line),
            True,
            writes.kind,
            writes.text,
            content,
            timestamp(),
            "accepted",
            origin="phone",
        )
        self._network.show(chat, bubble)
        if (deliver := self._network.linked.get(chat.line.phone_number_id)) is not None:
            deliver(
                {
                    "type": "echo",
                    "id": bubble.id,
                    "to": self._recipient(chat),
                    "kind": bubble.kind,
                    "text": bubble.text,
                    "at": int(bubble.at),
                    "content": {} if writes.kind == "text" else part,
                }
            )
        else:
            self._echo(chat, {"id": bubble.id, "type": writes.kind, writes.kind: part})
        if self._network.conditions.receipts:
            self._receipts.plan(chat, bubble, ORDINARY_PHONE)
        return bubble

    def edit(self, chat: Chat, message_id: str, text: str) -> None:
        bubble = self._own(chat, message_id)
        if bubble.kind != "text" or not text.strip():
            raise CannotDo(N_("Only texts can be edited."))
        bubble.text, bubble.edited = text, True
        inner = {"type": "text", "text": {"body": text}}
        self._change(chat, "edit", {"original_message_id": message_id, "message": inner})

    def delete(self, chat: Chat, message_id: str) -> None:
        self._own(chat, message_id).deleted = True
        self._change(chat, "revoke", {"original_message_id": message_id})

    def _own(self, chat: Chat, message_id: str) -> ChatMessage:
        bubble = chat.find(message_id)
        if bubble is None or not bubble.from_business or bubble.deleted:
            raise CannotDo(N_("This message cannot be changed."))
        return bubble

    def _change(self, chat: Chat, kind: str, part: dict[str, Any]) -> None:
        self._network.publish(chat)
        self._echo(chat, {"id": self._network.new_id(chat.line), "type": kind, kind: part})

    def _recipient(self, chat: Chat) -> str:
        person = self._network.person(chat)
        hidden = person.hides_phone
        return network_id(self._network, person, chat.line) if hidden else chat.phone

    def _echo(self, chat: Chat, message: dict[str, Any]) -> None:
        person, line = self._network.person(chat), chat.line
        echo: dict[str, Any] = {"from": line.phone}
        if not person.hides_phone:
            echo["to"] = person.phone
        echo["to_user_id"] = network_id(self._network, person, line)
        echo |= {"timestamp": str(int(timestamp())), **message}
        value = {**webhook_metadata(line), "message_echoes": [echo]}
        self._courier.post(line, value, field=ECHOES)
