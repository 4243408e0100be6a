"""What people, staff and Meta's agent do, by the JSON of the webhooks."""

import json

import pytest

from tests.messaging.simulator.simulated_network import LINE, PHONE, eventually, started

OTHER = "905334445566"
FAST = {"sent_ms": 1, "delivered_ms": 2, "read_ms": 3, "parent_ids": False, "window": "known"}


@pytest.fixture(scope="module")
def process():
    with started() as network:
        network.register()
        yield network


@pytest.fixture
def network(process):
    eventually(lambda: process.ask("GET", "/_sim/accepted")[1]["hooks"]["waiting"] == 0, 10)
    process.set(**FAST)
    process.ask("DELETE", "/_sim/accepted")
    process.hooks.bodies.clear()
    return process


def written(network, **more):
    """The id of the message, and the value of its webhook."""
    status, answer = network.write(**more)
    assert status == 201, answer
    return answer["id"], news(network)


def news(network, field="messages"):
    """The last webhook of this field that is not a receipt."""

    def found():
        return [one for one in network.hooks.values(field) if "statuses" not in one]

    value = eventually(found)[-1]
    network.hooks.bodies.clear()
    return value


def person(network, **changes):
    status, answer = network.act("person", **changes)
    assert status == 200, answer
    return answer


# People without a phone number


def test_a_message_of_somebody_with_a_username_has_ids_only(network):
    known = person(network, hides_phone=True, username="@kahvesever")
    _, value = written(network, text="Merhaba")
    [message], [contact] = value["messages"], value["contacts"]
    assert "from" not in message
    assert message["from_user_id"] == contact["user_id"] == known["user_id"]
    assert "wa_id" not in contact
    assert contact["profile"]["username"] == "kahvesever"


def test_ids_of_the_parent_business_are_sent_if_there_is_one(network):
    network.set(parent_ids=True)
    _, value = written(network, text="Merhaba")
    parent = value["messages"][0]["from_parent_user_id"]
    assert parent.startswith("TR.ENT.")
    assert value["contacts"][0]["parent_user_id"] == parent


def test_somebody_without_a_phone_is_reached_by_the_id(network):
    user_id = person(network, hides_phone=True)["user_id"]
    written(network, text="hi")
    status, answer = network.post_message(recipient=user_id)
    assert status == 200
    assert answer["contacts"] == [{"input": user_id, "user_id": user_id}]
    statuses = eventually(
        lambda: len(found := network.hooks.values()) == 3 and [one["statuses"][0] for one in found]
    )
    assert {one["recipient_user_id"] for one in statuses} == {user_id}
    assert not any("recipient_id" in one for one in statuses)


def test_an_id_in_the_wrong_field_is_dropped(network):
    user_id = person(network, hides_phone=True)["user_id"]
    written(network, text="hi")
    status, _ = network.post_message(to=user_id)
    assert status == 200
    assert [one["direction"] for one in network.shown()] == ["sent"]


def test_a_business_that_has_the_phone_can_use_it(network):
    person(network, hides_phone=True)
    written(network, text="hi")
    assert network.post_message(to=PHONE)[0] == 200
    assert eventually(lambda: network.hooks.states()) != []


def test_authentication_templates_need_a_phone(network):
    user_id = person(network, hides_phone=True)["user_id"]
    written(network, text="hi")
    parameters = [{"type": "text", "text": "481902"}]
    template = {
        "name": "sign_in_code",
        "language": {"code": "en"},
        "components": [{"type": "body", "parameters": parameters}],
    }
    status, answer = network.post_message(recipient=user_id, type="template", template=template)
    assert (status, answer["error"]["code"]) == (400, 131062)
    assert network.post_message(to=PHONE, type="template", template=template)[0] == 200


# Changes of a number, an id or a username


def test_a_new_number_is_reported_with_both_ids(network):
    written(network, text="hi", name="Ada")
    before = person(network)
    status, after = network.act("person", phone=OTHER)
    assert (status, after["phone"]) == (200, OTHER)
    value = news(network)
    assert "contacts" not in value
    [message] = value["messages"]
    assert (message["from"], message["type"]) == (PHONE, "system")
    system = message["system"]
    assert system["type"] == "user_changed_number"
    assert (system["wa_id"], system["user_id"]) == (OTHER, after["user_id"])
    assert system["previous_user_id"] == before["user_id"] != after["user_id"]
    assert [one["text"] for one in network.shown(OTHER)] == ["hi"]
    assert network.shown() == []


def test_a_new_number_of_a_hidden_phone_changes_the_id_only(network):
    person(network, hides_phone=True)
    written(network, text="hi")
    network.act("person", phone=OTHER)
    [message] = news(network)["messages"]
    assert message["system"]["type"] == "user_changed_user_id"
    assert "from" not in message
    assert PHONE not in json.dumps(message)
    assert OTHER not in json.dumps(message)


def test_an_id_that_was_replaced_is_no_longer_valid(network):
    written(network, text="hi")
    before, after = person(network), person(network, rotate_id=True)
    [message] = news(network)["messages"]
    assert message["system"]["previous_user_id"] == before["user_id"]
    assert "wa_id" not in message["system"]
    assert network.post_message(recipient=before["user_id"])[1]["error"]["code"] == 131026
    assert network.post_message(recipient=after["user_id"])[0] == 200


def test_a_new_username_keeps_the_id(network):
    before = person(network, hides_phone=True, username="one")
    after = person(network, username="two")
    assert (after["username"], after["user_id"]) == ("two", before["user_id"])


def test_a_number_in_use_is_refused(network):
    written(network, text="hi")
    written(network, phone=OTHER, text="hi")
    assert network.act("person", phone=OTHER)[0] == 422
    assert network.act("person", phone="12")[0] == 422


# Edits and deletions


def test_an_edited_message_names_the_original(network):
    message_id, _ = written(network, text="two ayran")
    assert network.act("messages/edit", id=message_id, text="three ayran")[0] == 200
    [message] = news(network)["messages"]
    assert (message["type"], message["from"]) == ("edit", PHONE)
    assert message["edit"] == {
        "original_message_id": message_id,
        "message": {"type": "text", "text": {"body": "three ayran"}},
    }
    [shown] = network.shown()
    assert (shown["text"], shown["edited"]) == ("three ayran", True)


def test_a_deleted_message_names_the_original(network):
    message_id, _ = written(network, text="sorry")
    network.act("messages/delete", id=message_id)
    [message] = news(network)["messages"]
    assert (message["type"], message["revoke"]) == ("revoke", {"original_message_id": message_id})
    assert network.act("messages/delete", id=message_id)[0] == 422
    assert network.act("messages/edit", id="wamid.other", text="x")[0] == 422


# Staff on the business phone, and Meta's agent


def test_what_staff_type_on_the_phone_is_an_echo(network):
    written(network, text="hi")
    status, answer = network.act("business_phone", text="With you in a minute")
    assert status == 201
    value = news(network, "smb_message_echoes")
    [echo] = value["message_echoes"]
    assert value["metadata"]["phone_number_id"] == LINE.phone_number_id
    assert (echo["id"], echo["from"], echo["to"]) == (answer["id"], "905550101010", PHONE)
    assert echo["text"] == {"body": "With you in a minute"}
    network.act("messages/edit", id=answer["id"], by="business", text="In two minutes")
    [edit] = news(network, "smb_message_echoes")["message_echoes"]
    assert edit["edit"]["original_message_id"] == answer["id"]
    network.act("messages/delete", id=answer["id"], by="business")
    [revoke] = news(network, "smb_message_echoes")["message_echoes"]
    assert revoke["type"] == "revoke"


def test_an_echo_to_a_hidden_phone_has_the_id_only(network):
    user_id = person(network, hides_phone=True)["user_id"]
    network.act("business_phone", text="hi")
    [echo] = news(network, "smb_message_echoes")["message_echoes"]
    assert "to" not in echo
    assert echo["to_user_id"] == user_id


def test_metas_agent_answers_and_hands_over(network):
    network.set(receipts=False)
    network.act("agent/take")
    passed = news(network, "messaging_handovers")
    assert passed["recipient"]["phone_number_id"] == LINE.phone_number_id
    assert passed["sender"]["phone_number"] == PHONE
    assert passed["control_passed"]["new_owner_role"] == "ai_agent"
    network.write(text="Are you open?")
    [message] = news(network, "standby")["standby"]["messages"]
    assert message["text"] == {"body": "Are you open?"}
    network.act("agent/answer", text="Yes, until 23:00.")
    [echo] = news(network, "standby")["standby"]["message_echoes"]
    assert echo["message"]["text"] == {"body": "Yes, until 23:00."}
    network.act("agent/hand_over")
    control = news(network, "messaging_handovers")["control_passed"]
    assert control["previous_owner_app_role"] == "meta_business_agent"
    assert control["new_owner_role"] == "escalation"
    network.write(text="And tomorrow?")
    assert news(network)["messages"][0]["text"] == {"body": "And tomorrow?"}
    network.set(receipts=True)


def test_a_message_of_the_business_takes_the_conversation(network):
    network.act("agent/take")
    news(network, "messaging_handovers")
    network.send(text="I am a person")
    control = news(network, "messaging_handovers")["control_passed"]
    assert control["new_owner_role"] == "escalation"


# Kinds of messages


@pytest.mark.parametrize(
    ("writes", "kind", "part"),
    [
        ({"kind": "sticker"}, "sticker", {"mime_type": "image/png", "animated": False}),
        ({"kind": "voice"}, "audio", {"voice": True}),
        ({"kind": "video", "text": "look"}, "video", {"caption": "look"}),
        ({"kind": "poll"}, "unsupported", {"type": "poll"}),
        (
            {
                "kind": "order",
                "catalog_id": "77",
                "products": [{"product_retailer_id": "ayran", "quantity": 2, "item_price": 45}],
            },
            "order",
            {
                "catalog_id": "77",
                "product_items": [
                    {
                        "product_retailer_id": "ayran",
                        "quantity": 2,
                        "item_price": 45.0,
                        "currency": "TRY",
                    }
                ],
            },
        ),
    ],
)
def test_every_kind_has_the_networks_shape(network, writes, kind, part):
    _, value = written(network, **writes)
    [message] = value["messages"]
    assert message["type"] == kind
    assert part.items() <= message[kind].items()


def test_a_form_comes_back_with_its_answers(network):
    answers = {"date": "2026-11-20", "guests": 4, "note": "Pencere kenarı"}
    _, value = written(network, kind="flow_reply", payload="token-1", answers=answers)
    reply = value["messages"][0]["interactive"]["nfm_reply"]
    assert json.loads(reply["response_json"]) == {**answers, "flow_token": "token-1"}


def test_a_message_from_an_ad_names_it_and_is_free(network):
    _, value = written(network, text="hi", referral={"headline": "Weekend menu"})
    referral = value["messages"][0]["referral"]
    assert (referral["headline"], referral["source_type"]) == ("Weekend menu", "ad")
    assert set(referral) == {
        *("source_url", "source_id", "source_type", "headline", "body"),
        *("media_type", "image_url", "ctwa_clid"),
    }
    network.send()
    receipt = eventually(network.hooks.receipts)[0]
    assert (receipt.pricing_type, receipt.billable) == ("free_entry_point", False)


@pytest.mark.parametrize(
    ("forwarded", "mark"), [("once", "forwarded"), ("often", "frequently_forwarded")]
)
def test_a_forwarded_message_is_marked(network, forwarded, mark):
    _, value = written(network, text="news", forwarded=forwarded)
    assert value["messages"][0]["context"] == {mark: True}


# The 24-hour window


def test_the_window_closes_after_a_day_and_opens_with_a_message(network):
    written(network, text="hi")
    assert network.post_message(to=PHONE)[0] == 200
    person(network, hours_ahead=24)
    status, answer = network.post_message(to=PHONE)
    assert (status, answer["error"]["code"]) == (400, 131047)
    template = {"name": "hello_world", "language": {"code": "en_US"}}
    assert network.post_message(to=PHONE, type="template", template=template)[0] == 200
    written(network, text="still here")
    assert network.post_message(to=PHONE)[0] == 200


def test_a_strict_window_is_closed_until_the_person_writes(network):
    assert network.post_message(to=PHONE)[0] == 200
    network.set(window="strict")
    assert network.post_message(to=PHONE)[1]["error"]["code"] == 131047
    network.set(window="off")
    assert network.post_message(to=PHONE)[0] == 200


@pytest.mark.parametrize(
    ("account", "code"), [("off", 100), ("blocked", 139200), ("limited", 131064), ("on", None)]
)
def test_utility_messages_without_a_template(network, account, code):
    network.set(window="strict", direct_send=account)
    status, answer = network.post_message(to=PHONE, category="utility")
    assert status == (200 if code is None else 400)
    assert answer.get("error", {}).get("code") == code


# Read and typing


def test_a_read_report_marks_earlier_messages_too(network):
    written(network, text="one")
    message_id, _ = written(network, text="two")
    written(network, text="three")
    path = f"/v23.0/{LINE.phone_number_id}/messages"
    body = {
        "messaging_product": "whatsapp",
        "status": "read",
        "message_id": message_id,
        "typing_indicator": {"type": "text"},
    }
    assert network.ask("POST", path, body, Authorization="Bearer EAAB")[0] == 200
    assert [one["state"] for one in network.shown()] == ["read", "read", "sent"]
