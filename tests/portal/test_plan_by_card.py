"""A month of a plan by card, on the wire of the real providers: real HTTP, their own shapes."""

import re
from decimal import Decimal

import pytest

from core.clock import now
from jobs import closing
from tenants import accounts, billing
from tests.portal.pages import text_of
from tests.restaurant.gateway_cast import IyzicoServer, StripeServer, Trouble


@pytest.fixture(params=["stripe", "iyzico"])
def provider(request, app, monkeypatch):
    server = StripeServer() if request.param == "stripe" else IyzicoServer()
    place = "stripe_base_url" if request.param == "stripe" else "iyzico_sandbox_url"
    facts = {
        "billing_provider": request.param,
        "billing_key": server.KEY,
        "billing_secret": getattr(server, "SECRET", ""),
        "invoice_issuer": "Comanda A.Ş.|Gümüşsuyu",
        "invoice_tax_percent": Decimal(20),
        place: server.url,
    }
    for name, value in facts.items():
        monkeypatch.setattr(app.extensions["comanda"], name, value)
    yield server
    server.stop()


def newest(server):
    return list(server.sessions if isinstance(server, StripeServer) else server.links)[-1]


def test_a_plan_is_paid_at_the_provider_and_changes_once(browser, provider, shop):
    with shop.scope():
        accounts.change_plan("starter")
    browser.signs_in(shop.owner)
    assert browser.post("/plan/pay", plan="growth").location == "/plan/pay"
    ref = newest(provider)
    page = browser.get("/plan/pay").get_data(as_text=True)
    assert re.search(rf'http-equiv="refresh" content="0; url=https://\S+/{ref}"', page)
    assert re.search(rf'<a class="btn btn-primary" href="https://\S+/{ref}">', page)

    # Back without having paid, and at night: nothing is given.
    browser.get("/plan/back")
    assert "No payment has come yet" in text_of(browser.get("/plan"))
    closing.ask_payments()
    with shop.scope():
        assert accounts.get(shop.tenant_id).plan == "starter"

    # Paid; the provider does not answer at first, and the sweep asks again.
    provider.pays(ref)
    provider.troubles += [Trouble(status=503)] * 4
    browser.get("/plan/back")
    with shop.scope():
        assert not billing.invoices()
    provider.troubles.clear()
    closing.ask_payments()
    browser.get("/plan/back")
    with shop.scope():
        (invoice,) = billing.invoices()
        assert accounts.get(shop.tenant_id).plan == "growth"
        assert accounts.account().paid_until > now().date()
        assert (invoice.net, invoice.tax, invoice.total) == (79, Decimal("15.8"), Decimal("94.8"))
        assert not billing.waiting()
    page = browser.get(f"/plan/invoices/{invoice.code}")
    assert (page.mimetype, page.data[:5]) == ("application/pdf", b"%PDF-")


def test_a_provider_that_refuses_takes_nothing(browser, provider, shop):
    browser.signs_in(shop.owner)
    provider.troubles += [Trouble(status=500)] * 4
    assert browser.post("/plan/pay", plan="growth").location == "/plan"
    assert "The payment page cannot be opened just now" in text_of(browser.get("/plan"))
    with shop.scope():
        assert not billing.waiting()
