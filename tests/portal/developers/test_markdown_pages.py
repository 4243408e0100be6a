"""The page of events, and the pages for programs: Markdown and /llms.txt."""

import re

import pytest

from portal.developers.guide_catalog import FOR_OPERATORS, GUIDE_NAMES
from webhooks.event_types import EVENT_TYPES


def test_the_page_shows_every_event_with_an_example(client):
    page = client.get("/reference/events").get_data(as_text=True)
    for name in EVENT_TYPES:
        assert f'id="{name.replace(".", "-")}"' in page
    assert "restaurant.order_created" in page
    assert "MAVI-20260301-0007" in page
    assert 'href="/reference/events"' in client.get("/reference").get_data(as_text=True)


def test_llms_txt_lists_pages_that_exist(client):
    answer = client.get("/llms.txt")
    text = answer.get_data(as_text=True)
    assert answer.mimetype == "text/plain"
    links = re.findall(r"\]\(http://localhost(/[^)]+)\)", text)
    assert len(links) == len(set(links)) > 40
    assert not any(f"/docs/{name}.md" in links for name in FOR_OPERATORS)
    for link in links:
        found = client.get(link)
        assert found.status_code == 200, link
        if link.endswith(".md"):
            assert found.mimetype == "text/markdown"
            assert found.get_data(as_text=True).startswith("# "), link


@pytest.mark.parametrize("name", GUIDE_NAMES)
def test_every_guide_has_a_markdown_form(client, name):
    text = client.get(f"/docs/{name}.md").get_data(as_text=True)
    assert text.startswith("# ")
    assert "https://comanda.example.com" not in text
    by_header = client.get(f"/docs/{name}", headers={"Accept": "text/markdown"})
    assert by_header.get_data(as_text=True) == text
    browser = client.get(f"/docs/{name}", headers={"Accept": "text/html,*/*;q=0.8"})
    assert browser.mimetype == "text/html"


def test_a_page_that_is_not_there(client):
    for path in ("/docs/no-such.md", "/docs/decisions/0001-work-in-rows.md", "/reference/no.md"):
        assert client.get(path).status_code == 404


def test_the_reference_as_markdown(client):
    text = client.get("/reference/webhooks.md").get_data(as_text=True)
    assert "`POST /api/v1/webhooks`" in text
    assert "- `url` (string, required)" in text
    events = client.get("/reference/events.md").get_data(as_text=True)
    assert "## restaurant.order_created" in events
