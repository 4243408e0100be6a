"""Sending over real HTTP: web, worker and the simulated network are real processes."""

import json
import time
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from messaging.lines.simulated_line import add_simulated_line
from tests.factories import make_business
from tests.timeouts import allow_for_load

PHONE = "905321112233"


@pytest.fixture
def business(app, service, settings):
    """With a live and a test line on the simulated network that the service talks to."""
    made = make_business("Lokanta Mavi")
    with made.scope():
        secret = settings.simulator_secret
        add_simulated_line("Front desk", service.url, secret, test=False, default=True)
        add_simulated_line("Test line", service.url, secret, test=True)
    return made


def call(service, key, path, body=None, **headers):
    request = Request(
        f"{service.url}/api/v1{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    )
    try:
        with urlopen(request, timeout=40) as answer:
            return answer.status, json.load(answer), answer.headers
    except HTTPError as refusal:
        return refusal.code, json.load(refusal), refusal.headers


def eventually(look, wanted, seconds=8):
    end = time.monotonic() + allow_for_load(seconds)
    while time.monotonic() < end:
        seen = look()
        if seen == wanted:
            return
        time.sleep(0.1)
    assert seen == wanted


def test_the_specs_example(service, business):
    status, answer, _ = call(
        service, business.key, "/messages/send", {"phone": PHONE, "message": "Merhaba *dünya*"}
    )
    assert status == 200
    assert answer["status"] == "success"
    assert answer["status_code"] == "sent"
    assert answer["message_id"].startswith("wamid.")
    assert isinstance(answer["cost_usd"], int | float)
    assert answer["test"] is False


def test_its_timeline_shows_sent_delivered_and_read(service, business):
    _, answer, _ = call(
        service, business.key, "/messages/send", {"phone": PHONE, "message": "Merhaba"}
    )

    def states():
        _, result, _ = call(service, business.key, f"/messages/{answer['id']}/timeline")
        return [change["status_code"] for change in result["data"]]

    eventually(states, ["queued", "sending", "sent", "delivered", "read"])
    _, message, _ = call(service, business.key, f"/messages/{quote(answer['message_id'], '')}")
    assert "id" in message, (answer, message)
    assert (message["id"], message["status_code"]) == (answer["id"], "read")


def test_media_with_a_caption(service, business):
    body = {
        "phone": PHONE,
        "media_url": "https://example.com/menu.pdf",
        "type": "document",
        "caption": "Menü",
        "filename": "menu.pdf",
    }
    status, answer, _ = call(service, business.key, "/messages/send-media", body)
    assert (status, answer["status_code"]) == (200, "sent")


def test_a_location(service, business):
    body = {"phone": PHONE, "latitude": 41.0082, "longitude": 28.9784, "name": "Lokanta Mavi"}
    status, answer, _ = call(service, business.key, "/messages/send-location", body)
    assert (status, answer["status_code"]) == (200, "sent")


def test_a_template(service, business):
    body = {
        "phone": PHONE,
        "name": "order_confirmation",
        "language": "tr",
        "parameters": ["Ada", "ORD-1"],
    }
    status, answer, _ = call(service, business.key, "/messages/send-template", body)
    assert (status, answer["status_code"]) == (200, "sent")


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("905550000001", "recipient_unavailable"),
        ("905550000002", "window_closed"),
        ("905550000004", "recipient_opted_out"),
    ],
)
def test_what_the_network_refuses_is_reported(service, business, number, code):
    body = {"phone": number, "message": "x"}
    status, answer, _ = call(service, business.key, "/messages/send", body)
    assert (status, answer["code"]) == (422, code)
    _, message, _ = call(service, business.key, f"/messages/{answer['id']}")
    assert (message["status_code"], message["cost_usd"]) == ("failed", 0)


def test_an_answer_that_was_lost_is_settled_by_the_receipt(service, business):
    body = {"phone": "905550000006", "message": "x"}
    status, answer, _ = call(service, business.key, "/messages/send", body, Prefer="wait=3")
    assert status == 202
    eventually(
        lambda: call(service, business.key, f"/messages/{answer['id']}")[1]["status_code"], "read"
    )


def test_an_expired_token_pauses_the_line_with_a_reason(service, business):
    body = {"phone": "905550000005", "message": "x"}
    status, answer, _ = call(service, business.key, "/messages/send", body)
    assert (status, answer["code"]) == (503, "line_unavailable")
    after = call(
        service, business.key, "/messages/send", {"phone": PHONE, "message": "y"}, Prefer="wait=1"
    )
    assert (after[0], after[1]["status_code"]) == (202, "queued")


def test_the_test_line_goes_on_after_an_expired_token(service, business):
    body = {"phone": "905550000005", "message": "x"}
    status, answer, _ = call(service, business.test_key, "/messages/send", body)
    assert (status, answer["code"]) == (503, "line_unavailable")
    body = {"phone": PHONE, "message": "y"}
    status, answer, _ = call(service, business.test_key, "/messages/send", body)
    assert (status, answer["status_code"]) == (200, "sent")


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"message": "x"}, "missing_parameter", "phone"),
        ({"phone": PHONE}, "missing_parameter", "message"),
        ({"phone": "+90 532 111 22 33", "message": "x"}, "invalid_phone", "phone"),
        ({"phone": "0532", "message": "x"}, "invalid_phone", "phone"),
        ({"phone": PHONE, "message": "   "}, "empty_message", "message"),
        ({"phone": PHONE, "message": "a" * 4097}, "long_message", "message"),
        ({"phone": PHONE, "message": "x", "instance_id": 7}, "unknown_instance", "instance_id"),
        ({"phone": PHONE, "message": "x", "instance_id": "7"}, "invalid_parameter", "instance_id"),
    ],
)
def test_what_is_wrong_is_named(service, business, body, code, field):
    status, answer, _ = call(service, business.key, "/messages/send", body)
    assert (status, answer["code"]) == (422, code)
    assert answer["errors"][0]["field"].startswith(field)


def test_an_unknown_field_is_named_and_ignored(service, business):
    body = {"phone": PHONE, "message": "x", "instanceid": 7}
    status, answer, _ = call(service, business.key, "/messages/send", body)
    assert (status, answer["warnings"]) == (200, ["unknown field ignored: instanceid"])


def test_respond_async(service, business):
    body = {"phone": PHONE, "message": "x"}
    status, answer, headers = call(
        service, business.key, "/messages/send", body, Prefer="respond-async"
    )
    assert (status, answer["status_code"], answer["message_id"]) == (202, "queued", None)
    assert headers["Preference-Applied"] == "respond-async"
    path = headers["Location"].removeprefix("/api/v1")
    eventually(
        lambda: (
            call(service, business.key, path)[1]["status_code"] in ("sent", "delivered", "read")
        ),
        True,
    )


def test_the_same_key_sends_once(service, business):
    body = {"phone": PHONE, "message": "once"}
    first = call(service, business.key, "/messages/send", body, Idempotency_Key="order-1")
    again = call(service, business.key, "/messages/send", body, Idempotency_Key="order-1")
    assert first[1] == again[1]
    assert again[2]["Idempotent-Replayed"] == "true"
    other = call(
        service, business.key, "/messages/send", {**body, "message": "b"}, Idempotency_Key="order-1"
    )
    assert (other[0], other[1]["code"]) == (422, "idempotency_mismatch")
    _, listed, _ = call(service, business.key, "/messages?direction=out")
    assert len(listed["data"]) == 1


def test_a_test_key_uses_the_test_line(service, business):
    status, answer, _ = call(
        service, business.test_key, "/messages/send", {"phone": PHONE, "message": "try"}
    )
    assert (status, answer["test"]) == (200, True)


def test_a_scheduled_message_can_be_cancelled(service, business):
    body = {"phone": PHONE, "message": "x", "scheduled_at": "2100-01-01T00:00:00Z"}
    status, answer, _ = call(service, business.key, "/messages/send", body)
    assert (status, answer["code"]) == (422, "too_far")
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    status, answer, _ = call(
        service, business.key, "/messages/send", {**body, "scheduled_at": soon}
    )
    assert (status, answer["status_code"]) == (202, "scheduled")
    status, answer, _ = call(service, business.key, f"/messages/{answer['id']}/cancel", {})
    assert (status, answer["status_code"]) == (200, "cancelled")


def test_without_a_line_the_next_step_is_shown(service, app):
    fresh = make_business("Yeni")
    status, answer, _ = call(service, fresh.key, "/messages/send", {"phone": PHONE, "message": "x"})
    assert (status, answer["code"]) == (422, "no_instance")


@pytest.mark.parametrize("number", ["905550000002", "905550000013"])
def test_outside_the_window_the_fallback_template_arrives_once(service, business, number):
    """Refused in the answer, or in a receipt after it was taken: the phone gets the template."""
    body = {
        "phone": number,
        "message": "Your table is ready!",
        "fallback_template": {"name": "table_ready", "language": "en", "parameters": ["Ada"]},
    }
    status, answer, _ = call(service, business.key, "/messages/send", body)
    assert status == 200, answer
    path = f"/messages/{answer['id']}"

    def seen():
        message = call(service, business.key, path)[1]
        return message["type"], message["status_code"]

    eventually(seen, ("template", "read"), seconds=20)
    causes = [one["cause"] for one in call(service, business.key, f"{path}/timeline")[1]["data"]]
    assert sum("Sending the message as the template: table_ready" in cause for cause in causes) == 1
