"""What a message costs: the card by country, category and day; a tenant's own rates and margin."""

from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest
from sqlalchemy import delete, func, insert, select

from core.db import db, global_scope
from core.errors import Invalid
from messaging.costs import rates as message_rates
from messaging.costs.rates import quote_price
from messaging.models import Rate

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _fresh(app):
    message_rates.clear_cache()
    yield
    message_rates.clear_cache()


@pytest.fixture
def scope(restaurant):
    with restaurant.scope():
        yield


@pytest.fixture
def dearer():
    """From April on, Turkish utility messages cost more."""
    key = {"line_kind": "cloud", "country": "TR", "category": "utility"}
    with global_scope():
        db.session.execute(insert(Rate).values(since=date(2026, 4, 1), usd=Decimal("0.01"), **key))
    yield
    with global_scope():
        db.session.execute(delete(Rate).where(Rate.since == date(2026, 4, 1)))


def test_the_shipped_card_is_whole(app):
    with global_scope():
        countries = db.session.scalar(
            select(func.count(func.distinct(Rate.country))).where(Rate.line_kind == "cloud")
        )
        rows = db.session.execute(select(Rate.country, Rate.category, Rate.usd)).all()
    assert countries >= 40
    by_country = {}
    for country, category, usd in rows:
        assert usd >= 0
        by_country.setdefault(country, {})[category] = usd
    for prices in by_country.values():
        assert prices["utility"] <= prices["marketing"]


@pytest.mark.parametrize("category", message_rates.CATEGORIES)
@pytest.mark.parametrize("kind", ["cloud", "linked"])
def test_there_is_a_price_for_everything(scope, kind, category):
    price = quote_price(kind, "other", category, AT)
    assert (price > 0) == (kind == "cloud" and category != "service")


def test_a_phone_shows_its_country(scope):
    assert quote_price("cloud", "905321112233", "utility", AT) == quote_price(
        "cloud", "TR", "utility", AT
    )
    assert quote_price("cloud", "TR", "utility", AT) == Decimal("0.0053")


def test_an_unknown_country_costs_what_others_cost(scope):
    other = quote_price("cloud", "other", "marketing", AT)
    assert quote_price("cloud", "XK", "marketing", AT) == other
    assert quote_price("cloud", "99999999", "marketing", AT) == other


def test_service_is_free_until_october_2026(scope):
    assert quote_price("cloud", "TR", "service", AT) == 0
    assert quote_price("cloud", "TR", "service", datetime(2026, 9, 30, 23, tzinfo=UTC)) == 0
    october = datetime(2026, 10, 1, tzinfo=UTC)
    for country in ("TR", "DE", "KE", "US", "XK"):
        service = quote_price("cloud", country, "service", october)
        assert service == quote_price("cloud", country, "utility", october) > 0


def test_the_price_is_the_days(dearer, scope):
    assert quote_price("cloud", "TR", "utility", datetime(2026, 3, 31, 23, tzinfo=UTC)) == Decimal(
        "0.0053"
    )
    assert quote_price("cloud", "TR", "utility", datetime(2026, 4, 1, tzinfo=UTC)) == Decimal(
        "0.01"
    )


def test_before_there_was_a_card_there_is_no_price(scope):
    with pytest.raises(Invalid):
        quote_price("cloud", "TR", "utility", datetime(2020, 1, 1, tzinfo=UTC))


def test_a_category_nobody_knows_has_no_price(scope):
    with pytest.raises(Invalid) as refused:
        quote_price("cloud", "TR", "astrology", AT)
    assert refused.value.code == "no_rate"


def test_a_tenants_own_rate_wins_from_its_day_on(scope):
    quote_price("cloud", "TR", "utility", AT)  # remembered before it is changed
    message_rates.set_override("cloud", "TR", "utility", date(2026, 2, 1), Decimal("0.004"))
    assert quote_price("cloud", "TR", "utility", AT) == Decimal("0.004")
    assert quote_price("cloud", "TR", "utility", datetime(2026, 1, 31, tzinfo=UTC)) == Decimal(
        "0.0053"
    )
    assert quote_price("cloud", "DE", "utility", AT) == Decimal("0.055")


def test_a_tenants_rate_for_the_others_leaves_named_countries_alone(scope):
    message_rates.set_override("cloud", "other", "utility", date(2026, 1, 1), Decimal("0.5"))
    assert quote_price("cloud", "XK", "utility", AT) == Decimal("0.5")
    assert quote_price("cloud", "TR", "utility", AT) == Decimal("0.0053")


def test_the_margin_is_added_to_every_message_of_the_kind(scope):
    message_rates.set_override("linked", "other", "margin", date(2026, 1, 1), Decimal("0.001"))
    assert quote_price("linked", "TR", "service", AT) == Decimal("0.001")
    assert quote_price("cloud", "TR", "service", AT) == 0


def test_one_tenants_rates_are_not_anothers(restaurant, shop):
    with restaurant.scope():
        message_rates.set_override("cloud", "TR", "utility", date(2026, 1, 1), Decimal(9))
    with shop.scope():
        assert quote_price("cloud", "TR", "utility", AT) == Decimal("0.0053")


def test_the_networks_word_decides_the_settled_price(scope):
    line, rates = SimpleNamespace(id=1, kind="cloud"), message_rates.tenant_rates()
    assert rates.settle(line, "TR", "marketing", True, AT) == Decimal("0.0109")
    assert rates.settle(line, "TR", "marketing", False, AT) == 0
    assert rates.settle(line, "TR", "a new one", False, AT) == 0
    assert rates.settle(line, "TR", "a new one", True, AT) is None


@pytest.mark.parametrize(("category", "usd"), [("gold", "1"), ("utility", "-1")])
def test_a_rate_that_makes_no_sense_is_refused(scope, category, usd):
    with pytest.raises(Invalid):
        message_rates.set_override("cloud", "TR", category, date(2026, 1, 1), Decimal(usd))
