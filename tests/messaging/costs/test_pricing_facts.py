"""What a quote depends on besides the card: the month's allowance, volume tiers, ads."""

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import delete, insert, select

from core.clock import frozen, now
from core.db import db, global_scope
from messaging.costs import pricing_facts
from messaging.costs import rates as message_rates
from messaging.costs.markets import market_countries, market_country
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.cloud.inbound import parse_webhook
from messaging.messages.receive import receive_line_update, receive_message
from messaging.models import Conversation, RateAllowance, RateTier, VolumeTier
from tests.messaging.message_factory import add_line, wrote

PHONE = "905321112233"
TODAY = date(2026, 11, 16)
TIERED = date(2026, 11, 2)


@pytest.fixture
def line(restaurant):
    message_rates.clear_cache()
    return add_line(restaurant, account_id="waba")


@pytest.fixture
def tiers(app):
    key = {"line_kind": "cloud", "country": "TR", "category": "utility", "since": TIERED}
    with global_scope():
        for bound, usd in ((1001, "0.0008"), (5001, "0.0007")):
            row = insert(RateTier).values(**key, from_messages=bound, usd=Decimal(usd))
            db.session.execute(row)
    message_rates.clear_cache()
    yield
    with global_scope():
        db.session.execute(delete(RateTier).where(RateTier.since == TIERED))
    message_rates.clear_cache()


def quote(line, category="service", at=None, phone=PHONE):
    return message_rates.tenant_rates().quote(line, phone, "TR", category, at or now())


def tier_update(tier, month, when, region="Turkey"):
    info = {
        "tier_update_time": int(when.timestamp()),
        "pricing_category": "UTILITY",
        "tier": tier,
        "effective_month": month,
        "region": region,
    }
    value = {"event": "VOLUME_BASED_PRICING_TIER_UPDATE", "volume_tier_info": info}
    changes = [{"field": "account_update", "value": value}]
    [parsed] = parse_webhook(json.dumps({"entry": [{"id": "waba", "changes": changes}]}).encode())
    return parsed.updates


def test_the_messages_of_one_process_use_up_the_allowance_without_a_query(restaurant, line):
    with restaurant.scope():
        rates = message_rates.tenant_rates()
        allowance = rates.common.allowance("cloud", message_rates.SERVICE_MESSAGES, TODAY)
        assert allowance == 1000
        at = now()
        quotes = [rates.quote_and_count(line, PHONE, "TR", "service", at) for _ in range(1002)]
    assert quotes == [Decimal(0)] * 1000 + [Decimal("0.0009")] * 2


def test_the_allowance_is_of_the_number_and_of_the_month(restaurant, line):
    other = add_line(restaurant, default=False)
    with frozen(datetime(2026, 11, 30, 23, tzinfo=UTC)) as moment, restaurant.scope():
        tally = UsageTally()
        tally.add(line.id, "TR", "service", sent=400)
        tally.add(line.id, "DE", "service", sent=600)
        tally.add(line.id, "TR", "utility", sent=5000)
        tally.write()
        pricing_facts.clear_cache()
        assert quote(line) == Decimal("0.0009")
        assert quote(other) == 0
        assert quote(line, at=moment + timedelta(hours=2)) == 0  # the next month


def test_messages_to_people_from_an_ad_do_not_use_up_the_allowance(restaurant, line):
    with restaurant.scope():
        tally = UsageTally()
        tally.add(line.id, "TR", "service", sent=1010)
        tally.add_free(now().date(), line.id, "service", "entry_point", 11)
        tally.write()
        pricing_facts.clear_cache()
        assert quote(line) == 0
        tally.add(line.id, "TR", "service", sent=1)
        tally.write()
        pricing_facts.clear_cache()
        assert quote(line) > 0


def test_an_allowance_is_a_dated_row(restaurant, line):
    row = {"line_kind": "cloud", "name": message_rates.SERVICE_MESSAGES, "since": TODAY}
    with global_scope():
        db.session.execute(insert(RateAllowance).values(**row, amount=0))
    message_rates.clear_cache()
    with restaurant.scope():
        assert quote(line, at=datetime(2026, 11, 16, tzinfo=UTC)) > 0
        assert quote(line, at=datetime(2026, 11, 15, tzinfo=UTC)) == 0
    with global_scope():
        db.session.execute(delete(RateAllowance).where(RateAllowance.since == TODAY))
    message_rates.clear_cache()


def test_an_ad_makes_every_message_free_for_72_hours(restaurant, line):
    with restaurant.scope():
        before = quote(line, "marketing")
        referral = {"referral": {"source_type": "ad", "source_id": "7"}}
        came = int(now().timestamp()) - 60
        receive_message(line, wrote(content=referral, at=came), UsageTally())
        talk = db.session.scalars(
            select(Conversation).where(Conversation.tenant_id == restaurant.tenant_id)
        ).one()
        opened = datetime.fromtimestamp(came, UTC)
        assert talk.entry_point_until == opened + timedelta(hours=72)
    with restaurant.scope():
        assert before > 0
        assert quote(line, "marketing") == 0
        assert quote(line, "marketing", phone="905321112299") == before
        assert quote(line, "marketing", at=opened + timedelta(hours=73)) == before


def test_a_message_without_an_ad_opens_no_free_entry_point(restaurant, line):
    with restaurant.scope():
        receive_message(line, wrote(), UsageTally())
    with restaurant.scope():
        assert quote(line, "marketing") > 0


def test_a_volume_tier_counts_from_the_time_it_was_reached(restaurant, line, tiers):
    reached = datetime(2026, 11, 10, 12, tzinfo=UTC)
    other = add_line(restaurant, default=False, account_id="another")
    with restaurant.scope():
        for update in tier_update("1001:5000", "2026-11", reached):
            receive_line_update(line, update)
        # The network may repeat a tier with a later time.
        for update in tier_update("1001:5000", "2026-11", reached + timedelta(days=2)):
            receive_line_update(line, update)
    with restaurant.scope():
        assert quote(line, "utility", reached - timedelta(seconds=1)) == Decimal("0.0009")
        assert quote(line, "utility", reached) == Decimal("0.0008")
        assert quote(line, "marketing", reached) == Decimal("0.0109")
        assert quote(line, "utility", datetime(2026, 12, 1, tzinfo=UTC)) == Decimal("0.0009")
        assert quote(other, "utility", reached) == Decimal("0.0009")
        rates = message_rates.tenant_rates()
        assert rates.settle(line, "TR", "utility", True, reached) == Decimal("0.0008")
        assert rates.settle(line, "TR", "utility", False, reached) == 0


def test_a_new_list_price_ends_the_tiers_before_it(restaurant, line, tiers):
    card = message_rates.RateCard(
        {("cloud", "TR", "utility"): [(date(2026, 12, 1), Decimal(2)), (TIERED, Decimal(1))]},
        {("cloud", "TR", "utility"): [(TIERED, 10, Decimal("0.5"))]},
    )
    key = ("cloud", "TR", "utility")
    assert card.price(key, date(2026, 11, 30), 10) == Decimal("0.5")
    assert card.price(key, date(2026, 11, 30), 9) == Decimal(1)
    assert card.price(key, date(2026, 12, 1), 10) == Decimal(2)


def test_a_region_gives_its_tier_to_each_of_its_countries(restaurant, line):
    with restaurant.scope():
        for update in tier_update("11:20", "2026-11", now(), "Rest of Western Europe"):
            receive_line_update(line, update)
        rows = db.session.scalars(
            select(VolumeTier.country).where(VolumeTier.tenant_id == restaurant.tenant_id)
        ).all()
    assert sorted(rows) == sorted(["AT", "BE", "DK", "FI", "IE", "NO", "PT", "SE", "CH"])


@pytest.mark.parametrize(
    "change",
    [{"tier": "many"}, {"effective_month": "soon"}, {"region": ""}, {"pricing_category": 7}],
)
def test_a_tier_that_cannot_be_read_is_left_out(change):
    info = {
        "tier": "11:20",
        "effective_month": "2026-11",
        "region": "India",
        "pricing_category": "UTILITY",
        **change,
    }
    value = {"event": "VOLUME_BASED_PRICING_TIER_UPDATE", "volume_tier_info": info}
    changes = [{"field": "account_update", "value": value}]
    [parsed] = parse_webhook(json.dumps({"entry": [{"id": "waba", "changes": changes}]}).encode())
    assert parsed.updates == []


def test_an_unknown_region_changes_nothing(restaurant, line):
    with restaurant.scope():
        at = now()
        assert not pricing_facts.record_volume_tier("waba", "Mars", "utility", TODAY, 5, at)


@pytest.mark.parametrize(
    ("name", "countries"),
    [
        ("India", ("IN",)),
        ("INDIA", ("IN",)),
        ("Turkey", ("TR",)),
        ("North America", ("US", "CA")),
        ("Rest of Middle East", ("BH", "JO", "LB", "YE")),
        (
            "REST_OF_CENTRAL_AND_EASTERN_EUROPE",
            market_countries("Rest of Central & Eastern Europe"),
        ),
        ("Other", ("other",)),
        ("Mars", ()),
    ],
)
def test_markets_by_the_networks_names(name, countries):
    assert market_countries(name) == countries


def test_a_country_without_a_market_is_priced_as_other():
    assert (market_country("TR"), market_country("KE"), market_country("XK")) == (
        "TR",
        "KE",
        "other",
    )
