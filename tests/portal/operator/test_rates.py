"""The operator's rate card: view, schedule a change, withdraw it before it starts."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import delete

from core.clock import now
from core.db import db, global_scope
from messaging.costs import rate_card
from messaging.costs import rates as message_rates
from messaging.models import Rate, RateAllowance, RateTier
from tenants import people
from tests.factories import make_person
from tests.portal.page_reader import text_of

COUNTRY = "AQ"  # no messages go there, and no shipped row is changed


@pytest.fixture
def operator(browser):
    person = make_person("Ada Ferrer")
    with global_scope():
        people.get(person.id).operator = True
    yield browser.signs_in(person)
    with global_scope():
        db.session.execute(delete(Rate).where(Rate.country == COUNTRY))
        db.session.execute(delete(RateTier).where(RateTier.country == COUNTRY))
        entered = RateAllowance.since >= now().date()
        db.session.execute(delete(RateAllowance).where(entered))
    message_rates.clear_cache()


def enter(operator, usd, since=None, category="utility", **more):
    day = (since or now().date()).isoformat()
    fields = {"kind": "cloud", "category": category, "since": day, "usd": usd, **more}
    return operator.post(f"/operator/rates/{COUNTRY}", **fields)


def test_a_price_holds_from_its_day_on(operator, restaurant):
    assert enter(operator, "0.0123").status_code == 302
    assert enter(operator, "0.02", now().date() + timedelta(days=9)).status_code == 302
    with restaurant.scope():
        assert message_rates.quote_price("cloud", COUNTRY, "utility", now()) == Decimal("0.0123")
        later = now() + timedelta(days=10)
        assert message_rates.quote_price("cloud", COUNTRY, "utility", later) == Decimal("0.02")
    shown = text_of(operator.get("/operator/rates?q=antarctica"))
    assert "$0.0123 change scheduled" in shown
    assert f"cloud,{COUNTRY},utility" in operator.get("/operator/rates.csv").get_data(as_text=True)


def test_a_planned_price_can_be_taken_back_and_one_that_holds_cannot(operator):
    today, later = now().date(), now().date() + timedelta(days=9)
    enter(operator, "0.01")
    enter(operator, "0.02", later)
    path = f"/operator/rates/{COUNTRY}/withdraw"
    fields = {"kind": "cloud", "category": "utility"}
    assert operator.post(path, **fields, since=today.isoformat()).status_code == 404
    assert operator.post(path, **fields, since=later.isoformat()).status_code == 302
    page = text_of(operator.get(f"/operator/rates/{COUNTRY}"))
    assert "$0.01" in page
    assert "$0.02" not in page


@pytest.mark.parametrize(
    ("usd", "since", "words"),
    [
        ("-1", None, "from 0 to 100"),
        ("101", None, "from 0 to 100"),
        ("0.0000001", None, "Enter a price from 0 to 100 with at most 6 decimal places."),
        ("NaN", None, "from 0 to 100"),
        (
            "0.01",
            date(2025, 1, 1),
            "A price can start today or later. Past prices cannot be changed.",
        ),
    ],
)
def test_what_is_no_price_is_refused(operator, usd, since, words):
    answer = enter(operator, usd, since)
    assert answer.status_code == 200
    assert words in text_of(answer)


def test_the_card_is_the_operators_alone(browser, restaurant):
    browser.signs_in(restaurant.owner)
    for path in (
        "/operator/rates",
        "/operator/rates.csv",
        "/operator/rates/TR",
        "/operator/rates/allowances",
    ):
        assert browser.get(path).status_code == 404


def test_what_is_no_country_is_not_there(operator):
    assert operator.get("/operator/rates/nowhere").status_code == 404
    assert operator.get("/operator/rates/other").status_code == 200


def test_a_price_shows_its_source_or_that_it_has_none(operator):
    enter(operator, "0.0123", source="WhatsApp rate card of 1 October 2026")
    enter(operator, "0.05", category="marketing")
    page = text_of(operator.get(f"/operator/rates/{COUNTRY}"))
    assert "WhatsApp rate card of 1 October 2026" in page
    assert "no source" in page
    assert "1 price has no source." in text_of(operator.get("/operator/rates"))
    csv = operator.get("/operator/rates.csv").get_data(as_text=True)
    assert "0.012300,WhatsApp rate card of 1 October 2026" in csv


def test_a_volume_tier_is_entered_shown_and_withdrawn(operator):
    today, later = now().date(), now().date() + timedelta(days=9)
    enter(operator, "0.02")
    none = "No volume tiers are entered for the current prices."
    assert none in text_of(operator.get(f"/operator/rates/{COUNTRY}"))
    enter(operator, "0.019", from_messages="150001", source="The list")
    enter(operator, "0.018", later, from_messages="150001")
    page = text_of(operator.get(f"/operator/rates/{COUNTRY}"))
    assert "from message 150,001 of a month" in page
    assert none not in page
    with global_scope():
        card, key = message_rates.shared_card(), ("cloud", COUNTRY, "utility")
        assert card.price(key, today, 150_001) == Decimal("0.019")
        assert card.price(key, today, 150_000) == Decimal("0.02")
    fields = {"kind": "cloud", "category": "utility", "since": later.isoformat()}
    path = f"/operator/rates/{COUNTRY}/withdraw"
    assert operator.post(path, **fields).status_code == 404  # no list price starts then
    assert operator.post(path, **fields, from_messages="150001").status_code == 302
    with global_scope():
        assert len(rate_card.price_history("cloud", COUNTRY)) == 2


def test_tiers_of_an_older_price_are_not_current(operator):
    page = text_of(operator.get("/operator/rates/PK"))
    assert "from message 150,001 of a month" in page
    assert "No volume tiers are entered for the current prices." in page


def test_the_free_messages_are_rows_of_the_card(operator):
    page = text_of(operator.get("/operator/rates"))
    assert "Service messages of a number each month the first 1,000 1 Oct 2026" in page
    assert "for 72 hours" in page
    later = now().date() + timedelta(days=30)
    fields = {"kind": "cloud", "name": "service_messages", "since": later.isoformat()}
    answer = operator.post("/operator/rates/allowances", **fields, amount="500", source="A letter")
    assert answer.status_code == 302
    page = text_of(operator.get("/operator/rates/allowances"))
    assert "the first 500" in page
    assert "A letter" in page
    with global_scope():
        card = message_rates.shared_card()
        assert card.allowance("cloud", "service_messages", later) == 500
        assert card.allowance("cloud", "service_messages", now().date()) == 1000
    path = "/operator/rates/allowances/withdraw"
    assert operator.post(path, **fields).status_code == 302
    assert operator.post(path, **fields).status_code == 404


@pytest.mark.parametrize(
    ("name", "amount"),
    [("utility_in_window", "2"), ("service_messages", "-1"), ("beer", "1")],
)
def test_an_allowance_that_makes_no_sense_is_refused(operator, name, amount):
    fields = {"kind": "cloud", "name": name, "since": now().date().isoformat()}
    answer = operator.post("/operator/rates/allowances", **fields, amount=amount)
    assert answer.status_code == 200


def test_an_allowance_of_the_past_cannot_be_changed(operator):
    fields = {"kind": "cloud", "name": "service_messages", "since": "2026-10-01"}
    answer = operator.post("/operator/rates/allowances", **fields, amount="5")
    assert "Past prices cannot be changed." in text_of(answer)
