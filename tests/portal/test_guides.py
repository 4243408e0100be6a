"""Pages of docs/ in the portal: those for customers, safely, in the reader's language."""

import re

import pytest

from messaging.simulator.magic import NUMBERS, PREFIX
from portal.guides import DOCS, PAGES, guides_in, read
from tests.portal.pages import faults, nonce_of, text_of, title_of


@pytest.mark.parametrize("locale", ["en", "tr"])
def test_every_guide_is_a_page_that_runs_nothing(client, app, locale):
    with app.test_request_context():
        shown = guides_in(locale, "http://localhost")
    assert {"quick-start", "magic-numbers", "going-live-cloud", "errors"} <= {
        one.name for one in shown
    }
    for guide in shown:
        page = client.get(f"/docs/{guide.name}", headers={"Accept-Language": locale})
        assert title_of(page) == guide.title
        assert not faults(page.get_data(as_text=True), nonce_of(page))


def test_samples_name_this_service(client, app):
    text = text_of(client.get("/docs/quick-start"))
    assert "http://localhost/api/v1/messages/send" in text
    assert "comanda.example.com" not in text


def test_what_is_not_for_customers_is_not_served(client, app):
    for name in ("README", "simulator", "decisions/0001-rows-and-bells", "../README", "nothing"):
        assert client.get(f"/docs/{name}").status_code == 404
    assert "Decisions" not in text_of(client.get("/docs"))


def test_guides_lead_to_each_other(client, app):
    page = client.get("/docs/quick-start").get_data(as_text=True)
    assert 'href="/docs/magic-numbers"' in page
    assert 'rel="next"' in page
    for link in re.findall(r'href="(/docs[^"#]*)', page):
        assert client.get(link).status_code == 200, link


def test_a_page_that_wants_to_run_something_is_text(app):
    with app.test_request_context():
        guide = read(
            "x",
            "# <script>1</script>\n\n<img src=x onerror=alert(1)>\n\n"
            "[a](javascript:alert(1)) ![b](https://x.example/y.png)\n\n"
            "```python\nprint('<b>')\n```\n\n## <i>\n\n|a|\n|-|\n|<b>|\n",
        )
    markup = str(guide.html)
    assert "<script" not in markup
    assert "<img" not in markup
    assert 'href="javascript' not in markup
    assert "style=" not in markup
    assert "&lt;b&gt;" in markup
    assert guide.title == "<script>1</script>"  # escaped by the template


def test_every_magic_number_is_in_the_page_of_every_language():
    for place in (DOCS / "magic-numbers.md", DOCS / "tr" / "magic-numbers.md"):
        told = re.findall(r"`(905550\d+)` \|", place.read_text())
        assert told == [PREFIX + number for number in NUMBERS]


def test_turkish_has_every_guide_english_has():
    for name in PAGES:
        if (DOCS / f"{name}.md").is_file():
            english = (DOCS / f"{name}.md").read_text()
            turkish = (DOCS / "tr" / f"{name}.md").read_text()
            for mark in (r"(?m)^## ", r"(?m)^\|", r"(?m)^```"):
                assert len(re.findall(mark, english)) == len(re.findall(mark, turkish)), name
