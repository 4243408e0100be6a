"""`GET /events?wait=`: a poll is held until there is an event, and never holds a connection."""

import threading
import time

import pytest

from core.db import db
from core.queue import tenant_waiters as waiters_module
from core.queue.tenant_waiters import TenantWaiters, configure_waiters, tenant_waiters
from tests.factories import make_business
from tests.webhooks.receivers import wait_until
from webhooks.events import publish_webhook_event

EVENTS = "/api/v1/events"


@pytest.fixture
def poll(app, restaurant):
    def ask(key=None, **query):
        bearer = {"Authorization": f"Bearer {key or restaurant.key}"}
        return app.test_client().get(EVENTS, query_string=query, headers=bearer)

    return ask


@pytest.fixture
def in_background(app):
    threads = []

    def start(act):
        answers = []
        thread = threading.Thread(target=lambda: answers.append((act(), time.monotonic())))
        thread.start()
        threads.append(thread)
        return answers

    yield start
    for thread in threads:
        thread.join(30)


def publish(business, **body):
    with business.scope():
        publish_webhook_event("messages.upsert", {"instance_id": 1, "data": {}, **body})


def waiting():
    return tenant_waiters().waiting


def test_a_poll_ends_with_the_next_event(app, restaurant, poll, in_background):
    publish(restaurant)
    assert [one["sequence"] for one in poll(wait=25).json["data"]] == [1]
    answers = in_background(lambda: poll(after=1, wait=25))
    assert wait_until(waiting)
    time.sleep(0.1)
    published = time.monotonic()
    publish(restaurant)
    assert wait_until(lambda: answers, seconds=5)
    [(answer, ended)] = answers
    assert [one["sequence"] for one in answer.json["data"]] == [2]
    assert answer.json["last_sequence"] == 2
    assert ended - published < 1
    assert waiting() == 0


def test_a_poll_without_events_ends_in_time(poll):
    began = time.monotonic()
    answer = poll(wait=1)
    assert (answer.json["data"], answer.json["next"]) == ([], None)
    assert "Retry-After" not in answer.headers
    assert 0.9 < time.monotonic() - began < 5


@pytest.mark.parametrize("wait", [-1, 26, "soon"])
def test_the_wait_is_limited(poll, wait):
    assert poll(wait=wait).status_code == 422


def test_events_of_another_business_do_not_end_it(restaurant, poll, in_background):
    other = make_business("Another")
    answers = in_background(lambda: poll(wait=2))
    assert wait_until(waiting)
    publish(other)
    time.sleep(0.3)
    assert not answers


def test_a_test_key_waits_for_test_events(restaurant, poll, in_background):
    answers = in_background(lambda: poll(restaurant.test_key, wait=10))
    assert wait_until(waiting)
    publish(restaurant)
    time.sleep(0.3)
    assert not answers
    publish(restaurant, test=True)
    assert wait_until(lambda: answers, seconds=5)
    assert [one["sequence"] for one in answers[0][0].json["data"]] == [2]


def test_a_waiting_poll_holds_no_connection(app, restaurant, poll, in_background):
    in_background(lambda: poll(wait=1))
    assert wait_until(waiting)
    time.sleep(0.1)
    with app.app_context():
        assert db.engine.pool.checkedout() == 0


def test_the_newest_polls_of_a_business_keep_their_places(
    settings, restaurant, poll, in_background
):
    """Clients that hung up hold no place for long, and other businesses keep theirs."""
    configure_waiters(settings.redis_url, 6)  # two for one business
    answers = [in_background(lambda: poll(wait=20)) for _ in range(2)]
    assert wait_until(lambda: waiting() == 2)
    newest = in_background(lambda: poll(wait=20))
    assert wait_until(lambda: sum(map(len, answers)) == 1, seconds=5)
    other = make_business("Another")
    of_other = in_background(lambda: poll(other.key, wait=20))
    assert wait_until(lambda: waiting() == 3)
    publish(restaurant)
    publish(other)
    assert wait_until(lambda: newest and of_other and all(answers), seconds=5)
    assert len(newest[0][0].json["data"]) == len(of_other[0][0].json["data"]) == 1
    configure_waiters(settings.redis_url, settings.waiting_readers)


def test_a_poll_without_a_place_is_answered_at_once(settings, restaurant, poll, in_background):
    configure_waiters(settings.redis_url, 1)
    other = make_business("Another")
    first = in_background(lambda: poll(other.key, wait=20))
    assert wait_until(waiting)
    answer = poll(wait=20)
    assert (answer.json["data"], answer.headers["Retry-After"]) == ([], "1")
    publish(other)
    assert wait_until(lambda: first, seconds=5)
    configure_waiters(settings.redis_url, settings.waiting_readers)


def test_without_redis_the_database_is_read_again(settings, monkeypatch):
    monkeypatch.setattr(waiters_module, "redis_is_down", lambda: True)
    monkeypatch.setattr(waiters_module, "WITHOUT_REDIS_SECONDS", 0.05)
    reads = []

    def read():
        reads.append(1)
        return len(reads)

    waiters = TenantWaiters(settings.redis_url, 3)
    assert waiters.read_until("x", 1, 10, read, lambda count: count < 3) == (3, True)
