"""Stripe and iyzico over real HTTP, with servers that follow their documentation."""

import dataclasses
import json
import os
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from core.clock import advance, frozen, now
from core.values.money import decimal_places, quantize
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import payments, refunds
from restaurant.payments.gateways import iyzico, stripe
from restaurant.payments.gateways.base import (
    GatewayRefused,
    GatewayUnreachable,
    InvalidSignature,
    LinkRequest,
    ProviderCredentials,
    UnreadableEvent,
)
from tests.restaurant.bistro import open_bistro
from tests.restaurant.fake_gateway_servers import (
    Failure,
    IyzicoServer,
    StripeServer,
    iyzico_signature,
    stripe_signature,
)
from tests.restaurant.fake_provider import FakeProvider, Till, add_account

WHSEC = "whsec_cast"
RECORDED = Path(
    os.environ.get("RECORDED_PAYLOADS") or Path(__file__).parents[4] / "shared" / "fixtures"
)


@pytest.fixture
def paying():
    server = StripeServer()
    yield server
    server.stop()


@pytest.fixture
def linking():
    server = IyzicoServer()
    yield server
    server.stop()


def stripe_credentials(server, **more) -> ProviderCredentials:
    return ProviderCredentials(
        "stripe", StripeServer.KEY, "", WHSEC, server.url, "https://us/hooks", **more
    )


def iyzico_credentials(server, **more) -> ProviderCredentials:
    keys = ("iyzico", IyzicoServer.KEY, IyzicoServer.SECRET, "", server.url, "https://us/hooks")
    return ProviderCredentials(*keys, **more)


ASKED_AT = now()


def link_request(amount="765.00", currency="TRY", key="plk_1-1") -> LinkRequest:
    return LinkRequest(
        key=key,
        reference="K7QX3MPD",
        amount=Decimal(amount),
        currency=currency,
        description="Lemar · LEM-20261115-0001",
        asked_at=ASKED_AT,
        expires_at=ASKED_AT + timedelta(hours=1),
        return_url="https://us/pay/token",
        language="tr",
        shop="Lemar",
    )


def test_a_stripe_session_from_the_cradle_to_the_refund(paying):
    desk = stripe_credentials(paying)
    assert stripe.check(desk).owner == "acct_1"
    made = stripe.create_link(desk, link_request())
    assert stripe.create_link(desk, link_request()) == made  # the same key makes one session
    asked = paying.asked[1]
    assert asked.headers["idempotency-key"] == "plk_1-1"
    assert asked.headers["content-type"] == "application/x-www-form-urlencoded"
    assert asked.form["line_items[0][price_data][unit_amount]"] == "76500"
    assert asked.form["line_items[0][price_data][currency]"] == "try"
    assert asked.form["client_reference_id"] == "K7QX3MPD"
    assert (asked.form["mode"], asked.form["locale"]) == ("payment", "tr")
    assert stripe.fetch(desk, made.ref, "K7QX3MPD").state == "open"

    paying.pays(made.ref)
    found = stripe.fetch(desk, made.ref, "K7QX3MPD")
    assert (found.state, found.amount, found.currency) == ("paid", Decimal(765), "TRY")
    assert (found.reference, found.payment) == ("K7QX3MPD", f"pi_{made.ref}")
    assert stripe.fetch(desk, "", "", found.payment) == found  # a refund names only the intent

    back = stripe.refund(desk, found.payment, Decimal(65), "TRY", "rfd_1", "cold")
    assert back == stripe.refund(desk, found.payment, Decimal(65), "TRY", "rfd_1", "cold")
    assert stripe.fetch(desk, made.ref, "").refunded == Decimal(65)
    with pytest.raises(GatewayRefused, match="greater than"):
        stripe.refund(desk, found.payment, Decimal(765), "TRY", "rfd_2", "more")
    stripe.close(desk, made.ref)
    stripe.close(desk, "cs_unknown")  # closing an unknown session is not an error


def test_a_repeated_call_to_stripe_carries_the_same_parameters(paying):
    """Also for a link that expires in half an hour."""
    with frozen():
        short = dataclasses.replace(
            link_request(), asked_at=now(), expires_at=now() + timedelta(minutes=30)
        )
        made = stripe.create_link(stripe_credentials(paying), short)
        advance(600)
        assert stripe.create_link(stripe_credentials(paying), short) == made
        other = dataclasses.replace(short, amount=Decimal(1))
        with pytest.raises(GatewayRefused):
            stripe.create_link(stripe_credentials(paying), other)


def test_a_slow_a_failing_and_a_wrong_stripe(paying):
    desk = stripe_credentials(paying, timeout=0.3)
    for trouble in (
        Failure(seconds=0.8),
        Failure(drop=True),
        Failure(status=500),
        Failure(status=503),
        Failure(status=429),
        Failure(status=409),
        Failure(status=200, body=b"<html>"),
        Failure(status=200, body=b"[]"),
        Failure(status=200, body=b"{}"),
    ):
        paying.troubles = [trouble]
        with pytest.raises(GatewayUnreachable):
            stripe.create_link(desk, link_request())
    for trouble in (Failure(status=400), Failure(status=402), Failure(status=302)):
        paying.troubles = [trouble]
        with pytest.raises(GatewayRefused):
            stripe.create_link(desk, link_request())
    paying.troubles = []
    with pytest.raises(GatewayRefused, match="key_rejected"):
        stripe.check(dataclasses.replace(desk, key="sk_test_other"))
    with pytest.raises(GatewayRefused):
        stripe.fetch(desk, "cs_nobody", "")


@pytest.mark.parametrize(
    ("amount", "currency", "minor"),
    [
        ("765.50", "TRY", 76550),
        ("1200", "JPY", 1200),
        ("12.340", "KWD", 12340),
        ("500", "ISK", 50000),
        ("2500", "UGX", 250000),
        ("0.01", "USD", 1),
    ],
)
def test_amounts_in_the_smallest_unit(amount, currency, minor):
    assert stripe.to_minor_units(Decimal(amount), currency) == minor
    assert stripe.from_minor_units(minor, currency) == Decimal(amount)


def test_a_fraction_stripe_cannot_take_is_reported():
    with pytest.raises(GatewayRefused, match="steps_of_ten"):
        stripe.to_minor_units(Decimal("12.345"), "KWD")


def test_every_currency_goes_there_and_back():
    for currency in ("TRY", "EUR", "JPY", "KWD", "BHD", "CLP", "XOF", "IQD", "HUF"):
        amount = quantize(Decimal("1234.50"), currency)
        assert stripe.from_minor_units(stripe.to_minor_units(amount, currency), currency) == amount
        assert decimal_places(currency) in (0, 2, 3)


def test_only_stripes_own_signature_of_now_is_taken(paying):
    desk = stripe_credentials(paying)
    made = stripe.create_link(desk, link_request())
    paying.pays(made.ref)
    raw = paying.event(made.ref)
    good = stripe_signature(raw, WHSEC)
    signal = stripe.verify(desk, {"stripe-signature": good}, raw)
    assert (signal.kind, signal.session, signal.signed) == ("paid", made.ref, True)
    # Two signatures during a secret rotation: one matches.
    both = f"{stripe_signature(raw, 'whsec_old')},{good.split(',')[1]}"
    assert stripe.verify(desk, {"Stripe-Signature": both}, raw).kind == "paid"
    old = stripe_signature(raw, WHSEC, int(now().timestamp()) - 301)
    for bad in ("", "t=1", "v1=x", "t=x,v1=y", old, stripe_signature(raw, "whsec_else")):
        with pytest.raises(InvalidSignature):
            stripe.verify(desk, {"Stripe-Signature": bad}, raw)
    with pytest.raises(InvalidSignature):
        stripe.verify(desk, {"Stripe-Signature": good}, raw + b" ")
    with pytest.raises(InvalidSignature):
        bare = dataclasses.replace(desk, hook_secret="")
        stripe.verify(bare, {"Stripe-Signature": stripe_signature(raw, "")}, raw)


@pytest.mark.parametrize(
    ("what", "changes", "kind"),
    [
        ("checkout.session.completed", {}, "paid"),
        ("checkout.session.completed", {"payment_status": "unpaid"}, "other"),
        ("checkout.session.completed", {"mode": "subscription"}, "other"),
        ("checkout.session.async_payment_succeeded", {}, "paid"),
        ("checkout.session.async_payment_failed", {"payment_status": "unpaid"}, "failed"),
        ("checkout.session.expired", {"payment_status": "unpaid"}, "expired"),
        ("charge.refunded", {}, "refunded"),
        ("payment_intent.created", {}, "other"),
    ],
)
def test_what_each_event_of_stripe_says(paying, what, changes, kind):
    made = stripe.create_link(stripe_credentials(paying), link_request())
    paying.pays(made.ref)
    paying.sessions[made.ref] |= changes
    assert stripe.read(paying.event(made.ref, what)).kind == kind


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b"null", b'{"id":1}', b"\xff", b"[" * 20000])
def test_what_is_no_signal_is_shown_as_unreadable(raw):
    for gateway in (stripe, iyzico):
        with pytest.raises(UnreadableEvent):
            gateway.read(raw)


def test_an_iyzico_link_from_the_cradle_to_the_refund(linking):
    desk = iyzico_credentials(linking)
    assert iyzico.check(desk).live is False
    made = iyzico.create_link(desk, link_request("150.50"))
    sent = linking.links[made.ref]
    assert (sent["price"], sent["currencyCode"], sent["conversationId"]) == (
        *("150.50", "TRY", "K7QX3MPD"),
    )
    assert sent["encodedImageFile"]
    assert iyzico.fetch(desk, made.ref, "K7QX3MPD").state == "open"
    payment = linking.pays(made.ref)
    found = iyzico.fetch(desk, made.ref, "K7QX3MPD")
    assert (found.state, found.amount, found.currency) == ("paid", Decimal("150.50"), "TRY")
    assert (found.reference, found.payment) == ("K7QX3MPD", str(payment["paymentId"]))
    iyzico.refund(desk, found.payment, Decimal("50.50"), "TRY", "rfd_1", "cold")
    assert iyzico.fetch(desk, made.ref, "K7QX3MPD").refunded == Decimal("50.50")
    iyzico.close(desk, made.ref)
    assert linking.asked[-1].path == f"/v2/iyzilink/products/{made.ref}/status/PASSIVE"


def test_iyzico_with_wrong_keys_another_currency_or_no_answer(linking):
    desk = iyzico_credentials(linking)
    with pytest.raises(GatewayRefused, match="keys"):
        iyzico.check(dataclasses.replace(desk, secret="other"))
    with pytest.raises(GatewayRefused, match="JPY"):
        iyzico.create_link(desk, link_request("100", "JPY"))
    with pytest.raises(GatewayRefused):
        iyzico.refund(desk, "1", Decimal(1), "TRY", "rfd_1", "")
    desk = iyzico_credentials(linking, timeout=0.3)
    for trouble in (Failure(seconds=0.8), Failure(status=500), Failure(drop=True)):
        linking.troubles = [trouble]
        with pytest.raises(GatewayUnreachable):
            iyzico.fetch(desk, "AAB1", "K7QX3MPD")


def test_money_under_iyzicos_own_suspicion_is_not_money_yet(linking):
    desk = iyzico_credentials(linking)
    made = iyzico.create_link(desk, link_request("10"))
    linking.pays(made.ref, fraudStatus=0)
    assert iyzico.fetch(desk, made.ref, "K7QX3MPD").state == "open"


def test_an_unsigned_notice_is_a_wakeup_and_a_wrong_signature_a_forgery(linking):
    desk = iyzico_credentials(linking)
    made = iyzico.create_link(desk, link_request("10"))
    raw = linking.notice(made.ref, linking.pays(made.ref))
    assert iyzico.verify(desk, {}, raw).signed is False
    assert iyzico.verify(desk, {"X-IYZ-SIGNATURE-V3": ""}, raw).signed is False
    good = iyzico_signature(raw, IyzicoServer.SECRET)
    assert iyzico.verify(desk, {"x-iyz-signature-v3": good}, raw).signed is True
    with pytest.raises(InvalidSignature):
        iyzico.verify(desk, {"X-IYZ-SIGNATURE-V3": "0" * 64}, raw)


# From the diner's message to the kitchen, through the endpoint and the jobs.


def open_shop(restaurant, app, monkeypatch, provider, server):
    settings = app.extensions["comanda"]
    field = "stripe_base_url" if provider == "stripe" else "iyzico_sandbox_url"
    monkeypatch.setattr(settings, field, server.url)
    bistro = open_bistro(restaurant, payment_methods=["cash", "card_link"], test=True)
    keys = (
        {"key": StripeServer.KEY, "hook_secret": WHSEC}
        if provider == "stripe"
        else {"key": IyzicoServer.KEY, "secret": IyzicoServer.SECRET}
    )
    return Till(bistro, FakeProvider(), add_account(restaurant, provider, **keys).id)


def post(app, till, provider, raw, headers):
    with till.scope():
        token = payment_accounts.get_including_removed(till.account_id).token
    return app.test_client().post(f"/hooks/{provider}/{token}", data=raw, headers=headers)


@pytest.fixture
def still():
    with frozen():
        yield


@pytest.mark.usefixtures("still")
def test_an_order_paid_at_stripe(app, restaurant, monkeypatch, paying):
    till = open_shop(restaurant, app, monkeypatch, "stripe", paying)
    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    paying.troubles = [Failure(status=503)]  # the first try fails
    till.works()
    advance(5)
    till.works()
    link = till.link_of(cart.code)
    assert link.url.startswith("https://checkout.stripe.com/")
    (ref,) = paying.sessions
    paying.pays(ref)
    raw = paying.event(ref)
    assert post(app, till, "stripe", raw, {}).status_code == 401
    signed = {"Stripe-Signature": stripe_signature(raw, WHSEC)}
    for _ in range(2):
        assert post(app, till, "stripe", raw, signed).status_code == 200
    till.works()
    order = till.order_of(cart.code)
    assert order.state == "sent_to_kitchen"
    assert sorted(one.outcome for one in till.signals()) == ["forged", "paid"]
    with till.scope():
        refunds.request_refund(payments.of_order(order.id)[0], "65", "cold")
    till.works()
    raw = paying.event(ref, "charge.refunded")
    post(app, till, "stripe", raw, {"Stripe-Signature": stripe_signature(raw, WHSEC)})
    till.works()
    assert [one.refunded for one in till.payments()] == [Decimal(65)]


def test_an_order_paid_at_iyzico_with_a_late_unsigned_notice(app, restaurant, monkeypatch, linking):
    till = open_shop(restaurant, app, monkeypatch, "iyzico", linking)
    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    till.works()
    (token,) = linking.links
    # A forged notification claims a payment that does not exist.
    cry = linking.notice(token, {"paymentConversationId": cart.code, "paymentId": 1})
    with frozen():
        assert post(app, till, "iyzico", cry, {}).status_code == 200
        for _ in range(4):
            till.works()
            advance(30)
        assert till.order_of(cart.code).state == "awaiting_payment"
        payment = linking.pays(token)
        linking.mute = 1  # the report lags behind the notification
        raw = linking.notice(token, payment).replace(b"ref-", b"late-")
        assert post(app, till, "iyzico", raw, {}).status_code == 200
        for _ in range(4):
            till.works()
            advance(30)
    assert till.order_of(cart.code).state == "sent_to_kitchen"
    outcomes = [one.outcome for one in till.signals()]
    assert outcomes[0] == "not_confirmed"
    assert outcomes.count("paid") == 1


def recorded():
    if not RECORDED.is_dir():
        return []
    return sorted(RECORDED.glob("hookdeck-webhook-samples/stripe/**/*.json")) + sorted(
        RECORDED.glob("zulip/stripe/*.json")
    )


def test_recorded_events_do_nothing_and_never_fail(app, restaurant, monkeypatch, paying):
    files = recorded()
    if not files:
        pytest.skip("no recorded payloads beside the project")
    till = open_shop(restaurant, app, monkeypatch, "stripe", paying)
    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    till.works()
    for path in files:
        raw = path.read_bytes()
        headers = {"Stripe-Signature": stripe_signature(raw, WHSEC)}
        assert post(app, till, "stripe", raw, headers).status_code == 200, path
    with frozen():
        for _ in range(6):
            till.works()
            advance(400)
    assert till.order_of(cart.code).state == "awaiting_payment"
    assert not till.payments()
    found = till.signals()
    assert {one.outcome for one in found} <= {"nothing", "nobodys"}, [
        (one.event, one.outcome, one.note) for one in found
    ]
    events = [json.loads(path.read_bytes()) for path in files]
    kinds = [one.get("type") for one in events if isinstance(one, dict)]
    assert sum(one.times for one in found) >= sum(1 for kind in kinds if kind)
