"""What linked phones can do on the simulated network, by the frames that their device gets."""

import asyncio

import pytest

from messaging.simulator.network.behaviour import NetworkBehaviour
from messaging.simulator.network.device_socket import DeviceSocket
from messaging.simulator.network.devices import DeviceRegistry
from messaging.simulator.network.people.business_phone import BusinessPhone, PhoneMessage
from messaging.simulator.network.people.customers import CannotDo, Customers
from messaging.simulator.network.people.messages import CustomerMessage
from messaging.simulator.network.people.meta_agent import MetaAgent
from messaging.simulator.network.receipts import ReceiptScheduler
from messaging.simulator.network.state import SimulatedNetwork
from messaging.simulator.network.webhook_sender import WebhookSender
from tests.messaging.simulator.simulated_network import PHONE


class LinkedPhone:
    """A device that was linked, and the people who write to it."""

    def __init__(self):
        self.network = SimulatedNetwork(NetworkBehaviour(receipts=False))
        courier = WebhookSender(self.network)
        receipts = ReceiptScheduler(self.network, courier)
        self.devices = DeviceRegistry(self.network, "secret")
        self.device, _ = self.devices.link(7, 1, "Front desk", "905550101010")
        self.frames = []
        self.device.send = self.frames.append
        self.socket = DeviceSocket(self.devices, receipts)
        self.people = Customers(self.network, courier)
        self.business = BusinessPhone(self.network, courier, receipts)
        self.agent = MetaAgent(self.network, courier, receipts)
        self.chat = self.network.chat(PHONE, self.device.line)

    def write(self, **fields):
        fields = {"to_phone_number_id": self.device.line.phone_number_id, **fields}
        return self.people.write(PHONE, self.device.line, CustomerMessage(**fields)).id

    def news(self):
        [frame] = [one for one in self.frames if one["type"] == "news"]
        self.frames.clear()
        return frame["value"]


@pytest.fixture
def phone():
    return LinkedPhone()


def test_a_sender_without_a_phone_has_a_hidden_id(phone):
    phone.people.hide_phone(phone.chat, True, "ada")
    phone.write(text="hi")
    [message] = phone.news()["messages"]
    assert "from" not in message
    assert message["from_user_id"].endswith("@lid")


def test_the_hidden_id_stays_with_a_new_number_and_can_be_answered(phone):
    phone.write(text="hi")
    hidden = phone.news()["messages"][0]["from_user_id"]
    phone.people.change_number(phone.network.person(phone.chat), "905334445566")
    assert phone.frames == []
    assert phone.network.person(phone.chat).linked_id == hidden
    phone.people.write(
        "905334445566", phone.device.line, CustomerMessage(to_phone_number_id="x", text="me")
    )
    frame = {"type": "send", "n": 1, "to": hidden, "kind": "text", "text": "hello"}
    asyncio.run(phone.socket._send(phone.device, frame))
    assert [one.text for one in phone.chat.bubbles] == ["hi", "me", "hello"]


def test_edits_and_deletions_arrive_as_news(phone):
    message_id = phone.write(text="two")
    phone.frames.clear()
    phone.people.edit(phone.chat, message_id, "three")
    edit = phone.news()["messages"][0]
    assert edit["edit"]["message"] == {"type": "text", "text": {"body": "three"}}
    phone.people.delete(phone.chat, message_id)
    assert phone.news()["messages"][0]["revoke"] == {"original_message_id": message_id}


def test_what_staff_type_is_an_echo(phone):
    phone.write(text="hi")
    phone.frames.clear()
    message_id = phone.business.write(phone.chat, PhoneMessage(text="Coming")).id
    [echo] = phone.frames
    assert echo["type"] == "echo"
    assert (echo["id"], echo["to"], echo["text"]) == (message_id, PHONE, "Coming")
    phone.frames.clear()
    phone.business.delete(phone.chat, message_id)
    [change] = phone.news()["message_echoes"]
    assert change["revoke"] == {"original_message_id": message_id}


def test_linked_phones_have_no_agent(phone):
    with pytest.raises(CannotDo):
        phone.agent.take(phone.chat)
