import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook

from core import clock
from core.security.signing import (
    BadSecret,
    BadSignature,
    BadToken,
    ExpiredToken,
    constant_time_equal,
    hmac_base64,
    hmac_hex,
    new_webhook_secret,
    read_token,
    sign_token,
    verify_webhook,
    webhook_headers,
    webhook_signature,
)

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
EVENT = "msg_p5jXN8AQM9LWM0D4loKWxJek"
STAMP = 1614265330
BODY = b'{"test": 2432232314}'
KNOWN = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
OTHER = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="
KEY = "a key of the service"


@pytest.fixture
def then():
    with clock.frozen(datetime.fromtimestamp(STAMP, UTC)) as moment:
        yield moment


def headers(signature=KNOWN, stamp=str(STAMP), event=EVENT):
    return {"Webhook-Id": event, "WEBHOOK-TIMESTAMP": stamp, "webhook-SIGNATURE": signature}


def test_the_public_vector(then):
    assert webhook_signature(SECRET, EVENT, STAMP, BODY) == KNOWN
    assert webhook_headers(SECRET, EVENT, BODY) == {
        "webhook-id": EVENT,
        "webhook-timestamp": str(STAMP),
        "webhook-signature": KNOWN,
    }
    verify_webhook(SECRET, headers(), BODY)
    verify_webhook(SECRET, headers(f"{OTHER} v2,abc {KNOWN} {OTHER}"), BODY)


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "invalid_signature",
        "v1,invalid_signature",
        "v1,",
        "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OA=",
        "v1,ä\udcff",
        OTHER,
    ],
)
def test_a_wrong_signature(then, signature):
    with pytest.raises(BadSignature) as caught:
        verify_webhook(SECRET, headers(signature), BODY)
    assert caught.value.code == "invalid_signature"


def test_any_change_is_noticed(then):
    for changed in (
        (headers(), BODY + b" "),
        (headers(event=EVENT + "x"), BODY),
        (headers(stamp=str(STAMP + 1)), BODY),
    ):
        with pytest.raises(BadSignature):
            verify_webhook(SECRET, *changed)
    with pytest.raises(BadSignature):
        verify_webhook(new_webhook_secret(), headers(), BODY)


@pytest.mark.parametrize("stamp", ["", "now", "-1614265330", "1614265330.0", "9" * 400, "١٦١٤"])
def test_a_time_that_is_none(then, stamp):
    with pytest.raises(BadSignature):
        verify_webhook(SECRET, headers(stamp=stamp), BODY)


@pytest.mark.parametrize(
    ("seconds", "good"), [(299, True), (-299, True), (301, False), (-301, False)]
)
def test_an_old_or_early_hook_is_refused(then, seconds, good):
    clock.advance(seconds)
    if good:
        verify_webhook(SECRET, headers(), BODY)
    else:
        with pytest.raises(BadSignature, match="too far"):
            verify_webhook(SECRET, headers(), BODY)


def test_missing_headers(then):
    for name in headers():
        short = {key: value for key, value in headers().items() if key != name}
        with pytest.raises(BadSignature, match="required"):
            verify_webhook(SECRET, short, BODY)


@given(st.dictionaries(st.text(), st.text()), st.binary())
def test_the_public_package_verifies_what_we_send(facts, noise):
    body = json.dumps({"facts": facts, "noise": noise.hex()}, ensure_ascii=False)
    body = body.encode("utf-8", "replace")
    old, new = new_webhook_secret(), new_webhook_secret()
    sent = webhook_headers([new, old], "evt_1", body)
    for secret in (old, new):
        assert Webhook(secret).verify(body, sent) == json.loads(body)
        verify_webhook(secret, sent, body)
    verify_webhook([new_webhook_secret(), old], sent, body)


def test_a_body_that_is_not_text(then):
    body = b"\xff\xfe\x00"
    verify_webhook(SECRET, webhook_headers(SECRET, EVENT, body), body)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_%%%", "whsec_===="])
def test_a_secret_that_is_none(secret):
    with pytest.raises(BadSecret):
        webhook_signature(secret, EVENT, STAMP, BODY)
    with pytest.raises(BadSecret):
        webhook_headers([], EVENT, BODY)


def test_the_signatures_of_others():
    body = b"Test Payload Body"
    assert hmac_base64("Convoy", body) == "16FUVH58NeMcTIIOICN2UJOcPTTa4TbjCndXymGrtM8="
    assert (
        hmac_hex("Convoy", body)
        == "d7a154547e7c35e31c4c820e20237650939c3d34dae136e30a7757ca61abb4cf"
    )
    assert len(hmac_hex("Convoy", body, "sha1")) == 40


def test_comparing():
    assert constant_time_equal("abc", b"abc")
    assert not constant_time_equal("abc", "abd")
    assert not constant_time_equal("abc", "ab")
    assert not constant_time_equal("ä\udcff", "abc")


def test_a_token_opens_until_it_expires(then):
    token = sign_token(KEY, "media", {"id": "med_1"}, timedelta(minutes=10))
    assert set(token) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
    assert read_token(KEY, "media", token) == {"id": "med_1"}
    clock.advance(599)
    assert read_token(KEY, "media", token) == {"id": "med_1"}
    clock.advance(1)
    with pytest.raises(ExpiredToken):
        read_token(KEY, "media", token)


def test_a_token_is_for_one_purpose_and_one_key(then):
    token = sign_token(KEY, "media", 1, timedelta(days=1))
    for key, purpose, text in (
        (KEY, "reset", token),
        ("another key of the service", "media", token),
        (KEY, "media", token[:-1]),
        (KEY, "media", "x" + token),
        (KEY, "media", ""),
        (KEY, "media", "ä.b.c"),
    ):
        with pytest.raises(BadToken):
            read_token(key, purpose, text)


def test_a_token_survives_a_new_key(then):
    token = sign_token("old key", "media", 1, timedelta(days=1))
    assert read_token(["new key", "old key"], "media", token) == 1
    fresh = sign_token(["new key", "old key"], "media", 2, timedelta(days=1))
    assert read_token("new key", "media", fresh) == 2


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_is_a_token_or_refused(text):
    with pytest.raises(BadToken):
        read_token(KEY, "media", text)
