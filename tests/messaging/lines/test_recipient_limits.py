"""The network's limit of new recipients in 24 hours: learned, counted and kept."""

import asyncio

import pytest
from redis.asyncio import Redis

from core.redis.client import redis_client
from messaging import refusal_reasons
from messaging.costs.usage import UsageTally
from messaging.lines import allowances, recipient_limits
from messaging.lines import repository as line_repository
from messaging.lines.drivers.cloud.account_updates import read_account_update
from messaging.lines.drivers.cloud.number_limits import NumberAllowance, read_recipient_limit
from messaging.lines.recipient_limits import RecipientLimit, take_each, used_recipients
from messaging.lines.simulated_line import add_simulated_line
from messaging.messages import queries as message_queries
from messaging.messages.receive import receive_line_update, receive_message
from messaging.messages.sending import recipient_count
from messaging.templates import repository as template_repository
from tests.line_factory import make_line
from tests.messaging.message_factory import wrote
from tests.simulator_process import run_simulator

ASYNC = {"Prefer": "respond-async"}


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("TIER_250", "250"),
        ("TIER_2K", "2000"),
        ("TIER_100K", "100000"),
        ("TIER_UNLIMITED", "unlimited"),
        (10000, "10000"),
        (-1, "unlimited"),
        ("2000", "2000"),
        ("TIER_NOT_SET", ""),
        (None, ""),
        (True, ""),
    ],
)
def test_the_limit_is_read_in_all_its_forms(given, read):
    assert read_recipient_limit(given) == read


def take(settings, limit, *phones):
    async def ask():
        redis = Redis.from_url(settings.redis_url)
        try:
            return await take_each(redis, limit, phones)
        finally:
            await redis.aclose()

    return asyncio.run(ask())


def test_each_recipient_counts_once_until_the_limit(settings, app):
    limit = RecipientLimit("recipients:test:once", 2)
    redis_client().delete(limit.key)
    assert take(settings, limit, "905001", "905002", "905001") == [0, 0, 0]
    [wait] = take(settings, limit, "905003")
    assert 0 < wait <= recipient_limits.LONGEST_WAIT
    assert take(settings, limit, "905002") == [0]
    used = used_recipients(limit, "905001")
    assert (used.used, used.is_known) == (2, True)
    assert not used_recipients(limit, "905003").is_known


def test_campaigns_leave_some_recipients_to_other_messages(settings, app):
    limit = RecipientLimit("recipients:test:share", 10)
    redis_client().delete(limit.key)
    assert recipient_limits.campaign_room(limit)[0] == 9
    take(settings, limit, "905001", "905002")
    assert recipient_limits.campaign_room(limit, in_flight=3)[0] == 4
    assert recipient_limits.days_needed(7, limit) == 1
    assert recipient_limits.days_needed(8, limit) == 2
    assert recipient_limits.days_needed(25, limit) == 3


def stored(business, line):
    with business.scope():
        return line_repository.get(line.id)


def test_a_webhook_changes_the_limit_of_all_lines_of_the_portfolio(restaurant):
    one, other = make_line(restaurant), make_line(restaurant)
    with restaurant.scope():
        allowances.store_allowances(
            {
                one.id: NumberAllowance("250", "green", "77"),
                other.id: NumberAllowance("", "yellow", "77"),
            }
        )
    assert stored(restaurant, other).recipient_limit == "250"
    value = {
        "display_phone_number": stored(restaurant, one).phone,
        "event": "UPGRADE",
        "max_daily_conversations_per_business": "TIER_2K",
    }
    with restaurant.scope():
        for update in read_account_update("phone_number_quality_update", "1", value):
            receive_line_update(line_repository.get(one.id), update)
    assert stored(restaurant, one).recipient_limit == "2000"
    assert stored(restaurant, other).recipient_limit == "2000"
    assert stored(restaurant, other).quality == "yellow"


def test_a_number_on_the_business_app_sends_slower(restaurant):
    line = make_line(restaurant)
    with restaurant.scope():
        allowances.store_allowances({line.id: NumberAllowance(on_business_app=True)})
    assert stored(restaurant, line).per_second == 20


@pytest.fixture
def limited(restaurant, settings, run_jobs):
    """A simulated line whose portfolio may write to one new person a day."""
    with run_simulator(settings):
        with restaurant.scope():
            line = add_simulated_line(
                "Desk", "http://localhost", settings.simulator_secret, test=False, default=True
            )
        run_jobs()
        with restaurant.scope():
            known = line_repository.get(line.id)
            known.recipient_limit, known.portfolio_id = "1", f"only-{line.id}"
        recipient_count.forget_limits()
        yield line


def send(app, business, phone, **headers):
    return app.test_client().post(
        "/api/v1/messages/send-template",
        json={"phone": phone, "name": "hello_world", "language": "en_US"},
        headers={**business.bearer, **headers},
    )


def test_messages_beyond_the_limit_wait_and_the_network_never_sees_them(
    app, restaurant, limited, run_jobs
):
    first = send(app, restaurant, "905321112201", **ASYNC)
    run_jobs()
    second = send(app, restaurant, "905321112202", **ASYNC)
    again = send(app, restaurant, "905321112201", **ASYNC)
    run_jobs()
    with restaurant.scope():
        states = [message_queries.get(one.json["id"]).state for one in (first, second, again)]
        causes = [one.cause for one in message_queries.timeline(second.json["id"])]
    assert states == ["sent", "queued", "sent"]
    assert refusal_reasons.RECIPIENT_LIMIT in causes


def test_a_person_inside_the_window_is_not_counted(app, restaurant, limited, run_jobs):
    with restaurant.scope():
        line = line_repository.get(limited.id)
        receive_message(line, wrote("Merhaba", sender_phone="905321112203"), UsageTally())
    inside = send(app, restaurant, "905321112203", **ASYNC)
    outside = send(app, restaurant, "905321112204", **ASYNC)
    run_jobs()
    with restaurant.scope():
        for one in (inside, outside):
            assert message_queries.get(one.json["id"]).state == "sent"


def test_a_caller_who_waits_is_refused_and_the_line_shows_the_limit(
    app, restaurant, limited, run_jobs
):
    send(app, restaurant, "905321112205", **ASYNC)
    run_jobs()
    refused = send(app, restaurant, "905321112206", Prefer="wait=5")
    assert refused.status_code == 422
    assert refused.json["code"] == "recipient_limit_reached"
    shown = app.test_client().get(f"/api/v1/instances/{limited.id}", headers=restaurant.bearer)
    assert shown.json["recipient_limit"] == {"per_day": 1, "used": 1}


def test_the_hourly_sync_learns_what_a_line_may_do(restaurant, limited, run_jobs):
    with restaurant.scope():
        template_repository.request_sync()
    run_jobs()
    line = stored(restaurant, limited)
    assert (line.recipient_limit, line.quality) == ("unlimited", "green")
