"""What the network refuses: required and unknown fields, limits and recipients of a send."""

import copy

import pytest

from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.cloud import driver as cloud_driver
from messaging.simulator.network.behaviour import NetworkBehaviour
from messaging.simulator.network.checks.limits import SendLimits
from messaging.simulator.network.magic_numbers import Refusal
from messaging.simulator.network.send_checks import check_read, check_send
from tests.messaging.messages.kind_examples import EXAMPLES, example
from tests.messaging.simulator.simulated_network import PHONE


def body(kind="text", part=None, **more):
    part = {"body": "hi"} if part is None else part
    return {"messaging_product": "whatsapp", "to": PHONE, "type": kind, kind: part, **more}


def interactive(kind, action, **more):
    part = {"type": kind, "body": {"text": "Choose"}, "action": action, **more}
    return body("interactive", part)


def reply(number=1, title=""):
    return {"type": "reply", "reply": {"id": str(number), "title": title or f"No {number}"}}


def rows(count):
    return [{"id": str(one), "title": f"Row {one}"} for one in range(count)]


def card(number=0, **more):
    button = {"type": "quick_reply", "quick_reply": {"id": str(number), "title": "Add"}}
    return {
        "card_index": number,
        "header": {"type": "image", "image": {"link": "https://e.com/a.jpg"}},
        "action": {"buttons": [button]},
        **more,
    }


def flow(**more):
    parameters = {"flow_message_version": "3", "flow_cta": "Open", "flow_id": "1", **more}
    return interactive("flow", {"name": "flow", "parameters": parameters})


def template(name="table_ready", values=("Ada",), **more):
    parameters = [{"type": "text", "text": value} for value in values]
    components = [{"type": "body", "parameters": parameters}]
    return body(
        "template", {"name": name, "language": {"code": "en"}, "components": components, **more}
    )


def refused(given):
    answer = check_send(given)
    assert isinstance(answer, Refusal), answer
    return answer.code, answer.details


@pytest.mark.parametrize("code", EXAMPLES)
def test_what_the_service_sends_is_good(code):
    text, content = example(code)
    envelope = Envelope("msg_1", 1, 7, 1, PHONE, code, text, content)
    assert not isinstance(check_send(cloud_driver.payload(envelope)), Refusal)


@pytest.mark.parametrize("code", EXAMPLES)
def test_no_part_may_have_a_field_that_the_network_does_not_know(code):
    text, content = example(code)
    sent = copy.deepcopy(cloud_driver.payload(Envelope("m", 1, 7, 1, PHONE, code, text, content)))
    part = sent[sent["type"]]
    (part[0] if isinstance(part, list) else part)["colour"] = "red"
    code, details = refused(sent)
    assert code == 100
    assert 'Unexpected key "colour"' in details


@pytest.mark.parametrize(
    ("given", "code", "details"),
    [
        ({}, 100, "messaging_product"),
        ([], 100, "messaging_product"),
        (body("hologram", {}), 131051, "hologram"),
        (body(colour="red"), 100, 'Unexpected key "colour"'),
        (body(image={"id": "1"}), 100, 'Unexpected key "image"'),
        ({**body(), "text": None}, 100, "text must be a JSON object"),
        ({"messaging_product": "whatsapp", "to": PHONE, "type": "image"}, 131008, "image"),
        ({"messaging_product": "whatsapp", "text": {"body": "hi"}}, 131008, "to"),
        (body(to="hello"), 131009, "to is not a WhatsApp id"),
        (body(recipient=PHONE), 131009, "recipient is not a user id"),
        (body(recipient_type="group"), 100, "recipient_type must be one of"),
        (body(context={}), 131008, "context['message_id']"),
        (body(biz_opaque_callback_data="x" * 513), 100, "at most 512 characters"),
        (body(part={"body": " "}), 131008, "text['body']"),
        (body(part={"body": 7}), 100, "text['body'] must be a string"),
        (body(part={"body": "x" * 4097}), 100, "text['body'] must be at most 4096"),
        (body(part={"body": "x", "preview_url": "yes"}), 100, "must be a boolean"),
        (body("image", {}), 131008, "image['id'] or image['link']"),
        (body("image", {"id": "1", "link": "https://e.com/a"}), 100, "Only one of"),
        (body("image", {"link": "ftp://e.com/a"}), 131053, "http"),
        (body("audio", {"id": "1", "caption": "no"}), 100, 'Unexpected key "caption"'),
        (body("location", {"latitude": 1}), 131008, "location['longitude']"),
        (body("location", {"latitude": 91, "longitude": 0}), 131009, "latitude"),
        (body("contacts", [{"name": {"formatted_name": "A"}}]), 131008, "second part"),
        (body("contacts", []), 131009, "1 to 257"),
        (body("reaction", {"emoji": "👍"}), 131008, "reaction['message_id']"),
        (body("interactive", {"type": "poll"}), 100, "interactive['type'] must be one of"),
        (interactive("button", {"buttons": []}), 131009, "1 to 3 entries"),
        (interactive("button", {"buttons": [reply(n) for n in range(4)]}), 131009, "1 to 3"),
        (interactive("button", {"buttons": [reply(1, "A"), reply(2, "A")]}), 131009, "titles"),
        (interactive("button", {"buttons": [reply(1), reply(1, "B")]}), 131009, "unique ids"),
        (interactive("button", {"buttons": [reply(1, "x" * 21)]}), 100, "at most 20"),
        (interactive("button", {"buttons": [reply()]}, header={"type": "text"}), 131008, "header"),
        (interactive("button", {"buttons": [reply()]}, footer={"text": "x" * 61}), 100, "60"),
        (interactive("list", {"button": "Open", "sections": [{"rows": []}]}), 131009, "1 to 10"),
        (
            interactive("list", {"button": "Open", "sections": [{"rows": rows(6)}] * 2}),
            131009,
            "1 to 10 rows in all",
        ),
        (
            interactive(
                "list",
                {"button": "Open", "sections": [{"rows": rows(1)}]},
                header={"type": "image", "image": {"id": "1"}},
            ),
            100,
            "image",
        ),
        (interactive("cta_url", {"name": "cta_url"}), 131008, "parameters"),
        (interactive("location_request_message", {"name": "x"}), 100, "send_location"),
        (interactive("product_list", {"catalog_id": "1", "sections": []}), 131009, "sections"),
        (interactive("carousel", {"cards": [card()]}), 131009, "2 to 10"),
        (interactive("carousel", {"cards": [card(0), card(0)]}), 131009, "card_index"),
        (
            interactive("carousel", {"cards": [card(0), card(1, body={"text": "a\nb\nc\nd"})]}),
            131009,
            "line breaks",
        ),
        (flow(flow_message_version="2"), 100, "flow_message_version"),
        (flow(flow_name="booking"), 100, "Only one of"),
        (template("nothing"), 132001, "nothing"),
        (template(values=()), 132000, "(0) is not 1"),
        (template(values=("a", "b")), 132000, "(2) is not 1"),
        (template("we_miss_you"), 132015, ""),
        (template("weekend_offer"), 132012, "header"),
        (template("sign_in_code", colour="red"), 100, "colour"),
        (body("image", {"id": "1"}, category="utility"), 100, "category"),
    ],
)
def test_a_wrong_send_is_refused_with_the_networks_code(given, code, details):
    found = refused(given)
    assert found[0] == code, found
    assert details in found[1], found


def test_a_message_without_a_type_is_a_text():
    sent = body()
    del sent["type"]
    assert check_send(sent) == (PHONE, "text", "hi", {})


def test_the_phone_counts_before_the_id():
    assert check_send(body(recipient="TR.12"))[0] == PHONE


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({}, None),
        ({"typing_indicator": {"type": "text"}}, None),
        ({"typing_indicator": {"type": "voice"}}, 100),
        ({"message_id": ""}, 131008),
        ({"colour": "red"}, 100),
    ],
)
def test_a_read_report_is_checked(more, code):
    given = {"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.1", **more}
    fault = check_read(given)
    assert (fault.code if fault else None) == code


def test_a_burst_to_one_person_is_limited_and_recovers():
    limits, rules = SendLimits(), NetworkBehaviour(pair_burst=2)

    def taken(phone, at):
        fault = limits.fault(rules, "5501", phone, at)
        assert fault is None or fault.code == 131056
        return fault is None

    assert [taken(PHONE, 0.0) for _ in range(3)] == [True, True, False]
    assert taken("905320000000", 0.0)
    assert not taken(PHONE, 5.0)
    assert taken(PHONE, 7.0)
    assert not taken(PHONE, 7.5)


def test_a_line_has_a_limit_per_second():
    limits, rules = SendLimits(), NetworkBehaviour(line_per_second=2)
    codes = [limits.fault(rules, "5501", PHONE, at) for at in (1.0, 1.5, 1.9, 2.0)]
    assert [fault.code if fault else 0 for fault in codes] == [0, 0, 130429, 0]
    assert limits.fault(rules, "5502", PHONE, 1.9) is None
