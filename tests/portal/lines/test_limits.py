"""The limits of a line, and Direct Send, on the line's page."""

import pytest

from core.redis.client import redis_client
from messaging.lines import recipient_limits
from messaging.lines import repository as line_repository
from tests.line_factory import make_line
from tests.portal.page_reader import text_of


@pytest.fixture
def line(restaurant):
    made = make_line(restaurant)
    with restaurant.scope():
        known = line_repository.get(made.id)
        known.recipient_limit, known.quality = "2000", "yellow"
        redis_client().delete(recipient_limits.limit_of(known).key)
    return made


@pytest.fixture
def page(browser, restaurant):
    return browser.signs_in(restaurant.owner)


def test_the_page_shows_limit_and_quality(page, line):
    shown = text_of(page.get(f"/lines/{line.id}"))
    assert "0 of 2,000 in the last 24 hours" in shown
    assert "Quality medium" in shown


def test_direct_send_is_switched_on_and_off(page, restaurant, line):
    assert "Direct Send is off." in text_of(page.get(f"/lines/{line.id}"))
    page.post(f"/lines/{line.id}/direct-send", on="yes")
    assert "Direct Send is on for all lines" in text_of(page.get(f"/lines/{line.id}"))
    page.post(f"/lines/{line.id}/direct-send", on="no")
    with restaurant.scope():
        assert line_repository.get(line.id).direct_send == "off"


def test_a_number_on_the_business_app_keeps_its_pace(page, restaurant, line):
    with restaurant.scope():
        line_repository.get(line.id).on_business_app = True
    answer = page.post(f"/lines/{line.id}", name="Desk", per_second="80")
    assert "at most 20 messages a second" in text_of(answer)
