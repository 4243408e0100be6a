"""Parts of inbound messages besides their text: answers of Flows, ads, products, hand-overs."""

import json

import pytest

from messaging.lines.drivers.cloud import driver as cloud_driver
from tests.messaging.lines.cloud_payloads import message, read, receipt


def flow_reply(response_json):
    reply = {"name": "flow", "body": "Sent", "response_json": response_json}
    return read(message("interactive", {"type": "nfm_reply", "nfm_reply": reply}))


def test_the_answers_of_a_flow_are_an_object():
    long = {"note": "x" * 50_000, "people": 4, "extras": ["cake"]}
    taken = flow_reply(json.dumps(long))
    assert taken.content == {"id": "flow", "title": "Sent", "answers": long}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (json.dumps({"note": "x" * 100_000}), "too_large"),
        ("[1, 2]", "not_an_object"),
        ('{"cut": ', "unreadable"),
        ("[" * 50_000, "unreadable"),
        (None, "unreadable"),
    ],
)
def test_answers_that_cannot_be_stored_whole_are_refused(given, why):
    taken = flow_reply(given)
    assert taken.content == {"id": "flow", "title": "Sent", "refused": why}
    assert taken.kind == "button"


def test_a_question_about_a_product_names_it():
    product = {"catalog_id": "1948", "product_retailer_id": "di9"}
    taken = read(message(context={"from": "1555", "id": "wamid.P", "referred_product": product}))
    assert taken.content["referred_product"] == {"catalog_id": "1948", "product_id": "di9"}


def test_opening_the_chat_is_no_unsupported_message():
    assert read(message("request_welcome", None)).kind == "request_welcome"


def test_a_permission_to_call_is_a_choice():
    reply = {"response": "accept", "expiration_timestamp": "1790000000"}
    taken = read(
        message("interactive", {"type": "call_permission_reply", "call_permission_reply": reply})
    )
    assert (taken.kind, taken.text) == ("button", "accept")


def test_an_ad_keeps_only_what_is_known():
    ad = {
        "source_url": "https://fb.me/x",
        "source_id": 120,
        "headline": "Lunch",
        "body": 7.5,
        "welcome_message": {"text": "Hi!"},
        "unknown": "x",
    }
    assert read(message(referral=ad)).content["referral"] == {
        "source_url": "https://fb.me/x",
        "source_id": "120",
        "headline": "Lunch",
        "welcome_message": "Hi!",
    }


@pytest.mark.parametrize(
    ("part", "holder"),
    [
        ({"new_owner_role": "ai_agent", "previous_owner_role": "escalation"}, "meta_agent"),
        ({"previous_owner_app_role": "meta_business_agent"}, ""),
        ({"previous_owner_role": "ai_agent", "new_owner_role": "escalation"}, ""),
    ],
)
def test_a_handover_tells_who_holds_the_conversation(part, holder):
    value = {
        "recipient": {"phone_number_id": "pn-42"},
        "sender": {"phone_number": "905321112233", "user_id": "US.1"},
        "timestamp": "1790000000",
        "type": "control_passed",
        "control_passed": part,
    }
    change_of = {"field": "messaging_handovers", "value": value}
    raw = json.dumps({"entry": [{"id": "1", "changes": [change_of]}]}).encode()
    [parsed] = cloud_driver.parse_webhook(raw)
    [update] = parsed.updates
    assert parsed.phone_number_id == "pn-42"
    assert (update.kind, update.detail["holder"]) == ("handover", holder)
    assert (update.detail["phone"], update.detail["network_id"]) == ("905321112233", "US.1")


@pytest.mark.parametrize("state", ["captured", "pending", "failed"])
def test_the_payment_of_an_order_is_no_receipt_of_its_message(state):
    assert receipt(type="payment", status=state, payment={"reference_id": "o-1"}) is None
    assert receipt(type="message", status="failed").state == "failed"
