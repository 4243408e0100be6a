"""What leaves by a cloud line, and what each answer of the network means."""

import asyncio
import json
from dataclasses import replace

import pytest

from core.http import ConnectFailed, Policy, Reply, Timeout, TooLarge
from core.http.async_client import Client
from messaging.lines.drivers.base import (
    Envelope,
    LineFacts,
    SendAccepted,
    SendRefused,
    SendUnknown,
    TryLater,
)
from messaging.lines.drivers.cloud import driver as cloud_driver
from messaging.lines.drivers.cloud.health_check import WEBHOOK_FIELDS
from messaging.reasons import NETWORK_REASONS

LINE = LineFacts(
    7, 100_001, "cloud", phone_number_id="106540352242922", token="EAAB", app_secret="s"
)
BASE, VERSION = "https://network.example", "v23.0"


def envelope(kind="text", text="", phone="905321112233", **content):
    return Envelope("msg_01", 1, 7, 100_001, phone, kind, text, content)


def reply(status=200, body=b"", **headers):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, named, body, 0.01, "127.0.0.1")


class Answers:
    """A client with a prepared answer; it records the requests."""

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    async def request(self, method, url, *, headers=None, body=None, **_):
        self.asked.append((method, url, headers, body))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer(url) if callable(self.answer) else self.answer


def send(answer, message=None, line=LINE):
    client = Answers(answer)
    outcome = asyncio.run(
        cloud_driver.send(client, BASE, VERSION, line, message or envelope(text="hi"))
    )
    return outcome, client.asked


def outcome_of(status, body=b"", **headers):
    return send(reply(status, body, **headers))[0]


def error(code, status=400, **more):
    return outcome_of(status, {"error": {"code": code, "message": "said", **more}})


ACCEPTED = {
    "messaging_product": "whatsapp",
    "contacts": [{"input": "905321112233", "wa_id": "905321112233"}],
    "messages": [{"id": "wamid.A"}],
}


# What leaves


def test_a_text_carries_our_id_and_the_digits():
    assert cloud_driver.payload(envelope(text="Merhaba")) == {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": "905321112233",
        "type": "text",
        "text": {"body": "Merhaba", "preview_url": False},
        "biz_opaque_callback_data": "msg_01",
    }


@pytest.mark.parametrize(
    ("text", "previewed"),
    [("see https://example.com/a", True), ("HTTP://EXAMPLE.COM", True), ("example.com", False)],
)
def test_a_link_is_previewed(text, previewed):
    assert cloud_driver.payload(envelope(text=text))["text"]["preview_url"] is previewed


@pytest.mark.parametrize(
    ("kind", "text", "content", "part"),
    [
        (
            "image",
            "lunch",
            {"url": "https://e.com/a.jpg"},
            {"link": "https://e.com/a.jpg", "caption": "lunch"},
        ),
        ("video", "", {"url": "https://e.com/a.mp4"}, {"link": "https://e.com/a.mp4"}),
        ("audio", "not shown", {"url": "https://e.com/a.ogg"}, {"link": "https://e.com/a.ogg"}),
        (
            "document",
            "the bill",
            {"url": "https://e.com/1", "filename": "bill.pdf"},
            {"link": "https://e.com/1", "caption": "the bill", "filename": "bill.pdf"},
        ),
        (
            "location",
            "",
            {"latitude": 41.02, "longitude": 28.97, "name": "Galata", "address": ""},
            {"latitude": 41.02, "longitude": 28.97, "name": "Galata"},
        ),
    ],
)
def test_each_kind_has_its_part(kind, text, content, part):
    assert cloud_driver.payload(envelope(kind, text, **content))[kind] == part


def test_a_reply_names_what_it_answers():
    body = cloud_driver.payload(envelope(text="yes", reply_to="wamid.Q"))
    assert body["context"] == {"message_id": "wamid.Q"}


def test_somebody_without_a_phone_is_written_to_by_the_networks_id():
    body = cloud_driver.payload(envelope(text="yes", phone="US.13491208655302741918"))
    assert body["recipient"] == "US.13491208655302741918"
    assert "to" not in body


def template(parameters):
    made = envelope("template", name="order", language="tr", parameters=parameters)
    return cloud_driver.payload(made)["template"]


def text_value(value, **more):
    return {"type": "text", "text": value, **more}


@pytest.mark.parametrize(
    ("parameters", "components"),
    [
        ([], None),
        (None, None),
        (["Ada", 12], [{"type": "body", "parameters": [text_value("Ada"), text_value("12")]}]),
        (
            {"2": "b", "1": "a"},
            [{"type": "body", "parameters": [text_value("a"), text_value("b")]}],
        ),
        (
            {"name": "Ada"},
            [{"type": "body", "parameters": [text_value("Ada", parameter_name="name")]}],
        ),
        (
            {"header": {"image": "https://e.com/a.png"}, "body": ["x"], "buttons": [None, "abc"]},
            [
                {
                    "type": "header",
                    "parameters": [{"type": "image", "image": {"link": "https://e.com/a.png"}}],
                },
                {"type": "body", "parameters": [text_value("x")]},
                {
                    "type": "button",
                    "sub_type": "url",
                    "index": "1",
                    "parameters": [text_value("abc")],
                },
            ],
        ),
        (
            {
                "buttons": [
                    {"type": "quick_reply", "payload": "YES"},
                    {"type": "copy_code", "code": "C"},
                ]
            },
            [
                {
                    "type": "button",
                    "sub_type": "quick_reply",
                    "index": "0",
                    "parameters": [{"type": "payload", "payload": "YES"}],
                },
                {
                    "type": "button",
                    "sub_type": "copy_code",
                    "index": "1",
                    "parameters": [{"type": "coupon_code", "coupon_code": "C"}],
                },
            ],
        ),
        (
            [{"type": "currency", "currency": {"fallback_value": "€5"}}],
            [
                {
                    "type": "body",
                    "parameters": [{"type": "currency", "currency": {"fallback_value": "€5"}}],
                }
            ],
        ),
    ],
)
def test_parameters_go_where_the_network_wants_them(parameters, components):
    made = template(parameters)
    assert (made["name"], made["language"]) == ("order", {"code": "tr"})
    assert made.get("components") == components


def test_the_call_is_made_with_the_lines_token():
    _, asked = send(reply(200, ACCEPTED))
    [(method, url, headers, body)] = asked
    assert (method, url) == ("POST", "https://network.example/v23.0/106540352242922/messages")
    assert headers["Authorization"] == "Bearer EAAB"
    assert json.loads(body)["text"]["body"] == "hi"


@pytest.mark.parametrize("token", ["", "two words", "line\r\nbreak", "tökén"])
def test_a_token_that_cannot_be_one_is_not_sent(token):
    outcome, asked = send(reply(200, ACCEPTED), line=LineFacts(7, 1, "cloud", "106", token))
    assert (outcome.code, outcome.line_state, asked) == ("line_unavailable", "token_expired", [])


def test_an_envelope_that_lacks_a_part_is_refused_before_it_leaves():
    outcome, asked = send(reply(200, ACCEPTED), envelope("image"))
    assert (outcome.code, asked) == ("invalid_parameter", [])


# What the answers mean


def test_taken():
    assert outcome_of(200, ACCEPTED) == SendAccepted("wamid.A", "905321112233")


def test_taken_with_the_networks_own_spelling():
    body = {**ACCEPTED, "contacts": [{"input": "5215512345678", "wa_id": "525512345678"}]}
    assert outcome_of(200, body) == SendAccepted("wamid.A", "525512345678")


@pytest.mark.parametrize("contacts", [None, [], [7], [{"wa_id": 7}], {"wa_id": "1"}])
def test_the_id_counts_whatever_the_rest_is(contacts):
    assert outcome_of(200, {**ACCEPTED, "contacts": contacts}) == SendAccepted("wamid.A", "")


@pytest.mark.parametrize(
    "body",
    [b"", b"OK", b"\xff", b"[" * 60_000, {}, {"messages": []}, {"messages": [{"id": 7}]}, [1], "x"],
)
def test_a_success_that_cannot_be_read_is_unknown(body):
    assert isinstance(outcome_of(200, body), SendUnknown)


@pytest.mark.parametrize("code", [190, 0, 3, 10, 200, 299, 131005])
def test_the_token_is_to_blame(code):
    outcome = error(code, 401)
    assert isinstance(outcome, SendRefused)
    assert (outcome.code, outcome.line_state) == ("line_unavailable", "token_expired")
    assert outcome.network_code == str(code)


@pytest.mark.parametrize("code", [368, 131031, 131042, 133010, 33])
def test_the_line_is_restricted(code):
    assert error(code).line_state == "restricted"


def test_a_wrong_phone_number_id_is_the_lines_fault_not_the_messages():
    assert error(100, 400, error_subcode=33).line_state == "restricted"
    assert error(100, 400).line_state == ""


@pytest.mark.parametrize(
    ("code", "scope"),
    [
        (131056, "pair"),
        (130429, "line"),
        (80007, "line"),
        (613, "line"),
        (4, "line"),
        (131048, "line"),
        (131000, "message"),
        (131016, "message"),
        (1, "message"),
        (2, "message"),
    ],
)
def test_try_later(code, scope):
    outcome = error(code)
    assert isinstance(outcome, TryLater)
    assert outcome.scope == scope


@pytest.mark.parametrize(
    ("code", "ours"),
    [
        (131026, "recipient_unavailable"),
        (131047, "window_closed"),
        (131050, "recipient_opted_out"),
        (131049, "marketing_limited"),
        (131052, "media_unusable"),
        (131053, "media_unusable"),
        (132000, "template_unusable"),
        (132001, "template_unusable"),
        (132099, "template_unusable"),
        (131009, "invalid_parameter"),
        (100, "invalid_parameter"),
        ("131047", "window_closed"),
    ],
)
def test_never(code, ours):
    outcome = error(code)
    assert isinstance(outcome, SendRefused)
    assert (outcome.code, outcome.line_state) == (ours, "")


def test_the_networks_own_words_are_told_beside_ours():
    outcome = error(131053, error_data={"details": "The file is 30 MB."})
    assert NETWORK_REASONS.english(outcome.reason).endswith(
        "Reason given by WhatsApp: The file is 30 MB."
    )


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (400, SendRefused, "refused_by_network"),
        (401, SendRefused, "line_unavailable"),
        (403, SendRefused, "line_unavailable"),
        (404, SendRefused, "line_unavailable"),
        (408, TryLater, "network_trouble"),
        (429, TryLater, "rate_limited"),
        (500, TryLater, "network_trouble"),
        (503, TryLater, "network_trouble"),
    ],
)
def test_an_unknown_code_leaves_the_word_to_the_status(status, kind, code):
    outcome = error(999_999, status)
    assert (type(outcome), outcome.code) == (kind, code)


def test_an_unknown_code_that_calls_itself_transient_is_tried_again():
    assert isinstance(error(999_999, 400, is_transient=True), TryLater)


@pytest.mark.parametrize("status", [500, 502, 504, 520, 524])
@pytest.mark.parametrize("body", [b"", b"<html>Bad gateway</html>", {"error": "text"}])
def test_a_proxy_that_may_have_passed_it_on_leaves_it_unknown(status, body):
    assert isinstance(outcome_of(status, body), SendUnknown)


@pytest.mark.parametrize("status", [302, 408, 429, 503])
def test_a_proxy_that_surely_did_not_pass_it_on(status):
    assert isinstance(outcome_of(status, b"<html>"), TryLater)


@pytest.mark.parametrize(
    ("asked", "after"),
    [("7", 7.0), ("0", 1.0), ("999999", 3600.0), ("soon", 2.0), ("-1", 2.0), ("", 2.0), ("٧", 2.0)],
)
def test_retry_after_is_honoured_within_bounds(asked, after):
    assert outcome_of(429, b"", retry_after=asked).after == after


@pytest.mark.parametrize("kind", [ConnectFailed, Timeout])
def test_nothing_left_so_it_is_tried_again(kind):
    assert isinstance(send(kind("no", sent=False))[0], TryLater)


@pytest.mark.parametrize("kind", [ConnectFailed, Timeout, TooLarge])
def test_bytes_left_and_no_answer_came(kind):
    assert isinstance(send(kind("broke off", sent=True))[0], SendUnknown)


def test_over_a_real_socket_a_server_that_hangs_up_leaves_it_unknown():
    async def story():
        async def hang_up(reader, writer):
            await reader.read(100)
            writer.transport.abort()

        server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        base = f"http://127.0.0.1:{port}"
        async with Client(Policy(allow_loopback=True)) as client:
            lost = await cloud_driver.send(client, base, VERSION, LINE, envelope(text="hi"))
            server.close()
            await server.wait_closed()
            refused = await cloud_driver.send(client, base, VERSION, LINE, envelope(text="hi"))
        return lost, refused

    lost, refused = asyncio.run(story())
    assert isinstance(lost, SendUnknown)
    assert isinstance(refused, TryLater)


# The live check

NUMBER = {
    "id": "106540352242922",
    "status": "CONNECTED",
    "quality_rating": "GREEN",
    "webhook_configuration": {"application": "https://us.example/hooks/cloud/abc"},
}


def findings(answer, **more):
    check = cloud_driver.check_line(Answers(answer), BASE, VERSION, LINE, **more)
    return [finding.code for finding in asyncio.run(check)]


def test_a_line_in_order_has_no_findings():
    found = findings(reply(200, NUMBER), callback_url="https://us.example/hooks/cloud/abc")
    assert found == []


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (reply(401, {"error": {"code": 190}}), "token_expired"),
        (reply(403, {"error": {"code": 10}}), "token_expired"),
        (reply(400, {"error": {"code": 100, "error_subcode": 33}}), "wrong_phone_number_id"),
        (reply(400, {"error": {"code": 100}}), "wrong_phone_number_id"),
        (reply(404, b"<html>"), "wrong_phone_number_id"),
        (reply(400, {"error": {"code": 368}}), "restricted"),
        (reply(503, b""), "network_unreachable"),
        (reply(200, b"not JSON"), "network_unreachable"),
        (Timeout("late", sent=True), "network_unreachable"),
        (reply(200, {**NUMBER, "status": "BANNED"}), "restricted"),
        (reply(200, {**NUMBER, "status": "PENDING"}), "number_not_ready"),
        (reply(200, {**NUMBER, "quality_rating": "RED"}), "quality_low"),
        (reply(200, {**NUMBER, "webhook_configuration": None}), "webhook_not_subscribed"),
        (reply(200, {**NUMBER, "webhook_configuration": {}}), "webhook_not_subscribed"),
    ],
)
def test_what_is_wrong_is_found(answer, code):
    assert findings(answer) == [code]


def test_a_webhook_that_leads_elsewhere_is_found():
    assert findings(reply(200, NUMBER), callback_url="https://other") == ["webhook_elsewhere"]


def test_an_account_that_no_app_listens_to_is_found():
    def answer(url):
        return reply(200, {"data": []} if url.endswith("/999/subscribed_apps") else NUMBER)

    assert findings(answer, account_id="999") == ["webhook_not_subscribed"]


def field_findings(names, secret="s3cret", answer_to="1234|s3cret"):
    """The problems of an account with two apps; the second one is ours."""
    apps = [{"whatsapp_business_api_data": {"id": one}} for one in ("99", "1234")]
    fields = [{"name": name, "version": "v23.0"} for name in names]
    mine = {"object": "whatsapp_business_account", "active": True, "fields": fields}

    class Graph(Answers):
        async def request(self, method, url, *, headers, **more):
            if url.endswith("/subscriptions"):
                own = headers["Authorization"] == f"Bearer {answer_to}" and "/1234/" in url
                self.answer = (
                    reply(200, {"data": [mine]}) if own else reply(400, {"error": {"code": 190}})
                )
            else:
                data = {"data": apps} if url.endswith("/999/subscribed_apps") else NUMBER
                self.answer = reply(200, data)
            return await super().request(method, url, headers=headers, **more)

    line = replace(LINE, app_secret=secret)
    check = cloud_driver.check_line(Graph(None), BASE, VERSION, line, account_id="999")
    return asyncio.run(check)


def test_webhook_fields_that_are_not_subscribed_are_named():
    assert field_findings(WEBHOOK_FIELDS) == []
    [found] = field_findings([name for name in WEBHOOK_FIELDS if name != "standby"])
    assert found.code == "webhook_fields_missing"
    assert NETWORK_REASONS.english(found.reason).endswith("webhook settings: standby.")
    [found] = field_findings([])
    assert "messages, smb_message_echoes" in NETWORK_REASONS.english(found.reason)


def test_fields_that_cannot_be_read_are_no_problem():
    assert field_findings([], secret="") == []
    assert field_findings([], answer_to="another app") == []


def test_a_line_without_a_token_is_found_without_asking():
    client = Answers(reply(200, NUMBER))
    check = cloud_driver.check_line(client, BASE, VERSION, LineFacts(7, 1, "cloud", "106"))
    assert [finding.code for finding in asyncio.run(check)] == ["token_expired"]
    assert client.asked == []
