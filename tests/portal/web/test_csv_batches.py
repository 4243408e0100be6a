"""Exports that are read in batches contain every row once, for any number of batches."""

import csv
import io

import pytest

from portal.audit import views as audit_views
from portal.campaigns import result_views as campaign_result_views
from portal.contacts import list_views as contact_list_views
from portal.orders import views as order_views
from tests.messaging.campaigns.campaign_factory import drafts, meets, starts, steps
from tests.restaurant.bistro import open_bistro


@pytest.fixture
def bistro(restaurant, monkeypatch):
    for module in (audit_views, contact_list_views, order_views, campaign_result_views):
        monkeypatch.setattr(module, "BATCH", 1)
    made = open_bistro(restaurant)
    meets(restaurant, "Ayşe", "Mehmet", "Elif")
    for table in ("3", "4", "5"):
        made.order(table=table)
    return made


def rows(answer):
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.get_data().decode("utf-8-sig"))))


def test_every_row_is_there_once(browser, restaurant, bistro):
    mine = drafts(restaurant)
    starts(restaurant, mine)
    steps(restaurant)
    browser.signs_in(restaurant.owner)
    people = rows(browser.get("/contacts.csv"))
    assert len({row["phone"] for row in people}) == len(people) >= 4
    placed = rows(browser.get("/orders.csv"))
    assert len({row["order_id"] for row in placed}) == len(placed) == 3
    told = rows(browser.get(f"/campaigns/{mine}/results.csv"))
    assert len({row["contact_id"] for row in told}) == len(told) == len(people)
    written = rows(browser.get("/audit.csv"))
    assert len(written) > 3
