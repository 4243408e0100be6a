"""The payment pages: providers, links, the review, provider events, an order's payments."""

import pytest

from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries, payments, refunds
from restaurant.payments.gateways.base import GatewayRefused
from tests.factories import Browser
from tests.restaurant.fake_provider import open_till


@pytest.fixture
def till(restaurant, monkeypatch):
    return open_till(restaurant, monkeypatch)


@pytest.fixture
def owner(app, till):
    return Browser(app.test_client()).signs_in(till.bistro.business.owner)


def text_of(answer):
    return answer.get_data(as_text=True)


def paid(till, client):
    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    till.works()
    ref = till.session_of(cart.code)
    till.paper.pays(ref)
    till.posts(client, till.event(ref))
    till.works()
    return till.order_of(cart.code)


def test_a_provider_is_set_up_checked_and_never_shows_its_keys(app, owner, till):
    page = text_of(owner.get("/payments/providers"))
    assert "Stripe" in page
    assert "iyzico" in page
    bad = owner.post(
        "/payments/providers/new", provider="stripe", name="Stripe", key="pk_x", link_minutes="60"
    )
    assert "begins with sk_test_" in text_of(bad)
    till.paper.trouble = [GatewayRefused("the key is wrong")]
    answer = owner.post(
        "/payments/providers/new", follow=True, provider="simulated", name="Second",
        link_minutes="60",
    )  # fmt: skip
    assert "the key is wrong" in text_of(answer)
    with till.scope():
        made = payment_accounts.listed()[-1]
        assert not payment_accounts.is_ready(made)
    page = text_of(owner.post(f"/payments/providers/{made.id}/check", follow=True))
    assert "The provider accepted the keys." in page
    assert made.key not in page
    assert made.hook_secret not in page
    with till.scope():
        assert payment_accounts.is_ready(payment_accounts.get(made.id))
    owner.post(f"/payments/providers/{made.id}/enabled", on="no")
    with till.scope():
        assert payment_accounts.for_site(till.bistro.site_id).id == till.account_id
    owner.post(f"/payments/providers/{made.id}/remove")
    assert owner.get(f"/payments/providers/{made.id}").status_code == 404


def test_a_link_is_made_copied_renewed_and_cancelled(owner, till):
    page = owner.post(
        "/payments/links/new", site_id=till.bistro.site_id, amount="12,345", description="Deposit"
    )
    assert "at most 2 decimals" in text_of(page)
    owner.post(
        "/payments/links/new", site_id=till.bistro.site_id, amount="250,50", description="Deposit"
    )
    till.works()
    with till.scope():
        (link,) = link_queries.listed(link_queries.LinkFilters(), None, 5)
    page = text_of(owner.get(f"/payments/links/{link.id}"))
    assert link.url in page
    assert "<svg" in page
    assert owner.get(f"/payments/links/{link.id}/qr.svg").mimetype == "image/svg+xml"
    owner.post(f"/payments/links/{link.id}/renew")
    till.works()
    assert till.link_of(link.reference).attempt == 2
    owner.post(f"/payments/links/{link.id}/cancel")
    assert till.link_of(link.reference).state == "cancelled"
    assert "Deposit" in text_of(owner.get(f"/payments?q={link.reference}"))
    assert "No matching links" in text_of(owner.get("/payments?q=NOTHING"))


def test_the_review_is_on_home_and_a_decision_takes_it_off(app, owner, till):
    order = paid(till, app.test_client())
    page = text_of(owner.get(f"/orders/{order.number}"))
    assert "Refund" in page
    with till.scope():
        order_lifecycle.cancel(till.bistro.site(), order_queries.get(order.number), "no fish")
    assert "Late, duplicate or incorrect payments to review:" in text_of(owner.get("/home"))
    assert "The order was cancelled after it was paid." in text_of(owner.get("/payments/review"))
    (payment,) = till.payments()
    refused = owner.post(f"/payments/money/{payment.id}/refund", amount="99999", reason="x")
    assert "can still be refunded." in text_of(refused)
    owner.post(f"/payments/money/{payment.id}/refund", amount="65", reason="a part")
    owner.post(f"/payments/money/{payment.id}/keep", reason="they come on Friday")
    till.works()
    with till.scope():
        kept = payments.get(payment.id)
        assert (kept.state, kept.refunded) == ("kept", 65)
        assert refunds.refundable_amount(kept) == 700
    assert "Late, duplicate or incorrect payments to review:" not in text_of(owner.get("/home"))
    assert "payment.succeeded" in text_of(owner.get("/payments/signals?outcome=paid"))


def test_the_payers_way_back(app, till):
    from restaurant.payments import worker_steps as payment_worker_steps

    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    till.works()
    link = till.link_of(cart.code)
    address = payment_worker_steps.return_url(app.extensions["comanda"], link).partition("/pay/")[2]
    client = app.test_client()
    page = text_of(client.get(f"/pay/{address}"))
    assert link.url in page
    assert "Henüz ödenmedi" in page
    till.paper.pays(till.session_of(cart.code))
    till.posts(client, till.event(till.session_of(cart.code)))
    till.works()
    assert "Ödendi" in text_of(client.get(f"/pay/{address}"))
    assert client.get(f"/pay/{address}x").status_code == 404
