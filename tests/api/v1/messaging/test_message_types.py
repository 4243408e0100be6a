"""`POST /messages`: one call for every message type."""

import io
from datetime import timedelta

import pytest
from PIL import Image

from core.clock import now, rfc3339
from core.db import db
from messaging.contacts import identities
from messaging.costs import pricing_facts
from messaging.costs.usage import UsageTally
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.messages.receive import receive_message
from messaging.models import Conversation, Message
from tests.line_factory import make_line

PHONE = "905321112233"
BUTTONS = {
    "type": "buttons",
    "body": "Is 20:00 all right?",
    "buttons": [{"id": "yes", "title": "Yes"}, {"id": "no", "title": "No"}],
}
TYPES = {
    "text", "image", "video", "audio", "voice", "document", "sticker", "location", "contacts",
    "reaction", "buttons", "list", "link_button", "location_request", "contact_request", "catalog",
    "product", "product_list", "carousel", "flow", "template", "order_details", "order_status",
}  # fmt: skip


@pytest.fixture
def line(restaurant):
    return make_line(restaurant)


def call(client, business, body, path="/messages", key="", **headers):
    return client.post(
        f"/api/v1{path}",
        json=body,
        headers={
            "Authorization": f"Bearer {key or business.key}",
            "Prefer": "respond-async",
            **headers,
        },
    )


def send(client, business, body, **more):
    return call(client, business, {"to": {"phone": PHONE}, **body}, **more)


def stored(business, answer):
    with business.scope():
        return db.session.get(Message, (business.tenant_id, answer.json["id"]))


def make_linked(business, line):
    with business.scope():
        line_repository.get(line.id).kind = "linked"


def receive(business, line, text="Merhaba", network_id="wamid.in1", phone=PHONE, sender=""):
    message = InboundMessage(network_id, phone, sender, "Zeynep", 0, "text", text)
    with business.scope():
        return receive_message(line_repository.get(line.id), message, UsageTally())


def test_programs_send_every_type_that_has_fields():
    assert {code for code, kind in MESSAGE_KINDS.items() if kind.fields} == TYPES


def test_buttons_are_stored_with_a_text_and_shown_again(client, restaurant, line):
    answer = send(client, restaurant, {**BUTTONS, "reference": "table-7"})
    assert (answer.status_code, answer.json["status_code"]) == (202, "queued")
    assert answer.json["reference"] == "table-7"
    message = stored(restaurant, answer)
    assert (message.kind, message.text) == ("buttons", "Is 20:00 all right?")
    shown = client.get(f"/api/v1/messages/{message.id}", headers=restaurant.bearer).json
    assert shown["interactive"]["buttons"] == BUTTONS["buttons"]
    assert shown["type"] == "buttons"


def test_a_message_may_wait_for_its_time(client, restaurant, line):
    later = rfc3339(now() + timedelta(hours=2))
    answer = send(client, restaurant, {**BUTTONS, "scheduled_at": later})
    assert (answer.status_code, answer.json["status_code"]) == (202, "scheduled")


def test_a_repeated_request_is_sent_once(client, restaurant, line):
    first = send(client, restaurant, BUTTONS, **{"Idempotency-Key": "a"})
    again = send(client, restaurant, BUTTONS, **{"Idempotency-Key": "a"})
    assert again.json["id"] == first.json["id"]
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_repeated_request_gets_its_first_answer_after_the_line_was_switched_off(
    client, restaurant, line
):
    first = send(client, restaurant, BUTTONS, **{"Idempotency-Key": "b"})
    with restaurant.scope():
        line_repository.set_enabled(line.id, False)
    again = send(client, restaurant, BUTTONS, **{"Idempotency-Key": "b"})
    assert (again.status_code, again.json["id"]) == (202, first.json["id"])


def test_unknown_fields_are_named_in_the_warnings(client, restaurant, line):
    body = {**BUTTONS, "instanceid": 7, "buttons": [{"id": "a", "title": "A", "colour": "red"}]}
    warnings = send(client, restaurant, body).json["warnings"]
    assert warnings == [
        "unknown field ignored: buttons.0.colour",
        "unknown field ignored: instanceid",
    ]


def test_a_message_goes_to_a_conversation_by_its_own_line(client, restaurant, line):
    other = make_line(restaurant, default=False)
    receive(restaurant, other)
    with restaurant.scope():
        talk = db.session.query(Conversation).filter_by(tenant_id=restaurant.tenant_id).one()
        to = {"conversation_id": talk.id}
    answer = call(client, restaurant, {**BUTTONS, "to": to})
    assert (answer.json["phone"], answer.json["instance_id"]) == (PHONE, other.id)


def test_a_message_goes_to_a_contact(client, restaurant, line):
    with restaurant.scope():
        contact = identities.find_or_create(PHONE, "", "Zeynep", now())
    answer = call(client, restaurant, {**BUTTONS, "to": {"contact_id": contact.id}})
    assert (answer.status_code, answer.json["phone"]) == (202, PHONE)


@pytest.mark.parametrize(
    ("to", "field", "code"),
    [
        ({"contact_id": "con_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"}, "to.contact_id", "unknown_contact"),
        ({"contact_id": "x"}, "to.contact_id", "unknown_contact"),
        (
            {"conversation_id": "cnv_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"},
            "to.conversation_id",
            "unknown_conversation",
        ),
        ({"conversation_id": "x"}, "to.conversation_id", "unknown_conversation"),
    ],
)
def test_an_unknown_recipient_is_refused(client, restaurant, line, to, field, code):
    answer = call(client, restaurant, {**BUTTONS, "to": to})
    assert (answer.status_code, answer.json["code"]) == (422, code)
    assert answer.json["errors"][0]["field"] == field


def test_a_key_of_another_line_does_not_reach_the_contact(client, restaurant, line):
    receive(restaurant, line)
    other = make_line(restaurant, default=False)
    key = restaurant.makes_key("messages:send", line_ids=[other.id])
    with restaurant.scope():
        contact = identities.find_contact(PHONE)
    body = {**BUTTONS, "to": {"contact_id": contact}, "instance_id": other.id}
    assert call(client, restaurant, body, key=key).json["code"] == "unknown_contact"


def test_a_reply_and_a_reaction_name_a_message_of_the_conversation(client, restaurant, line):
    message_id = receive(restaurant, line)
    reply = send(client, restaurant, {**BUTTONS, "reply_to": message_id})
    assert stored(restaurant, reply).content["reply_to"] == "wamid.in1"
    body = {"type": "reaction", "message_id": message_id, "emoji": "👍"}
    reaction = stored(restaurant, send(client, restaurant, body))
    assert (reaction.text, reaction.content["message_id"]) == ("👍", "wamid.in1")


def test_a_message_of_another_conversation_cannot_be_answered(client, restaurant, line):
    message_id = receive(restaurant, line, phone="905321119999")
    answer = send(client, restaurant, {**BUTTONS, "reply_to": message_id})
    assert (answer.status_code, answer.json["code"]) == (422, "unknown_message")
    assert answer.json["errors"][0]["field"] == "reply_to"


def test_each_line_names_the_types_that_it_can_send(client, restaurant, line):
    path = f"/api/v1/instances/{line.id}"
    can = client.get(path, headers=restaurant.bearer).json["can"]
    assert can == dict.fromkeys(can, "yes")
    assert set(can) == TYPES
    make_linked(restaurant, line)
    can = client.get(path, headers=restaurant.bearer).json["can"]
    assert (can["text"], can["buttons"], can["flow"]) == ("yes", "as_text", "no")
    assert {can[kind] for kind in ("voice", "sticker", "contacts", "reaction")} == {"yes"}
    assert {can[kind] for kind in ("order_details", "order_status")} == {"as_text"}
    assert can["catalog"] == "no"


def test_a_type_that_the_line_cannot_send_is_refused(client, restaurant, line):
    make_linked(restaurant, line)
    body = {"type": "location_request", "body": "Where are you?"}
    answer = send(client, restaurant, body)
    assert (answer.status_code, answer.json["code"]) == (422, "unsupported_type")
    assert answer.json["errors"][0]["field"] == "type"


def test_a_line_without_buttons_refuses_a_header_with_a_file(client, restaurant, line):
    make_linked(restaurant, line)
    header = {"image": {"url": "https://example.com/a.jpg"}}
    answer = send(client, restaurant, {**BUTTONS, "header": header})
    assert (answer.status_code, answer.json["code"]) == (422, "unsupported_header")


def test_a_preview_shows_the_request_and_stores_nothing(client, restaurant, line):
    answer = send(client, restaurant, BUTTONS, path="/messages/preview")
    assert answer.status_code == 200
    shown = answer.json
    assert (shown["type"], shown["sent_as"], shown["category"]) == ("buttons", "yes", "service")
    assert shown["body"]["interactive"]["action"]["buttons"][0]["reply"]["id"] == "yes"
    assert shown["body"]["to"] == PHONE
    with restaurant.scope():
        assert db.session.query(Message).filter_by(tenant_id=restaurant.tenant_id).count() == 0


def test_a_preview_does_not_count_as_a_service_message(client, restaurant, line):
    """Otherwise previews would use up the free messages of the month."""
    for _ in range(3):
        assert send(client, restaurant, BUTTONS, path="/messages/preview").status_code == 200
    with restaurant.scope():
        assert pricing_facts.tenant_facts().sent_in_month(line.id, now()) == 0


def test_a_preview_for_a_linked_line_shows_the_numbered_text(client, restaurant, line):
    make_linked(restaurant, line)
    shown = send(client, restaurant, BUTTONS, path="/messages/preview").json
    assert shown["text"] == "Is 20:00 all right?\n\n1. Yes\n2. No"
    assert (shown["sent_as"], shown["body"]) == ("as_text", None)


def upload(client, business, body, key="", **query):
    return client.post(
        "/api/v1/media",
        data=body,
        query_string=query,
        headers={
            "Authorization": f"Bearer {key or business.key}",
            "Content-Type": "application/octet-stream",
        },
    )


def picture(kind="PNG"):
    file = io.BytesIO()
    Image.new("RGB", (20, 20), "green").save(file, kind)
    return file.getvalue()


def test_an_uploaded_file_is_sent_by_its_id(client, restaurant, line):
    made = upload(client, restaurant, b"%PDF-1.4 menu", filename="menu.pdf")
    assert (made.status_code, made.json["type"]) == (201, "document")
    again = client.get(f"/api/v1/media/{made.json['id']}", headers=restaurant.bearer)
    assert again.json == made.json
    body = {"type": "document", "media_id": made.json["id"], "caption": "Our menu"}
    message = stored(restaurant, send(client, restaurant, body))
    assert (message.text, message.content["filename"]) == ("Our menu", "menu.pdf")
    assert client.get(message.content["url"]).data == b"%PDF-1.4 menu"


def test_an_uploaded_image_is_a_header_and_a_sticker_stays_webp(client, restaurant, line):
    image = upload(client, restaurant, picture()).json
    header = {"image": {"media_id": image["id"]}}
    message = stored(restaurant, send(client, restaurant, {**BUTTONS, "header": header}))
    assert message.content["interactive"]["header"]["image"]["media_id"] == image["id"]
    sticker = upload(client, restaurant, picture("WEBP"), type="sticker").json
    assert (sticker["type"], sticker["mime_type"]) == ("sticker", "image/webp")
    answer = send(client, restaurant, {"type": "sticker", "media_id": sticker["id"]})
    assert answer.status_code == 202


@pytest.mark.parametrize("kind", ["video", "audio", "voice", "sticker"])
def test_a_file_of_another_type_is_refused(client, restaurant, line, kind):
    image = upload(client, restaurant, picture()).json
    answer = send(client, restaurant, {"type": kind, "media_id": image["id"]})
    assert (answer.status_code, answer.json["code"]) == (422, "wrong_media_type")
    assert answer.json["errors"][0]["field"] == "media_id"


def test_files_of_others_and_of_test_keys_are_unknown(client, restaurant, shop, line):
    make_line(restaurant, default=False, test=True)
    theirs = upload(client, shop, picture()).json
    key = restaurant.makes_key("messages:send", mode="test")
    tried = upload(client, restaurant, picture(), key=key).json
    assert tried["test"] is True
    for media in (theirs, tried):
        answer = send(client, restaurant, {"type": "image", "media_id": media["id"]})
        assert (answer.status_code, answer.json["code"]) == (422, "unknown_media")
    answer = send(client, restaurant, {"type": "image", "media_id": tried["id"]}, key=key)
    assert answer.status_code == 202


def test_a_file_that_cannot_be_sent_is_refused(client, restaurant):
    assert (
        upload(client, restaurant, b"MZ\x90\x00", filename="a.exe").json["code"] == "unknown_file"
    )
    answer = upload(client, restaurant, picture(), type="sticker")
    assert (answer.status_code, answer.json["code"]) == (422, "unknown_file")
