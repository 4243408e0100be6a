"""Rate limits: in the headers of every response, enforced with and without Redis."""

import time

import pytest

from tests.factories import make_business
from tests.timeouts import allow_for_load


@pytest.fixture
def newcomer(app):
    return make_business("Just arrived", plan="trial")


def until_refused(client, business, most=100):
    began, answers = time.monotonic(), []
    while len(answers) < most:
        answers.append(client.get("/api/v1/me", headers=business.bearer))
        if answers[-1].status_code == 429:
            break
    return answers, time.monotonic() - began


def test_every_answer_shows_the_limit(client, newcomer):
    answer = client.get("/api/v1/me", headers=newcomer.bearer)
    assert answer.headers["RateLimit-Policy"] == '"tenant";q=10;w=2'
    assert answer.headers["RateLimit"] == '"tenant";r=9;t=1'


def test_a_trial_has_a_burst_of_ten_and_then_waits(client, newcomer):
    answers, seconds = until_refused(client, newcomer)
    granted = len(answers) - 1
    assert 10 <= granted <= 10 + 5 * seconds + 1
    refused = answers[-1]
    assert refused.status_code == 429
    assert refused.json["code"] == "rate_limited"
    assert refused.headers["Retry-After"] == "1"
    assert refused.headers["RateLimit"].startswith('"tenant";r=0')
    assert refused.headers["RateLimit-Policy"] == '"tenant";q=10;w=2'


def test_after_the_wait_it_goes_on(client, newcomer):
    until_refused(client, newcomer)
    time.sleep(0.25)
    assert client.get("/api/v1/me", headers=newcomer.bearer).status_code == 200


def test_a_tenants_keys_share_its_limit(client, newcomer):
    other = {"Authorization": f"Bearer {newcomer.test_key}"}
    began = time.monotonic()
    statuses = [
        client.get("/api/v1/me", headers=headers).status_code
        for _ in range(20)
        for headers in (newcomer.bearer, other)
    ]
    elapsed = time.monotonic() - began
    assert statuses.count(200) <= 10 + 5 * elapsed + 1


def test_another_tenant_is_not_held_up(client, newcomer, restaurant):
    until_refused(client, newcomer)
    assert client.get("/api/v1/me", headers=restaurant.bearer).status_code == 200


def test_a_key_may_have_a_tighter_limit(client, restaurant):
    narrow = {"Authorization": f"Bearer {restaurant.makes_key(rate_per_second=1)}"}
    statuses = [client.get("/api/v1/me", headers=narrow).status_code for _ in range(4)]
    assert statuses.count(200) in (2, 3)
    assert statuses[-1] == 429 or statuses[-2] == 429
    assert client.get("/api/v1/me", headers=restaurant.bearer).status_code == 200


def test_a_larger_plan_has_a_larger_burst(client, restaurant):
    answer = client.get("/api/v1/me", headers=restaurant.bearer)
    assert answer.headers["RateLimit-Policy"] == '"tenant";q=160;w=2'


def test_without_redis_answers_come_and_limits_hold(client, newcomer, no_redis):
    began = time.monotonic()
    answers, seconds = until_refused(client, newcomer)
    granted = len(answers) - 1
    assert 10 <= granted <= 10 + 5 * seconds + 1
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["Retry-After"]) >= 1
    assert (time.monotonic() - began) / len(answers) < allow_for_load(0.5)


def test_a_refused_key_has_no_limit_headers(client, app):
    answer = client.get("/api/v1/me")
    assert "RateLimit" not in answer.headers
