"""The request log: search by request id, outcome, key and call."""

import re

import pytest

from tests.portal.page_reader import text_of, title_of


@pytest.fixture
def call_api(app, client, restaurant):
    """Call the API with a key of the restaurant, then write the log."""

    def ask(method, path, **body):
        answer = client.open(
            f"/api/v1{path}", method=method, json=body or None, headers=restaurant.bearer
        )
        app.extensions["request_log"].write()
        return answer

    return ask


def test_a_call_is_found_by_the_id_its_answer_carried(browser, restaurant, call_api):
    refused = call_api("POST", "/messages/send", phone="0532 111 22 33", message="Masanız hazır")
    browser.signs_in(restaurant.owner)
    found = browser.get(f"/integrations/requests?id=+{refused.headers['X-Request-Id'].lower()}")
    page = browser.get(found.location)
    assert title_of(page) == "POST /messages/send"
    text = text_of(page)
    assert "422" in text
    assert "invalid_phone" in text
    assert "Live key" in text
    assert "Masanız" not in text
    assert "111 22 33" not in text


def test_an_id_that_is_not_stored_is_reported(browser, restaurant, call_api):
    call_api("GET", "/me")
    browser.signs_in(restaurant.owner)
    page = browser.get("/integrations/requests?id=req_00000000000000000000000000")
    assert "No stored request has this ID. Request IDs start with req_." in text_of(page)


def test_the_list_is_filtered_and_paged_by_its_address(browser, restaurant, call_api, monkeypatch):
    for _ in range(3):
        call_api("GET", "/me")
    call_api("POST", "/messages/send", phone="x", message="y")
    browser.signs_in(restaurant.owner)
    monkeypatch.setattr("portal.developers.request_log.PAGE", 2)
    seen, path = [], "/integrations/requests"
    while path:
        page = browser.get(path).get_data(as_text=True)
        seen += re.findall(r'href="/integrations/requests/(req_\w+)"', page)
        found = re.search(r'rel="next" href="([^"]+)"', page)
        path = found[1].replace("&amp;", "&") if found else ""
    assert len(seen) == len(set(seen)) == 4
    only = browser.get("/integrations/requests?outcome=refused").get_data(as_text=True)
    assert len(re.findall(r'href="/integrations/requests/(req_\w+)"', only)) == 1
    none = browser.get("/integrations/requests?call=GET+/usage")
    assert "No results" in text_of(none)


def test_before_the_first_call_the_page_shows_what_to_do(browser, restaurant):
    browser.signs_in(restaurant.owner)
    assert "No requests yet" in text_of(browser.get("/integrations/requests"))
