"""Guests join a table, fill one cart, see one bill and pay parts of it, also without JavaScript."""

import re

import pytest

from core.db import db
from restaurant.models import PaymentLink
from restaurant.payments import worker_steps
from restaurant.sites import tables
from restaurant.tabs import sessions
from tests.restaurant.tabs.seating import lira, open_seating


@pytest.fixture
def seating(restaurant, monkeypatch):
    monkeypatch.setattr("portal.diner.tabs.views.LINK_WAIT_SECONDS", 0)
    return open_seating(restaurant)


@pytest.fixture
def client(app):
    return app.test_client()


def place(seating):
    with seating.scope():
        table = tables.get(seating.table_id)
        return f"/r/{seating.bistro.site().slug}", {"table": table.number, "k": table.token}


def joins(client, seating, name=""):
    base, code = place(seating)
    answer = client.post(f"{base}/tab", json={**code, "name": name})
    assert answer.status_code == 200, answer.text
    seating.tab_id = answer.json["tab"]
    return answer.json


def test_a_wrong_table_code_cannot_join(client, seating):
    base, code = place(seating)
    answer = client.post(f"{base}/tab", json={**code, "k": "photographed"})
    assert answer.status_code == 422
    assert client.get(f"{base}/tab?table={code['table']}&k=x").status_code == 404


def test_the_second_guest_sees_nothing_until_let_in(client, seating):
    first = joins(client, seating, "Ayşe")
    second = joins(client, seating, "Mehmet")
    assert (first["me"]["state"], second["me"]["state"]) == ("joined", "waiting")
    assert (second["code"], second["bill"], second["cart"]) == ("", None, [])
    page = client.get(f"/tab/{second['token']}").text
    assert first["code"] not in page
    refused = client.post(f"/tab/{second['token']}/pay", json={"kind": "all"})
    assert (refused.status_code, refused.json["code"]) == (422, "ask_the_table")
    state = client.get(f"/tab/{first['token']}/state").json
    assert [one["name"] for one in state["asking"]] == ["Mehmet"]
    body = {"guest": second["me"]["id"], "act": "let_in"}
    assert client.post(f"/tab/{first['token']}/guests", json=body).status_code == 200
    state = client.get(f"/tab/{second['token']}/state").json
    assert (state["me"]["state"], state["code"]) == ("joined", first["code"])


def test_a_wrong_join_code_is_counted_and_the_right_one_joins(client, seating):
    first, second = joins(client, seating), joins(client, seating)
    wrong = f"{(int(first['code']) + 1) % 10_000:04d}"
    answer = client.post(f"/tab/{second['token']}/join", json={"code": wrong})
    assert (answer.status_code, answer.json["code"]) == (422, "wrong_code")
    answer = client.post(f"/tab/{second['token']}/join", data={"code": first["code"]})
    assert answer.status_code == 303


def test_one_cart_of_two_phones_becomes_one_order(client, seating):
    first, second = joins(client, seating, "Ayşe"), joins(client, seating, "Mehmet")
    client.post(f"/tab/{second['token']}/join", json={"code": first["code"]})
    items = seating.bistro.items
    for guest, name in ((first, "Hamburger"), (second, "Ayran")):
        lines = [{"item": items[name], "quantity": 1, "options": [], "note": ""}]
        answer = client.post(f"/tab/{guest['token']}/cart", json={"lines": lines})
        assert answer.status_code == 200, answer.text
    state = client.get(f"/tab/{first['token']}/state").json
    assert {one["guest"] for one in state["cart"]} == {first["me"]["id"], second["me"]["id"]}
    sent = client.post(f"/tab/{second['token']}/send", json={"language": "tr"})
    assert sent.status_code == 200, sent.text
    order = seating.bistro.orders_by_chat(sent.json["text"])
    assert order.total == lira("405")
    page = client.get(f"/tab/{first['token']}?lang=en").text
    assert all(word in page for word in ("Hamburger", "Mehmet", "Ayşe"))
    assert client.get(f"/tab/{first['token']}/state").json["cart"] == []


def test_the_bill_is_seen_and_paid_without_javascript(client, seating):
    base, code = place(seating)
    form = client.get(f"{base}/tab", query_string=code).text
    assert 'method="post"' in form
    joined = client.post(f"{base}/tab", data={**code, "name": "Zeynep"})
    assert joined.status_code == 303
    address = joined.headers["Location"]
    order_id = seating.orders(("Hamburger", 2), ("Ayran", 1))
    page = client.get(address, headers={"Accept-Language": "en"}).text
    assert f'name="item:{order_id}:1"' in page
    answer = client.post(
        f"{address}/pay",
        data={"kind": "items", f"item:{order_id}:1": "1", f"item:{order_id}:2": "0", "tip": "20"},
    )
    assert answer.status_code == 303
    with seating.scope():
        link = (
            db.session.query(PaymentLink)
            .filter_by(tenant_id=seating.bistro.business.tenant_id, source="tab")
            .one()
        )
        assert link.amount == lira("380")
        seating._open(link)
        link_id = link.id
    page = client.get(address, headers={"Accept-Language": "en"}).text
    assert f'href="https://paper.example/{link_id}"' in page
    assert "Being paid" in page
    seating.pays(link_id, "pm_1")
    page = client.get(address, headers={"Accept-Language": "en"}).text
    assert re.search(r"data-open>₺405\.00<", page), page
    assert (
        client.post(f"{address}/pay", data={"kind": "amount", "amount": "999"}).status_code == 422
    )


def test_the_page_after_the_payment_leads_back_to_the_bill(client, seating, app):
    seating.orders(("Ayran", 1))
    guest = joins(client, seating)
    client.post(f"/tab/{guest['token']}/pay", json={"kind": "all"})
    with seating.scope():
        link = (
            db.session.query(PaymentLink)
            .filter_by(tenant_id=seating.bistro.business.tenant_id, source="tab")
            .one()
        )
        seating._open(link)
        url = worker_steps.return_url(app.extensions["comanda"], link)
        link_id = link.id
    seating.pays(link_id, "pm_1")
    page = client.get(url.replace(app.extensions["comanda"].base_url, "")).text
    assert f"/tab/{guest['token']}" in page
    assert client.get(f"/tab/{guest['token']}/state").json["state"] == "settled"


def test_a_reservation_can_be_given_up(client, seating):
    seating.orders(("Ayran", 1))
    guest = joins(client, seating)
    client.post(f"/tab/{guest['token']}/pay", json={"kind": "all"})
    assert client.get(f"/tab/{guest['token']}/state").json["bill"]["reserved"] == "45.000"
    client.post(f"/tab/{guest['token']}/release")
    assert client.get(f"/tab/{guest['token']}/state").json["bill"]["reserved"] == "0"


@pytest.mark.parametrize("path", ["", "/state", "/pay", "/cart", "/send", "/guests"])
def test_a_forged_address_is_not_found(client, path):
    ask = client.get if path in ("", "/state") else client.post
    body = {} if path in ("", "/state") else {"json": {"lines": []}}
    assert ask(f"/tab/forged{path}", **body).status_code == 404


def test_the_menu_links_to_the_bill_for_phones_without_javascript(client, seating):
    base, code = place(seating)
    page = client.get(f"{base}/menu", query_string={**code, "lang": "en"}).text
    assert f"/tab?table={code['table']}&amp;k=" in page
    with seating.scope():
        assert sessions.find_open(seating.table_id, test=False) is None
