"""Programs write to people whose phone number the network hides."""

from datetime import timedelta

import pytest

from core.clock import now, rfc3339
from core.db import db
from messaging.contacts import consent as contact_consent
from messaging.contacts import identities
from messaging.contacts import repository as contact_repository
from messaging.costs.usage import UsageTally
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage
from messaging.lines.drivers.cloud.templates.listing import NetworkTemplate
from messaging.messages.receive import receive_message
from messaging.models import Contact, Conversation, Message
from messaging.templates import repository as template_repository
from tests.line_factory import make_line

USER_ID = "TR.13491208655302741918"
TEXT = {"type": "text", "text": "Your table is ready."}


@pytest.fixture
def line(restaurant):
    return make_line(restaurant)


@pytest.fixture
def guest(restaurant, line):
    """The contact of a person who wrote without a phone number."""
    receive(restaurant, line)
    with restaurant.scope():
        return identities.find_contact(network_id=USER_ID)


def receive(business, line, network_id="wamid.in1", **more):
    message = InboundMessage(network_id, "", USER_ID, "Zeynep", 0, "text", "Merhaba", **more)
    with business.scope():
        return receive_message(line_repository.get(line.id), message, UsageTally())


def call(client, business, path, body, **headers):
    headers = {"Authorization": f"Bearer {business.key}", "Prefer": "respond-async", **headers}
    return client.post(f"/api/v1{path}", json=body, headers=headers)


def conversation_id(business):
    with business.scope():
        query = db.session.query(Conversation).filter_by(tenant_id=business.tenant_id)
        return query.one().id


def stored(business, answer):
    with business.scope():
        return db.session.get(Message, (business.tenant_id, answer.json["id"]))


def test_a_message_goes_to_a_contact_by_the_path(client, restaurant, line, guest):
    answer = call(client, restaurant, f"/contacts/{guest}/messages", TEXT)
    assert (answer.status_code, answer.json["status_code"]) == (202, "queued")
    assert (answer.json["phone"], answer.json["instance_id"]) == (USER_ID, line.id)


def test_a_message_goes_to_a_conversation_by_the_path(client, restaurant, line, guest):
    path = f"/conversations/{conversation_id(restaurant)}/messages"
    answer = call(client, restaurant, path, TEXT)
    message = stored(restaurant, answer)
    assert (message.phone, message.country, message.text) == (USER_ID, "TR", TEXT["text"])


@pytest.mark.parametrize("way", ["contact_id", "conversation_id"])
def test_the_general_call_takes_both(client, restaurant, line, guest, way):
    to = {way: guest if way == "contact_id" else conversation_id(restaurant)}
    answer = call(client, restaurant, "/messages", {**TEXT, "to": to})
    assert (answer.status_code, answer.json["phone"]) == (202, USER_ID)


def test_a_contact_without_a_phone_is_written_to_on_the_line_that_knows_them(
    client, restaurant, line
):
    other = make_line(restaurant, default=False)
    receive(restaurant, other)
    with restaurant.scope():
        guest = identities.find_contact(network_id=USER_ID)
    answer = call(client, restaurant, f"/contacts/{guest}/messages", TEXT)
    assert answer.json["instance_id"] == other.id


def test_a_line_that_cannot_reach_the_contact_says_so(client, restaurant, line, guest):
    linked = make_line(restaurant, default=False)
    with restaurant.scope():
        line_repository.get(linked.id).kind = "linked"
    body = {**TEXT, "instance_id": linked.id}
    answer = call(client, restaurant, f"/contacts/{guest}/messages", body)
    assert (answer.status_code, answer.json["code"]) == (422, "no_phone")
    assert answer.json["errors"][0]["field"] == "contact_id"


@pytest.mark.parametrize(
    "path",
    [
        "/contacts/con_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z/messages",
        "/contacts/x/messages",
        "/conversations/cnv_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z/messages",
        "/conversations/x/messages",
    ],
)
def test_an_unknown_path_is_not_found(client, restaurant, line, path):
    assert call(client, restaurant, path, TEXT).status_code == 404


def test_a_repeated_request_is_sent_once(client, restaurant, line, guest):
    path = f"/contacts/{guest}/messages"
    first = call(client, restaurant, path, TEXT, **{"Idempotency-Key": "a"})
    again = call(client, restaurant, path, TEXT, **{"Idempotency-Key": "a"})
    assert again.json["id"] == first.json["id"]


def test_the_network_gets_the_id_as_recipient(client, restaurant, line, guest):
    preview = call(
        client, restaurant, "/messages/preview", {**TEXT, "to": {"contact_id": guest}}
    ).json
    assert preview["body"]["recipient"] == USER_ID
    assert "to" not in preview["body"]


def test_a_blocked_contact_gets_nothing(client, restaurant, line, guest):
    with restaurant.scope():
        contact_repository.set_blocked(guest, True)
    answer = call(client, restaurant, f"/contacts/{guest}/messages", TEXT)
    assert answer.json["code"] == "contact_blocked"
    with restaurant.scope():
        contact_repository.set_blocked(guest, False)
    assert call(client, restaurant, f"/contacts/{guest}/messages", TEXT).status_code == 202


def template(business, line, category, components):
    with business.scope():
        own = line_repository.get(line.id)
        own.templates_at = now()
        made = NetworkTemplate("1", "code", "en", category, "approved", components=components)
        template_repository.store_templates(template_repository.template_account(own), [made])
    return {"type": "template", "name": "code", "language": "en", "parameters": ["1234"]}


def test_a_one_time_code_needs_a_phone(client, restaurant, line, guest):
    body = template(
        restaurant,
        line,
        "authentication",
        [
            {"type": "BODY", "text": "{{1}} is your code."},
            {"type": "BUTTONS", "buttons": [{"type": "OTP", "otp_type": "COPY_CODE"}]},
        ],
    )
    answer = call(client, restaurant, f"/contacts/{guest}/messages", body)
    assert (answer.status_code, answer.json["code"]) == (422, "needs_phone")
    assert answer.json["errors"][0]["field"] == "name"
    body["to"] = {"phone": "905321112233"}
    assert call(client, restaurant, "/messages", body).status_code == 202


def test_marketing_is_not_sent_to_a_contact_who_opted_out(client, restaurant, line, guest):
    body = template(restaurant, line, "marketing", [{"type": "BODY", "text": "Hi {{1}}"}])
    path = f"/contacts/{guest}/messages"
    waiting = call(
        client, restaurant, path, {**body, "scheduled_at": rfc3339(now() + timedelta(days=1))}
    )
    with restaurant.scope():
        contact_consent.opt_out(guest, now(), "person")
    assert call(client, restaurant, path, body).json["code"] == "recipient_opted_out"
    assert stored(restaurant, waiting).state == "cancelled"


def test_the_user_name_is_shown_and_found(client, restaurant, line):
    receive(restaurant, line, sender_username="zeynep.k")
    found = client.get("/api/v1/contacts?search=@zeynep", headers=restaurant.bearer).json["data"]
    assert [one["username"] for one in found] == ["zeynep.k"]
    talks = client.get("/api/v1/conversations?q=zeynep.k", headers=restaurant.bearer).json["data"]
    assert [(one["username"], one["phone"]) for one in talks] == [("zeynep.k", None)]
    receive(restaurant, line, "wamid.in2", sender_username="zey")
    with restaurant.scope():
        contact = db.session.query(Contact).filter_by(tenant_id=restaurant.tenant_id).one()
        assert contact.username == "zey"
    headers = restaurant.bearer
    assert client.get("/api/v1/contacts?search=zeynep.k", headers=headers).json["data"] == []
