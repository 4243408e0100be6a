"""The simulated network over real HTTP, sent to by the real driver."""

import asyncio
import hashlib
import time

import pytest

from core.http import Policy
from core.http.async_client import Client
from core.security.signing import sign_token
from core.values.phone import check_phone
from messaging.lines.drivers.base import LineFacts, SendAccepted, SendRefused, SendUnknown, TryLater
from messaging.lines.drivers.cloud import driver as cloud_driver
from messaging.simulator.bank.provider import SimulatedBank
from messaging.simulator.network import receipts
from messaging.simulator.network.magic_numbers import DIGITS, MAGIC_NUMBERS, PREFIX
from messaging.simulator.network.state import ChatMessage, SimulatedLine, SimulatedNetwork
from messaging.token_purposes import LINE as LINE_TOKEN
from messaging.token_purposes import NO_EXPIRY
from tests.messaging.simulator.simulated_network import LINE, PHONE, SECRET, eventually, started

FAST = {"sent_ms": 5, "delivered_ms": 20, "read_ms": 40, "late_ms": 600}
USUAL = {
    **FAST,
    "receipts": True,
    "auto_read": True,
    "delay_ms": 0,
    "drop_before": 0,
    "drop_after": 0,
    "fail_rate": 0,
    "hook_batch": 1,
}


@pytest.fixture(scope="module")
def process():
    with started() as network:
        yield network


@pytest.fixture
def network(process):
    """Nothing on its way, nothing remembered, one line."""
    eventually(lambda: process.ask("GET", "/_sim/accepted")[1]["hooks"]["waiting"] == 0, 10)
    process.set(**USUAL)
    process.ask("DELETE", "/_sim/accepted")
    process.hooks.bodies.clear()
    process.hooks.refusals = 0
    assert process.register()[0] == 200
    return process


def magic(number):
    return f"{PREFIX}{number:0>{DIGITS}}"


# Sending


def test_a_message_is_taken_shown_and_told_of(network):
    outcome = network.send(text="Merhaba", ours="msg_a")
    assert isinstance(outcome, SendAccepted)
    assert outcome.recipient == PHONE
    eventually(lambda: network.hooks.received_states("sent", "delivered", "read"))
    [shown] = network.shown()
    assert (shown["text"], shown["ours"], shown["state"]) == ("Merhaba", "msg_a", "read")
    for receipt in network.hooks.receipts():
        assert (receipt.network_id, receipt.our_id) == (outcome.network_id, "msg_a")
        assert (receipt.category, receipt.billable) == ("service", False)
    assert network.hooks.unsigned == 0
    assert {parsed.phone_number_id for parsed in network.hooks.parsed()} == {"5501"}


def test_service_messages_are_billed_after_the_free_ones_of_the_month(monkeypatch):
    monkeypatch.setattr(receipts, "FREE_SERVICE_MESSAGES", 1)
    network, line = SimulatedNetwork(), SimulatedLine("5501", "905550000000")

    def billed(at: float, kind: str = "text", **content: str) -> bool:
        bubble = ChatMessage("wamid.1", True, kind, "", content, at, "accepted")
        return receipts.price_message(network, line, bubble)["billable"]

    november, december = 1_794_000_000.0, 1_796_500_000.0
    assert [billed(november), billed(november), billed(december)] == [False, True, False]
    assert billed(november, "template", name="order_confirmation")
    assert billed(november, category="utility")


def test_every_kind_we_send_is_taken(network):
    assert isinstance(network.send(kind="image", url="https://e.com/a.png"), SendAccepted)
    assert isinstance(network.send(kind="location", latitude=41.0, longitude=29.0), SendAccepted)
    made = network.send(
        kind="template", name="order_confirmation", language="tr", parameters=["Ada", "17"]
    )
    assert isinstance(made, SendAccepted)
    last = network.shown()[-1]
    assert last["text"] == "Merhaba Ada, 17 numaralı siparişiniz alındı."
    eventually(
        lambda: any(r.category == "utility" and r.billable for r in network.hooks.receipts())
    )


@pytest.mark.parametrize(
    ("kind", "text", "content", "code"),
    [
        ("text", "x" * 4097, {}, "invalid_parameter"),
        ("image", "", {"url": "ftp://e.com/a"}, "media_unusable"),
        ("template", "", {"name": "nothing", "language": "en"}, "template_unusable"),
        ("template", "", {"name": "table_ready", "language": "en"}, "template_unusable"),
    ],
)
def test_what_the_network_would_refuse_is_refused(network, kind, text, content, code):
    assert network.send(kind=kind, text=text, **content).code == code


def test_a_line_nobody_registered_is_not_known(network):
    outcome = network.send(line=LineFacts(7, 1, "cloud", "999", "EAAB"))
    assert (outcome.code, outcome.line_state) == ("line_unavailable", "restricted")


def test_a_call_without_a_token_is_refused(network):
    status, answer = network.ask("POST", "/v23.0/5501/messages", {})
    assert (status, answer["error"]["code"]) == (401, 190)


def test_somebody_who_hides_their_phone_can_be_answered(network):
    network.write(text="hi", hide_phone=True)
    [message] = eventually(network.hooks.messages)
    outcome = network.send(phone=message.sender_network_id, text="hello")
    assert isinstance(outcome, SendAccepted)
    assert network.shown()[-1]["text"] == "hello"


# Numbers that make things happen


def test_the_numbers_are_possible_phones():
    for last in MAGIC_NUMBERS:
        assert check_phone(PREFIX + last)


@pytest.mark.parametrize(
    ("number", "code", "line_state"),
    [
        (1, "recipient_unavailable", ""),
        (2, "window_closed", ""),
        (4, "recipient_opted_out", ""),
        (5, "line_unavailable", "token_expired"),
    ],
)
def test_refused_for_ever(network, number, code, line_state):
    for _ in range(2):
        outcome = network.send(magic(number), ours="msg_r")
        assert isinstance(outcome, SendRefused)
        assert (outcome.code, outcome.line_state) == (code, line_state)
    assert network.times("msg_r") == 0


@pytest.mark.parametrize(("number", "scope", "times"), [(3, "pair", 1), (10, "line", 2)])
def test_rate_limited_and_then_taken(network, number, scope, times):
    for _ in range(times):
        outcome = network.send(magic(number), ours="msg_s")
        assert isinstance(outcome, TryLater)
        assert outcome.scope == scope
    assert isinstance(network.send(magic(number), ours="msg_s"), SendAccepted)
    assert isinstance(network.send(magic(number), ours="msg_other"), TryLater)


def test_an_answer_lost_after_acceptance_is_settled_by_the_echo(network):
    outcome = network.send(magic(6), ours="msg_lost")
    assert isinstance(outcome, SendUnknown)
    assert network.times("msg_lost") == 1
    receipt = eventually(network.hooks.receipts)[0]
    assert receipt.our_id == "msg_lost"


def test_receipts_that_come_late(network):
    network.send(magic(7))
    time.sleep(0.3)
    assert network.hooks.states(magic(7)) == []
    eventually(lambda: len(network.hooks.states(magic(7))) == 3)


def test_receipts_that_come_twice(network):
    network.send(magic(8))
    twice = ["sent", "delivered", "read"] * 2
    eventually(lambda: network.hooks.received_states(*twice, phone=magic(8)))


def test_receipts_in_the_wrong_order(network):
    network.set(sent_ms=100, delivered_ms=300, read_ms=500)
    network.send(magic(9))
    eventually(lambda: network.hooks.states(magic(9)) == ["read", "delivered", "sent"])


def test_never_delivered(network):
    network.send(magic(11))
    eventually(lambda: network.hooks.states(magic(11)))
    time.sleep(0.2)
    assert network.hooks.states(magic(11)) == ["sent"]


def test_fails_after_it_was_sent(network):
    network.send(magic(12))
    eventually(lambda: network.hooks.received_states("sent", "failed", phone=magic(12)))
    [failed] = [one for one in network.hooks.receipts() if one.state == "failed"]
    assert failed.error_code == "recipient_unavailable"


# Webhooks


def test_a_webhook_that_is_refused_comes_again(network):
    network.hooks.refusals = 2
    network.write(text="are you open?")
    [message] = eventually(network.hooks.messages)
    assert message.text == "are you open?"


def test_receipts_in_batches(network):
    network.set(hook_batch=50)
    for _ in range(5):
        network.send()
    eventually(lambda: len(network.hooks.states()) == 15)
    assert len(network.hooks.bodies) < 15


def test_receipts_can_be_off(network):
    network.set(receipts=False)
    network.send()
    time.sleep(0.2)
    assert network.hooks.bodies == []


# Phones


@pytest.mark.parametrize(
    ("kind", "more", "text"),
    [
        ("text", {"text": "selam"}, "selam"),
        ("image", {"text": "my lunch"}, "my lunch"),
        ("audio", {}, ""),
        ("document", {}, ""),
        ("location", {"latitude": 41.5, "longitude": 29.5, "place": "Home"}, ""),
        ("contacts", {"text": "Grace"}, "Grace"),
        ("button", {"text": "Yes", "reply_to": "wamid.Q"}, "Yes"),
        ("reaction", {"text": "👍", "reply_to": "wamid.Q"}, "👍"),
        ("poll", {}, ""),
    ],
)
def test_what_a_phone_sends_arrives(network, kind, more, text):
    status, answer = network.write(kind=kind, name="Ada", **more)
    assert status == 201
    [message] = eventually(network.hooks.messages)
    assert message.network_id == answer["id"]
    assert message.kind == ("unsupported" if kind == "poll" else kind)
    assert (message.sender_phone, message.sender_name, message.text) == (PHONE, "Ada", text)


def test_a_photo_can_be_fetched_as_from_the_real_network(network):
    network.write(kind="image")
    [message] = eventually(network.hooks.messages)
    _, facts = network.graph(f"/{message.content['id']}")
    assert facts["mime_type"] == "image/png"
    _, body = network.ask(
        "GET", facts["url"].removeprefix(network.url), Authorization="Bearer EAAB"
    )
    assert body.startswith(b"\x89PNG")
    assert hashlib.sha256(body).hexdigest() == facts["sha256"] == message.content["sha256"]
    assert len(body) == facts["file_size"]
    assert network.ask("GET", f"/_media/{message.content['id']}")[0] == 401


def test_a_sender_who_hides_their_phone(network):
    network.write(text="hi", hide_phone=True)
    [message] = eventually(network.hooks.messages)
    assert message.sender_phone == ""
    assert message.sender_network_id.startswith("TR.")


def test_a_repeated_webhook(network):
    network.write(text="hi", copies=3)
    eventually(lambda: len(network.hooks.messages()) == 3)
    assert len({message.network_id for message in network.hooks.messages()}) == 1


def test_a_blocked_line_never_learns_it(network):
    network.ask("POST", f"/_sim/phones/{PHONE}/block", {"phone_number_id": "5501"})
    assert isinstance(network.send(), SendAccepted)
    eventually(network.hooks.states)
    time.sleep(0.2)
    assert network.hooks.received_states("sent")


def test_a_phone_without_automatic_read_receipts(network):
    network.set(auto_read=False)
    network.send()
    eventually(lambda: network.hooks.received_states("sent", "delivered"))
    network.ask("POST", f"/_sim/phones/{PHONE}/read")
    eventually(lambda: network.hooks.received_states("sent", "delivered", "read"))


def test_what_cannot_be_written_is_refused(network):
    assert network.write(kind="hologram")[0] == 422
    assert network.write(phone="12", text="hi")[0] == 422
    assert network.ask("POST", f"/_sim/phones/{PHONE}/messages", {})[0] == 422
    body = {"to_phone_number_id": "999", "text": "hi"}
    assert network.ask("POST", f"/_sim/phones/{PHONE}/messages", body)[0] == 404


# Conditions


def test_messages_that_were_sent_twice_are_counted(network):
    for ours in ("msg_once", "msg_twice", "msg_twice"):
        network.send(ours=ours)
    _, counted = network.ask("GET", "/_sim/accepted")
    assert (counted["accepted"], counted["distinct"], counted["doubled"]) == (3, 2, 1)
    assert counted["doubled_ids"] == ["msg_twice"]
    assert network.times("msg_twice") == 2


@pytest.mark.parametrize(
    ("condition", "kind", "taken"),
    [("drop_before", SendUnknown, 0), ("drop_after", SendUnknown, 1), ("fail_rate", TryLater, 0)],
)
def test_a_network_in_bad_weather(network, condition, kind, taken):
    network.set(**{condition: 1.0})
    assert isinstance(network.send(ours="msg_w"), kind)
    assert network.times("msg_w") == taken


def test_a_slow_network(network):
    network.set(delay_ms=300)
    begun = time.monotonic()
    network.send()
    assert time.monotonic() - begun > 0.29


@pytest.mark.parametrize("wrong", [{"delay_ms": -1}, {"drop_after": 2}, {"typo": 1}, [1]])
def test_conditions_that_cannot_be_are_refused(network, wrong):
    assert network.ask("POST", "/_sim/settings", wrong)[0] == 422


# The number's own facts


def check(network, line=LINE, **more):
    async def go():
        async with Client(Policy(allow_loopback=True)) as client:
            return await cloud_driver.check_line(client, network.url, "v23.0", line, **more)

    return [finding.code for finding in asyncio.run(go())]


def test_the_live_check_finds_what_is_wrong(network):
    assert check(network, callback_url=network.hooks.url, account_id="9001") == []
    assert check(network, callback_url="https://other.example") == ["webhook_elsewhere"]
    assert check(network, LineFacts(7, 1, "cloud", "999", "EAAB")) == ["wrong_phone_number_id"]
    assert check(network, LineFacts(7, 1, "cloud", "5501", "expired-1")) == ["token_expired"]
    network.register(phone_number_id="5502", callback_url="")
    assert check(network, LineFacts(7, 1, "cloud", "5502", "t")) == ["webhook_not_subscribed"]


def test_a_line_that_nobody_registered_introduces_itself_by_its_token(network):
    payload = {
        "phone_number_id": "7701",
        "phone": "905550777777",
        "app_secret": LINE.app_secret,
        "callback_url": network.hooks.url,
        "tenant_id": 7,
    }
    line = LineFacts(7, 1, "cloud", "7701", sign_token(SECRET, LINE_TOKEN, payload, NO_EXPIRY))
    forged = LineFacts(
        7, 1, "cloud", "7701", sign_token("not the secret", LINE_TOKEN, payload, NO_EXPIRY)
    )
    assert check(network, forged) == ["wrong_phone_number_id"]
    assert check(network, line, account_id="97701") == []
    assert network.graph("/97701/message_templates", line.token)[0] == 200
    assert isinstance(network.send(line=line), SendAccepted)
    eventually(network.hooks.states)


def test_templates_are_listed(network):
    status, answer = network.graph("/9001/message_templates")
    assert status == 200
    assert {"hello_world", "weekend_menu"} <= {one["name"] for one in answer["data"]}
    assert {one["status"] for one in answer["data"]} == {"APPROVED", "PAUSED", "REJECTED"}
    first = network.graph("/9001/message_templates?limit=4")[1]
    assert len(first["data"]) == 4
    assert "after=4" in first["paging"]["next"]
    last = network.graph("/9001/message_templates?limit=5&after=10")[1]
    assert len(last["data"]) == 5
    assert "next" not in last["paging"]
    assert network.graph("/123/message_templates")[0] == 400


# Who may


def test_the_controls_want_the_secret(network):
    for header in ("", "wrong"):
        assert network.ask("GET", "/_sim/lines", X_Simulator_Secret=header)[0] == 401
    _, listed = network.ask("GET", "/_sim/lines")
    assert "app_secret" not in listed["lines"][0]


def test_registering_again_changes_the_line_and_another_tenant_cannot(network):
    network.send()
    assert network.register(name="New name")[0] == 200
    assert len(network.shown()) == 1
    assert network.register(tenant_id=8)[0] == 409


def test_lines_survive_a_restart_when_asked_to(tmp_path):
    kept = tmp_path / "lines.json"
    with started("--lines", str(kept)) as network:
        network.register()
    assert kept.stat().st_mode & 0o777 == 0o600
    with started("--lines", str(kept)) as network:
        assert isinstance(network.send(), SendAccepted)


def test_without_a_secret_it_stays_on_this_machine_and_among_itself():
    with started(secret="") as network:
        assert network.ask("GET", "/_sim/lines", X_Simulator_Secret="")[0] == 200
        assert network.ask("GET", "/_sim/lines", Host="evil.example")[0] == 403
        assert network.ask("GET", "/phones", Host="evil.example")[0] == 403
        assert network.ask("POST", "/_sim/settings", {}, Origin="https://evil.example")[0] == 403
        assert network.ask("GET", "/_sim/lines", Sec_Fetch_Site="cross-site")[0] == 403


def test_it_does_not_listen_to_the_world_without_a_secret():
    from messaging.simulator.__main__ import main

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SIMULATOR_SECRET", raising=False)
        assert main(["--port", "1", "--host", "0.0.0.0"]) == 2  # noqa: S104


def test_the_secret_is_not_in_any_answer(network):
    for path in ("/_sim/lines", "/_sim/settings", "/_sim/accepted"):
        assert SECRET not in str(network.ask("GET", path)[1])


def test_the_simulated_bank_refuses_other_parameters_under_the_same_key():
    """As Stripe does."""
    wanted = dict.fromkeys(
        ("reference", "currency", "description", "shop", "language", "expires_at"), "x"
    ) | {"key": "plk_1-1", "amount": "10", "return_url": "", "notify_url": "", "notify_secret": ""}
    bank = SimulatedBank("http://bank", None)
    bill = bank.open("acct", wanted)
    assert bank.open("acct", wanted) is bill
    with pytest.raises(ValueError, match="other parameters"):
        bank.open("acct", {**wanted, "return_url": "https://us/pay/later"})
