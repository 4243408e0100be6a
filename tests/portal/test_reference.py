"""The API reference as a page: every call of the document, with samples and examples."""

import html

from tests.portal.pages import faults, nonce_of, text_of


def groups(client):
    found = {}
    for item in client.get("/api/v1/openapi.json").json["paths"].values():
        for operation in item.values():
            found.setdefault(operation["tags"][0], []).append(operation)
    return found


def test_every_call_is_on_the_page_of_its_group(client, app):
    index = text_of(client.get("/reference"))
    for name, calls in groups(client).items():
        page = client.get(f"/reference/{name.lower().replace(' ', '-')}")
        assert page.status_code == 200, name
        assert not faults(page.get_data(as_text=True), nonce_of(page))
        text = text_of(page)
        for call in calls:
            assert call["summary"] in index
            assert call["summary"] in text


def test_a_call_shows_fields_scope_samples_and_answers(client, app):
    text = html.unescape(text_of(client.get("/reference/messages")))
    assert "messages:send" in text
    assert "Country code first, digits only." in text
    assert "curl -X POST http://localhost/api/v1/messages/send" in text
    assert "urlopen" in text
    assert "curl_init" in text
    assert "$COMANDA_API_KEY" in text
    assert '"status_code": "sent"' in text
    assert "202 Accepted" in text


def test_a_group_that_is_none_is_not_there(client, app):
    assert client.get("/reference/nothing").status_code == 404
