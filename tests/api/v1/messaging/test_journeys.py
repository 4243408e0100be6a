"""Journeys by API: draft, publish, pause, runs."""

import pytest

from jobs import journeys as journeys_job
from messaging.contacts import identities
from tests.line_factory import make_line
from tests.messaging.journeys.sample_journeys import AYSE, MENU, sent, taps, writes

PATH = "/api/v1/journeys"


@pytest.fixture
def line(app, shop, redis):
    return make_line(shop)


@pytest.fixture
def made(client, shop, line):
    body = {"name": "Help", "definition": MENU}
    return client.post(PATH, json=body, headers=shop.bearer).json


def post(client, shop, path, body=None):
    return client.post(f"{PATH}/{path}", json=body or {}, headers=shop.bearer)


def test_a_draft_is_published_and_answers(client, shop, line, made):
    assert (made["state"], made["version"], made["problems"]) == ("draft", 0, [])
    writes(shop, line, "menu")
    assert sent(shop) == []
    published = post(client, shop, f"{made['id']}/publish").json
    assert (published["state"], published["version"]) == ("live", 1)
    writes(shop, line, "menu")
    assert sent(shop) == ["How can we help?"]
    (run,) = client.get(f"{PATH}/{made['id']}/runs", headers=shop.bearer).json["data"]
    assert (run["state"], run["waits_for"]) == ("running", "reply")
    taps(shop, line, "Hours")
    read = client.get(f"/api/v1/journey-runs/{run['id']}", headers=shop.bearer).json
    assert read["values"]["answer.wish"] == "Hours"
    assert [one["kind"] for one in read["steps"]] == ["ask", "say", "end"]
    assert read["steps"][0]["answer"] == "Hours"


def test_a_draft_with_mistakes_names_its_steps(client, shop, line):
    broken = {"when": MENU["when"], "steps": [{"id": "a", "kind": "say", "text": "Hi"}]}
    body = {"name": "Broken", "definition": broken}
    made = client.post(PATH, json=body, headers=shop.bearer).json
    assert [one["code"] for one in made["problems"]] == ["dead_end"]
    refused = post(client, shop, f"{made['id']}/publish")
    assert refused.status_code == 422
    assert "Step 1 (“Hi”)" in refused.get_data(as_text=True)


def test_the_draft_is_changed_beside_the_published_version(client, shop, made):
    post(client, shop, f"{made['id']}/publish")
    body = {"name": "Help 2", "definition": MENU}
    changed = client.put(f"{PATH}/{made['id']}", json=body, headers=shop.bearer).json
    assert (changed["name"], changed["version"], changed["has_changes"]) == ("Help 2", 1, True)
    assert post(client, shop, f"{made['id']}/publish").json["version"] == 2
    assert post(client, shop, f"{made['id']}/pause").json["state"] == "paused"
    assert post(client, shop, f"{made['id']}/resume").json["state"] == "live"
    assert client.delete(f"{PATH}/{made['id']}", headers=shop.bearer).status_code == 204
    assert client.get(f"{PATH}/{made['id']}", headers=shop.bearer).status_code == 404


def test_a_run_is_started_for_a_contact_and_stopped(app, client, shop, line, made):
    writes(shop, line, "hello")
    with shop.scope():
        contact_id = identities.find_by_address(AYSE)
    body = {"contact_id": contact_id}
    early = post(client, shop, f"{made['id']}/runs", body)
    assert (early.status_code, early.json["code"]) == (409, "not_live")
    post(client, shop, f"{made['id']}/publish")
    run = post(client, shop, f"{made['id']}/runs", body).json
    assert post(client, shop, f"{made['id']}/runs", body).status_code == 422
    with app.app_context():
        journeys_job.drain()
    assert sent(shop) == ["How can we help?"]
    stopped = client.post(f"/api/v1/journey-runs/{run['id']}/stop", headers=shop.bearer).json
    assert (stopped["state"], stopped["because"]) == ("stopped", "A program stopped it.")


def test_unknown_fields_and_contacts_are_refused(client, shop, made):
    odd = {"name": "x", "definition": {**MENU, "colour": "red"}}
    assert client.post(PATH, json=odd, headers=shop.bearer).status_code == 422
    post(client, shop, f"{made['id']}/publish")
    unknown = post(client, shop, f"{made['id']}/runs", {"contact_id": "con_nobody"})
    assert unknown.status_code == 404
