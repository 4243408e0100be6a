"""The code on a printed kitchen ticket marks it ready: for members and connected scanners only."""

import re

import pytest

from core.clock import advance, frozen, now
from printing import printers
from printing import queries as print_job_queries
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.kitchen import ticket_codes
from restaurant.orders.kitchen.code_urls import LIFETIME, ticket_url
from restaurant.sites import stations
from tests.printing.bistro_printers import pair
from tests.restaurant.bistro import open_bistro


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant, prints_ticket_codes=True)


@pytest.fixture
def order(bistro):
    return bistro.order()


def path_of(url):
    return re.sub(r"^https?://[^/]+", "", url)


def code_path(bistro, order, station):
    with bistro.scope():
        items = [one for one in order_queries.items_of(order.id) if station in one.stations]
        return path_of(ticket_url(order, station, items))


def scanner_path(bistro, station):
    with bistro.scope():
        site = bistro.site()
        return path_of(ticket_codes.scanner_url(site, stations.find(site, station)))


def made(bistro, order):
    with bistro.scope():
        progress = kitchen_progress.progress_of([order.id])[order.id]
        return {one.name: progress.of(one) for one in order_queries.items_of(order.id)}


def test_the_ticket_has_a_code_of_its_station_and_items(bistro):
    agent = pair(bistro)
    with bistro.scope():
        settings = {"agent_id": agent.id, "output": {"kind": "demo"}, "stations": ["kitchen"]}
        printers.add(bistro.site_id, "Mutfak", "agent", settings)
    order = bistro.order()
    with bistro.scope():
        (job,) = print_job_queries.listed(print_job_queries.PrintJobFilters(), None, 9)
        document = print_job_queries.get(job.id).document
    (code,) = [part["text"] for part in document["parts"] if part["kind"] == "qr"]
    read = ticket_codes.read_code(path_of(code).removeprefix("/k/"))
    assert (read.order_id, read.station, read.positions) == (order.id, "kitchen", (1,))


def test_opening_the_code_changes_nothing_and_the_button_marks_it_ready(bistro, order, browser):
    browser.signs_in(bistro.business.hires("waiter", "Mehmet Demir"))
    path = code_path(bistro, order, "kitchen")
    page = browser.get(path).get_data(as_text=True)
    assert "Hamburger" in page
    assert "Ayran" not in page
    assert made(bistro, order) == {"Hamburger": "waiting", "Ayran": "waiting"}
    for _ in range(2):  # a second scan changes nothing
        assert browser.post(path).status_code == 303
    assert made(bistro, order) == {"Hamburger": "ready", "Ayran": "waiting"}
    assert "Mark ready" not in browser.get(path).get_data(as_text=True)
    browser.post(code_path(bistro, order, "bar"))
    with bistro.scope():
        assert order_queries.get(order.number).state == "ready"


def test_without_signing_in_the_code_shows_and_changes_nothing(bistro, order, browser):
    path = code_path(bistro, order, "kitchen")
    answer = browser.get(path)
    assert answer.status_code == 403
    assert "Hamburger" not in answer.get_data(as_text=True)
    assert browser.post(path).status_code == 403
    assert made(bistro, order)["Hamburger"] == "waiting"


def test_a_member_of_another_business_may_not_use_it(bistro, order, browser, shop):
    browser.signs_in(shop.owner)
    path = code_path(bistro, order, "kitchen")
    assert browser.get(path).status_code == 403
    assert browser.post(path).status_code == 403
    assert made(bistro, order)["Hamburger"] == "waiting"


def test_a_connected_scanner_marks_tickets_of_its_own_station(bistro, order, browser):
    connect = scanner_path(bistro, "kitchen")
    assert browser.get(connect).status_code == 200
    assert browser.post(code_path(bistro, order, "kitchen")).status_code == 403
    assert browser.post(connect).status_code == 200
    assert browser.post(code_path(bistro, order, "bar")).status_code == 403
    assert browser.post(code_path(bistro, order, "kitchen")).status_code == 303
    assert made(bistro, order) == {"Hamburger": "ready", "Ayran": "waiting"}
    with bistro.scope():
        by = kitchen_progress.progress_of([order.id])[order.id].rows[1, "kitchen"].ready_by
    assert by == "Kitchen"


def test_a_disconnected_scanner_is_refused(bistro, order, browser):
    connect = scanner_path(bistro, "kitchen")
    browser.get(connect)
    browser.post(connect)
    with bistro.scope():
        site = bistro.site()
        stations.revoke_scanners(site, stations.find(site, "kitchen"))
    assert browser.post(code_path(bistro, order, "kitchen")).status_code == 403
    assert browser.get(connect).status_code == 404


@pytest.mark.parametrize("token", ["", "x", "WyJ4Il0.abc"])
def test_a_made_up_code_is_refused(browser, bistro, token):
    browser.signs_in(bistro.business.owner)
    assert browser.get(f"/k/{token}").status_code == 404
    assert browser.post(f"/k/{token}").status_code in (404, 405)
    assert browser.get(f"/k/station/{token}").status_code == 404


def test_a_code_expires(bistro, order, browser):
    path = code_path(bistro, order, "kitchen")
    browser.signs_in(bistro.business.owner)
    with frozen(now()):
        advance(LIFETIME * 1.01)
        assert browser.get(path).status_code == 404


def test_the_display_gets_the_answer_of_a_scan_as_a_sentence(bistro, order, browser):
    browser.signs_in(bistro.business.owner)
    answer = browser.client.post(
        code_path(bistro, order, "kitchen"),
        data={"csrf_token": browser.token},
        headers={"X-Part": "act"},
    )
    assert answer.json == {"note": f"{order.number}: ticket ready."}


def test_the_owner_sees_and_revokes_the_link_of_a_station(bistro, browser):
    browser.signs_in(bistro.business.owner)
    path = f"/restaurants/{bistro.site_id}/stations/kitchen/scanner"
    before = re.search(r"/k/station/[^\"<]+", browser.get(path).get_data(as_text=True))[0]
    browser.post(path)
    after = re.search(r"/k/station/[^\"<]+", browser.get(path).get_data(as_text=True))[0]
    assert before != after
    assert browser.get(f"/restaurants/{bistro.site_id}/stations/none/scanner").status_code == 404
