"""Restaurants in Turkey may not add service, table or cover charges since 30 January 2026."""

from decimal import Decimal

import pytest

from core.errors import Invalid
from restaurant.sites import sites
from tests.portal.page_reader import text_of
from tests.restaurant.bistro import open_bistro


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def set_before_the_law(bistro):
    with bistro.scope():
        bistro.site().service_percent = Decimal(10)


def test_a_new_charge_is_refused_with_its_reason(bistro):
    with bistro.scope(), pytest.raises(Invalid, match="since 30 January 2026") as refused:
        sites.change(bistro.site_id, {"service_percent": Decimal(10)})
    assert refused.value.faults[0].field == "service_percent"


def test_the_same_is_refused_together_with_a_move_to_turkey(bistro):
    with bistro.scope():
        sites.change(bistro.site_id, {"country": "DE", "service_percent": Decimal(10)})
    with bistro.scope(), pytest.raises(Invalid):
        sites.change(bistro.site_id, {"country": "TR", "service_percent": Decimal(12)})


def test_an_old_charge_is_not_applied_and_other_settings_can_be_saved(bistro):
    set_before_the_law(bistro)
    assert Decimal(bistro.cart().sums["service"]) == 0
    with bistro.scope():
        changes = {"service_percent": Decimal(10), "tip_percents": [5]}
        assert sites.change(bistro.site_id, changes).tip_percents == [5]


def test_the_portal_shows_it_as_not_applied(bistro, browser):
    set_before_the_law(bistro)
    page = browser.signs_in(bistro.business.owner)
    shown = text_of(page.get(f"/restaurants/{bistro.site_id}?part=money"))
    assert "The service charge of 10% is not applied." in shown
    assert "since 30 January 2026" in shown


def test_the_api_names_the_field(bistro, app):
    set_before_the_law(bistro)
    bearer = bistro.business.bearer
    path = f"/api/v1/sites/{bistro.site_id}"
    shown = app.test_client().get(path, headers=bearer).json
    assert (shown["service_percent"], shown["applied_service_percent"]) == (10, 0)
    refused = app.test_client().patch(path, json={"service_percent": 12}, headers=bearer)
    assert refused.status_code == 422
    assert refused.json["code"] == "service_charge_not_allowed"
