"""Tabs through the API: list, read, record payments, move and close."""

import pytest

from restaurant.sites import tables
from tests.restaurant.tabs.seating import open_seating


@pytest.fixture
def seating(restaurant):
    made = open_seating(restaurant)
    made.orders(("Hamburger", 1), ("Ayran", 2))
    return made


@pytest.fixture
def ask(app, restaurant):
    client, headers = app.test_client(), restaurant.bearer

    def call(method, path, body=None):
        return client.open(f"/api/v1{path}", method=method, json=body, headers=headers)

    return call


def test_a_tab_is_listed_read_and_paid(seating, ask):
    (row,) = ask("GET", f"/tabs?site_id={seating.bistro.site_id}&status=open").json["data"]
    assert (row["id"], row["status"]) == (seating.tab_id, "open")
    share = seating.claims("amount", amount="50", tip="5")
    tab = ask("GET", f"/tabs/{row['id']}").json
    assert (tab["total_amount"], tab["reserved_amount"], tab["open_amount"]) == (450, 50, 450)
    assert [item["status"] for item in tab["items"]] == ["open", "open"]
    seating.pays(share.link.id, "pm_1")
    too_much = ask("POST", f"/tabs/{row['id']}/payments", {"method": "cash", "amount": 401})
    assert too_much.status_code == 422
    part = ask("POST", f"/tabs/{row['id']}/payments", {"method": "cash", "amount": 100})
    assert (part.status_code, part.json["open_amount"]) == (201, 300)
    rest = ask("POST", f"/tabs/{row['id']}/payments", {"method": "card"})
    assert (rest.json["status"], rest.json["open_amount"]) == ("settled", 0)
    assert ask("POST", f"/tabs/{row['id']}/payments", {"method": "card"}).status_code == 409


def test_a_tab_is_moved_and_closed(seating, ask):
    with seating.scope():
        tables.add_tables(seating.bistro.site(), "T78")
    moved = ask("POST", f"/tabs/{seating.tab_id}/move", {"table_number": "T78"})
    assert (moved.status_code, moved.json["table_number"]) == (200, "T78")
    unknown = ask("POST", f"/tabs/{seating.tab_id}/move", {"table_number": "nowhere"})
    assert unknown.status_code == 422
    assert ask("POST", f"/tabs/{seating.tab_id}/close").json["status"] == "closed"
    assert ask("GET", "/tabs/tab_nothing").status_code == 404
