"""The API reference page: every call of the OpenAPI document, with samples and examples."""

import html
from itertools import groupby

from portal.developers.reference import read_groups
from tests.portal.page_reader import faults, nonce_of, text_of


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


def test_required_fields_come_first(app):
    """For example the required `message` of a text."""
    for call in (call for group in read_groups(app) for call in group.calls):
        for kind, parts in groupby(call.fields, key=lambda part: part.of_type):
            needed = [part.needed for part in parts if "." not in part.name]
            assert needed == sorted(needed, reverse=True), (call.id, kind)


def test_every_parameter_and_field_is_described(app):
    calls = [call for group in read_groups(app) for call in group.calls]
    parts = [(call.id, part) for call in calls for part in (*call.parameters, *call.fields)]
    assert [(call, part.name) for call, part in parts if not part.text] == []


def test_answers_have_a_table_of_their_fields(client, app):
    send = next(
        call for group in read_groups(app) for call in group.calls if call.path == "/messages/send"
    )
    names = [part.name for answer in send.successes for part in answer.fields]
    assert "status_code" in names
    assert "Fields of the 202 response" in text_of(client.get("/reference/messages"))


def test_examples_have_no_warnings_that_answers_lack(client, app):
    assert '"warnings": []' not in html.unescape(text_of(client.get("/reference/messages")))


def test_a_call_with_types_lists_the_fields_of_each_type(client):
    page = client.get("/reference/messages").get_data(as_text=True)
    call = page[page.index('id="post-messages"') :]
    assert "text | image | video" in call
    assert "<code>list</code>: " in call
    assert "sections[].rows[].title" in call
