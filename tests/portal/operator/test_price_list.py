"""The operator's price list: add, edit, retire; promised prices and invoices stay."""

import json
from decimal import Decimal
from itertools import count

import pytest

from core.clock import now
from core.db import db, global_scope
from core.errors import DomainError
from tenants import accounts, audit, people
from tenants.plans import billing, price_list, renewals
from tenants.plans.catalog import get_plan
from tenants.plans.models import Plan, PlanChange, PlanPrice
from tests.factories import make_business, make_person
from tests.portal.page_reader import text_of

TERMS = billing.InvoiceTerms("Comanda", "VAT", Decimal(20))
LIMITS = {"rate_per_second": "9", "burst": "18", "position": "50", "currency": "USD"}
numbers = count(1)


@pytest.fixture
def code(app):
    """The code of a plan that exists only during this test."""
    made = f"team-{next(numbers)}"
    yield made
    with global_scope():
        for model in (Plan, PlanPrice, PlanChange):
            column = model.code if model is Plan else model.plan
            db.session.query(model).filter(column == made).delete()


@pytest.fixture
def operators(browser):
    person = make_person("Ada Ferrer")
    with global_scope():
        people.get(person.id).operator = True
    return browser.signs_in(person)


def named(code):
    return f"Team {code.rpartition('-')[2]}"


def adds(operators, own, /, **more):
    fields = {"name": named(own), "code": own, "price": "30", **LIMITS, **more}
    return operators.post("/operator/plans/new", follow=True, **fields)


def edits(operators, code, **more):
    fields = {"name": named(code), "price": "30", **LIMITS, **more}
    return text_of(operators.post(f"/operator/plans/{code}", follow=True, **fields))


def pays_for(business, code):
    with business.scope():
        payment = billing.start_payment(code, TERMS, "simulated")
        billing.mark_open(payment.id, "r", "u")
        return billing.record_payment(payment.id, "p", now(), TERMS)


def costs(business, code):
    with business.scope():
        net, _, currency = billing.monthly_price(code, TERMS)
        return f"{net} {currency}"


def test_a_plan_is_added_in_several_currencies_and_paid_in_the_accounts_own(
    operators, browser, code
):
    page = text_of(adds(operators, code, prices="EUR 28.50\nTRY 1200", monthly_messages="777"))
    assert "No accounts on this plan" in page
    assert "Ada Ferrer added the plan" in page
    business = make_business("Kumru", "starter")
    assert costs(business, code) == "30.00 USD"
    with business.scope():
        accounts.account().currency = "TRY"
    assert costs(business, code) == "1200.00 TRY"
    invoice = pays_for(business, code)
    assert (invoice.net, invoice.currency) == (Decimal(1200), "TRY")
    assert "Kumru" in text_of(operators.get(f"/operator/plans/{code}"))
    listed = text_of(operators.get("/operator/plans"))
    assert "€28.50" in listed
    assert "777" in listed
    assert named(code) in text_of(browser.signs_in(business.owner).get("/plan"))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"prices": "EUR"}, "is not a price"),
        ({"prices": "XXQ 5"}, "is not a price"),
        ({"prices": "EUR 5\neur 6"}, "eur has two prices"),
        ({"prices": "USD 5"}, "USD has two prices"),
        ({"price": "1.005"}, "Enter a price that is valid in its currency, such as 19.00."),
        ({"price": "-1"}, "field-error"),
        ({"price": "NaN"}, "field-error"),
        ({"name": "growth"}, "Another plan already has this name."),
        ({"code": "growth"}, "There is already a plan with this code."),
        ({"code": "Größer"}, "lowercase letters"),
        ({"trial_days": "3"}, "Enter both days and messages for the trial, or neither."),
        ({"rate_per_second": "0"}, "field-error"),
    ],
)
def test_what_cannot_be_is_shown_and_nothing_is_added(operators, code, wrong, says):
    answer = adds(operators, code, **wrong)
    assert says in answer.get_data(as_text=True).replace("&#39;", "'")
    with (
        global_scope(),
        pytest.raises(DomainError, match="This plan does not exist"),
    ):
        get_plan(code)


def test_a_new_price_is_for_the_next_payment_and_invoices_stay(operators, code):
    adds(operators, code)
    business = make_business("Kumru", "starter")
    first = pays_for(business, code)
    with business.scope():
        waits = billing.start_payment(code, TERMS, "simulated")
    page = edits(operators, code, price="45", monthly_messages="10")
    assert "Price per month: 30.00 → 45.00" in page
    assert costs(business, code) == "45.00 USD"
    with business.scope():
        assert billing.get_invoice(first.code).net == 30
        assert db.session.get_one(type(waits), (business.tenant_id, waits.id)).net == 30
        entry = audit.entries(act="account.plan_terms_changed")[0]
        assert (entry.actor_name, entry.detail["changes"]["monthly_messages"]) == (
            "Ada Ferrer",
            ["", "10"],
        )


def test_who_is_promised_their_price_keeps_it_until_they_leave_or_the_promise_ends(
    operators, browser, code
):
    adds(operators, code)
    old, new = make_business("Old", "starter"), make_business("New", "starter")
    pays_for(old, code)
    edits(operators, code, price="45", whom="keep")
    assert (costs(old, code), costs(new, code)) == ("30.00 USD", "45.00 USD")
    assert pays_for(old, code).net == 30
    edits(operators, code, price="50")
    assert (costs(old, code), costs(new, code)) == ("30.00 USD", "50.00 USD")
    edits(operators, code, price="55", whom="everybody")
    assert costs(old, code) == "55.00 USD"
    edits(operators, code, price="60", whom="keep")
    with old.scope():
        renewals.set_plan_until("growth", None)
    assert costs(old, code) == "60.00 USD"


def test_limits_hold_at_once(operators, client, code):
    adds(operators, code, monthly_messages="500")
    business = make_business("Kumru", code)
    limits = client.get("/api/v1/me", headers=business.bearer).json["limits"]
    assert (limits["monthly_messages"], limits["requests_per_second"]) == (500, 9)
    edits(operators, code, monthly_messages="40", rate_per_second="3")
    limits = client.get("/api/v1/me", headers=business.bearer).json["limits"]
    assert (limits["monthly_messages"], limits["requests_per_second"]) == (40, 3)


def test_retired_it_is_for_who_has_it_and_nobody_else(operators, browser, code):
    adds(operators, code)
    has, has_not = make_business("Has", code), make_business("Has not", "starter")
    page = f"/operator/plans/{code}/retire"
    assert "keep it and pay for it: 1." in text_of(operators.get(page))
    operators.post(page)
    assert pays_for(has, code).net == 30
    with (
        has_not.scope(),
        pytest.raises(DomainError, match="This plan is no longer available"),
    ):
        billing.start_payment(code, TERMS, "simulated")
    with (
        has_not.scope(),
        pytest.raises(DomainError, match="This plan is no longer available"),
    ):
        renewals.set_plan_until(code, None)
    operators.post(f"/operator/plans/{code}/offer")
    assert pays_for(has_not, code).net == 30


def test_the_plan_to_fall_back_to_is_always_there_and_costs_nothing(operators, code):
    adds(operators, code, price="0")
    assert "must be free" in text_of(
        operators.post("/operator/plans/free", name="Free", **{**LIMITS, "price": "5"})
    )
    for path, says in (
        ("free/retire", "This is the fallback plan. Set another fallback plan first."),
        ("trial/retire", "This plan cannot be retired because new accounts start with it."),
        ("growth/base", "The fallback plan must be available, free and not a trial."),
    ):
        assert says in text_of(operators.post(f"/operator/plans/{path}", follow=True))
    operators.post(f"/operator/plans/{code}/base")
    with global_scope():
        assert [get_plan(one).base for one in ("free", code)] == [False, True]
    operators.post("/operator/plans/free/base")
    with global_scope():
        assert [get_plan(one).base for one in ("free", code)] == [True, False]


def test_an_address_of_no_plan_is_not_found(operators):
    for path in ("gold", "gold/retire", "%00"):
        assert operators.get(f"/operator/plans/{path}").status_code == 404
    for path in ("gold/offer", "gold/base"):
        assert operators.post(f"/operator/plans/{path}").status_code == 404


def test_the_same_by_command(app, code):
    run = app.test_cli_runner().invoke
    made = run(args=["plans", "add", code, "--price", "USD 12", "--price", "EUR 11", "--json"])
    assert json.loads(made.output)["prices"] == {"USD": "12.00", "EUR": "11.00"}
    business = make_business("Kumru", code)
    words = ["plans", "change", code, "--price", "USD 20", "--monthly-messages", "50"]
    changed = json.loads(run(args=[*words, "--whom", "keep", "--json"]).output)
    assert (changed["monthly_messages"], changed["accounts"]) == (50, 1)
    assert costs(business, code) == "12.00 USD"
    wrong = run(args=["plans", "change", code, "--burst", "many"])
    assert (wrong.exit_code, "not a number" in wrong.output) == (1, True)
    assert run(args=["plans", "retire", "free"]).exit_code == 1
    assert run(args=["plans", "retire", code]).exit_code == 0
    listed = json.loads(run(args=["plans", "list", "--json"]).output)["plans"]
    assert {one["code"]: one["retired"] for one in listed}[code] is True
    with global_scope():
        assert [one.act for one in price_list.plan_history(code)] == ["retired", "changed", "added"]
