"""A repeated POST gets the same response, and nothing is done twice."""

from datetime import timedelta

import pytest

from core.clock import advance, frozen, now
from core.errors import Conflict, Invalid
from tenants import idempotency
from tenants.idempotency import StoredResponse

ANSWER = StoredResponse(202, {"Location": "/api/v1/messages/msg_1"}, '{"id": "msg_1"}')


def begin(business, key="order-1", fingerprint="a"):
    with business.scope():
        return idempotency.begin(key, fingerprint)


def answered(business, key="order-1"):
    with business.scope():
        assert idempotency.begin(key, "a") is None
        idempotency.finish(key, ANSWER)


def test_the_first_one_goes_on_and_a_repeat_gets_its_answer(restaurant):
    answered(restaurant)
    assert begin(restaurant) == ANSWER
    assert begin(restaurant) == ANSWER


def test_another_request_under_the_same_key_is_refused(restaurant):
    answered(restaurant)
    with pytest.raises(Invalid) as refused:
        begin(restaurant, fingerprint="b")
    assert refused.value.code == "idempotency_mismatch"


def test_while_the_first_is_running_a_repeat_gets_a_conflict(restaurant):
    assert begin(restaurant) is None
    with pytest.raises(Conflict) as refused:
        begin(restaurant)
    assert refused.value.code == "idempotency_in_flight"


def test_a_failure_leaves_the_key_free(restaurant):
    with pytest.raises(ZeroDivisionError), restaurant.scope():
        idempotency.begin("order-1", "a")
        raise ZeroDivisionError
    assert begin(restaurant) is None


def test_tenants_do_not_share_keys(restaurant, shop):
    answered(restaurant)
    assert begin(shop) is None


def test_a_key_is_kept_seven_days_and_then_free(restaurant):
    with frozen():
        answered(restaurant)
        advance(timedelta(days=7))
        assert begin(restaurant) == ANSWER
        advance(1)
        assert begin(restaurant, fingerprint="b") is None
        with pytest.raises(Conflict):
            begin(restaurant, fingerprint="b")


def test_old_keys_are_forgotten_and_others_kept(restaurant, shop):
    with frozen():
        answered(restaurant, "old")
        answered(shop, "old")
        advance(timedelta(days=8))
        answered(restaurant, "new")
        with restaurant.scope():
            assert idempotency.delete_old(now() - idempotency.KEY_LIFETIME) == 1
        assert begin(restaurant, "new") == ANSWER
        with shop.scope():
            assert idempotency.delete_old(now() - idempotency.KEY_LIFETIME) == 1
