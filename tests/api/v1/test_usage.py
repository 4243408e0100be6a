"""GET /usage and /usage/costs: only the tenant's own data, only lines the key may see."""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import insert

from core.clock import now
from core.db import db
from messaging.costs.usage import UsageTally
from messaging.models import UsageDay

TODAY = now().date()


def used(business, **more):
    row = {
        "tenant_id": business.tenant_id,
        "day": TODAY,
        "line_id": 7,
        "country": "TR",
        "category": "utility",
        "sent": 3,
        "delivered": 2,
        "cost_usd": Decimal("0.0159"),
        **more,
    }
    with business.scope():
        db.session.execute(insert(UsageDay).values(**row))


def ask(client, business, path="/usage", key=None, **query):
    headers = {"Authorization": f"Bearer {key}"} if key else business.bearer
    return client.get(f"/api/v1{path}", query_string=query, headers=headers)


def test_usage_by_day_and_line(client, restaurant):
    used(restaurant)
    used(restaurant, category="service", sent=1, delivered=1, received=4, cost_usd=0)
    used(restaurant, line_id=8, failed=1)
    used(restaurant, day=TODAY - timedelta(days=2), read=2)
    answer = ask(client, restaurant)
    assert answer.status_code == 200
    assert answer.json["since"] == (TODAY - timedelta(days=29)).isoformat()
    assert answer.json["until"] == TODAY.isoformat()
    assert [(row["day"], row["instance_id"]) for row in answer.json["data"]] == [
        (TODAY.isoformat(), 7),
        (TODAY.isoformat(), 8),
        ((TODAY - timedelta(days=2)).isoformat(), 7),
    ]
    assert answer.json["data"][0] == {
        "day": TODAY.isoformat(),
        "instance_id": 7,
        "sent": 4,
        "delivered": 3,
        "read": 0,
        "failed": 0,
        "received": 4,
        "cost_usd": 0.0159,
    }
    assert answer.json["total"] == {
        "sent": 10,
        "delivered": 7,
        "read": 2,
        "failed": 1,
        "received": 4,
        "cost_usd": 0.0477,
    }


def test_costs_by_country_and_category(client, restaurant):
    used(restaurant)
    used(restaurant, country="DE", category="marketing", sent=1, cost_usd=Decimal("0.1365"))
    used(restaurant, country="DE", category="service", sent=0, received=2, cost_usd=0)
    answer = ask(client, restaurant, "/usage/costs")
    assert answer.json["total_usd"] == 0.1524
    assert answer.json["data"] == [
        {
            "day": TODAY.isoformat(),
            "instance_id": 7,
            "country": "DE",
            "category": "marketing",
            "messages": 1,
            "cost_usd": 0.1365,
        },
        {
            "day": TODAY.isoformat(),
            "instance_id": 7,
            "country": "TR",
            "category": "utility",
            "messages": 3,
            "cost_usd": 0.0159,
        },
    ]


def test_a_period_and_a_line_can_be_chosen(client, restaurant):
    for back in range(4):
        used(restaurant, day=TODAY - timedelta(days=back))
    used(restaurant, line_id=8)
    since, until = TODAY - timedelta(days=2), TODAY - timedelta(days=1)
    answer = ask(client, restaurant, since=since, until=until)
    assert len(answer.json["data"]) == 2
    answer = ask(client, restaurant, instance_id=8)
    assert [row["instance_id"] for row in answer.json["data"]] == [8]


def test_nothing_used_is_nothing(client, restaurant):
    assert ask(client, restaurant).json["data"] == []
    assert ask(client, restaurant).json["total"]["cost_usd"] == 0
    assert ask(client, restaurant, "/usage/costs").json["total_usd"] == 0


def test_another_tenants_usage_is_not_shown(client, restaurant, shop):
    used(shop)
    for path in ("/usage", "/usage/costs"):
        assert ask(client, restaurant, path).json["data"] == []


def test_a_key_for_one_line_sees_that_line(client, restaurant):
    used(restaurant)
    used(restaurant, line_id=8)
    key = restaurant.makes_key("usage", line_ids=[8])
    for path in ("/usage", "/usage/costs"):
        shown = ask(client, restaurant, path, key).json["data"]
        assert [row["instance_id"] for row in shown] == [8]
        assert ask(client, restaurant, path, key, instance_id=7).json["data"] == []


def test_a_key_without_the_scope_sees_nothing(client, restaurant):
    key = restaurant.makes_key("messages:send")
    for path in ("/usage", "/usage/costs"):
        answer = ask(client, restaurant, path, key)
        assert (answer.status_code, answer.json["code"]) == (403, "missing_scope")


@pytest.mark.parametrize(
    "query",
    [
        {"since": "yesterday"},
        {"since": "2026-02-30"},
        {"since": "2026-03-02", "until": "2026-03-01"},
        {"since": "2020-01-01", "until": "2026-01-01"},
        {"instance_id": "x"},
        {"instance_id": 2**40},
        {"until": "0001-01-01", "since": "0001-01-02"},
    ],
)
@pytest.mark.parametrize("path", ["/usage", "/usage/costs"])
def test_a_period_that_makes_no_sense_is_refused(client, restaurant, path, query):
    answer = ask(client, restaurant, path, **query)
    assert answer.status_code == 422
    assert answer.json["status"] == "error"


@pytest.mark.parametrize("until", ["0001-01-01", "9999-12-31"])
def test_the_ends_of_the_calendar_break_nothing(client, restaurant, until):
    assert ask(client, restaurant, until=until).status_code in (200, 422)


def test_costs_name_what_was_free_and_why(client, restaurant):
    with restaurant.scope():
        tally = UsageTally()
        tally.add_free(TODAY, 7, "service", "allowance", 41)
        tally.add_free(TODAY, 8, "utility", "entry_point", 2)
        tally.add_free(TODAY - timedelta(days=40), 7, "utility", "window", 9)
        tally.write()
    expected = {"instance_id": 7, "category": "service", "reason": "allowance", "messages": 41}
    assert ask(client, restaurant, "/usage/costs", instance_id=7).json["free"] == [expected]
    assert len(ask(client, restaurant, "/usage/costs").json["free"]) == 2
