"""Paying a month of a plan by card, over HTTP in the real providers' formats."""

import io
import re
from decimal import Decimal

import pytest
from pypdf import PdfReader

from core.clock import now
from core.db import global_scope
from jobs.tenants import account_closure
from tenants import accounts, people
from tenants.plans import billing
from tests.factories import Browser, make_person
from tests.portal.page_reader import text_of
from tests.restaurant.fake_gateway_servers import Failure, IyzicoServer, StripeServer


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


@pytest.fixture
def operators(app):
    person = make_person("Ada Ferrer")
    with global_scope():
        people.get(person.id).operator = True
    return Browser(app.test_client()).signs_in(person)


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

    # Returning without a payment, and the nightly job, grant nothing.
    browser.get("/plan/back")
    assert "We have not received a payment yet. The page below updates when we do." in text_of(
        browser.get("/plan")
    )
    account_closure.check_plan_payments()
    with shop.scope():
        assert accounts.get(shop.tenant_id).plan == "starter"

    # Paid; the provider does not respond at first, and the sweep asks again.
    provider.pays(ref)
    provider.troubles += [Failure(status=503)] * 4
    browser.get("/plan/back")
    with shop.scope():
        assert not billing.list_invoices()
    provider.troubles.clear()
    account_closure.check_plan_payments()
    browser.get("/plan/back")
    with shop.scope():
        (invoice,) = billing.list_invoices()
        assert accounts.get(shop.tenant_id).plan == "growth"
        assert accounts.account().paid_until > now().date()
        assert (invoice.net, invoice.tax, invoice.total) == (79, Decimal("15.8"), Decimal("94.8"))
        assert not billing.open_payments()
    page = browser.get(f"/plan/invoices/{invoice.code}")
    assert (page.mimetype, page.data[:5]) == ("application/pdf", b"%PDF-")


def test_a_provider_that_refuses_takes_nothing(browser, provider, shop):
    browser.signs_in(shop.owner)
    provider.troubles += [Failure(status=500)] * 4
    assert browser.post("/plan/pay", plan="growth").location == "/plan"
    assert "The payment page cannot be opened right now. Try again later." in text_of(
        browser.get("/plan")
    )
    with shop.scope():
        assert not billing.open_payments()


def test_the_billing_details_are_on_the_next_invoice(browser, provider, shop):
    """Review pages 39."""
    browser.signs_in(shop.owner)
    hint = "Your invoices have no address or tax number until you add them."
    assert hint in text_of(browser.get("/plan"))
    browser.post("/plan/address", **ADDRESS)
    assert hint not in text_of(browser.get("/plan"))
    paper = words_of(_pays(browser, provider, shop))
    assert "Bağdat Cad. 1" in paper
    assert "TR 1234567890" in paper


def test_an_operator_corrects_an_invoice_under_a_new_number(browser, operators, provider, shop):
    """Review pages 39: the new one refers to the old one, which stays unchanged."""
    browser.signs_in(shop.owner)
    old = _pays(browser, provider, shop)
    path = f"/operator/invoices/{old.code}/correct"
    assert old.code in text_of(operators.get(path))
    period = {"begins": old.begins.isoformat(), "ends": old.ends.isoformat()}
    assert operators.post(path, **ADDRESS, **period).location == "/operator/invoices"
    with shop.scope():
        new, kept = billing.list_invoices()
        assert (kept.code, bytes(kept.pdf)) == (old.code, bytes(old.pdf))
        assert (new.number, new.replaces, new.total) == (old.number + 1, old.code, old.total)
        assert (new.begins, new.ends) == (old.begins, old.ends)
        paper = words_of(new)
        assert accounts.account().billing_tax_number == "TR 1234567890"
    assert old.code in paper
    assert "Bağdat Cad. 1" in paper
    assert f"replaced by {new.code}" in text_of(browser.get("/plan"))
    again = operators.post(path, **ADDRESS, **period)
    assert f"Invoice {new.code} replaced this one." in text_of(again)
    assert browser.get(path).status_code in (403, 404)


ADDRESS = {
    "billing_name": "Kahve A.Ş.",
    "billing_address": "Bağdat Cad. 1",
    "billing_tax_number": "TR 1234567890",
}


def _pays(browser, provider, shop):
    browser.post("/plan/pay", plan="growth")
    provider.pays(newest(provider))
    browser.get("/plan/back")
    with shop.scope():
        found = billing.list_invoices()[0]
        bytes(found.pdf)
        return found


def words_of(invoice):
    pages = PdfReader(io.BytesIO(bytes(invoice.pdf))).pages
    return "\n".join(page.extract_text() for page in pages)
