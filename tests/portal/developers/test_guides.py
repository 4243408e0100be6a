"""The guides: public pages of docs/ only, rendered safely, in the reader's language."""

import json
import re
from urllib.parse import unquote

import pytest

from core.db import Base, global_scope
from core.ids import Id
from core.openapi.example_ids import ULID
from messaging.simulator.network.magic_numbers import MAGIC_NUMBERS, PREFIX
from portal.developers.guide_catalog import GUIDE_NAMES, guides_in, read_guide, search_guides
from portal.developers.markdown import DOCS, png_size, resolve_path
from tenants import people
from tests.factories import make_person
from tests.portal.page_reader import faults, nonce_of, text_of, title_of
from webhooks.event_types import EVENT_TYPES

OUTWARD = {
    "a href=https://www.standardwebhooks.com",
    "a href=https://www.python.org/downloads/macos/",
    "a href=https://www.python.org/downloads/windows/",
}


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
        assert set(faults(page.get_data(as_text=True), nonce_of(page))) <= OUTWARD


def test_samples_name_this_service(client, app):
    text = text_of(client.get("/docs/quick-start"))
    assert "http://localhost/api/v1/messages/send" in text
    assert "comanda.example.com" not in text


def test_every_page_is_served_but_decisions():
    there = {str(file.relative_to(DOCS).with_suffix("")) for file in DOCS.rglob("*.md")}
    not_served = {one for one in there if one.startswith(("README", "decisions/", "tr/"))}
    assert set(GUIDE_NAMES) == there - not_served
    assert len(GUIDE_NAMES) == len(set(GUIDE_NAMES))


def test_what_is_not_for_readers_is_not_served(client, app):
    for name in ("README", "decisions/0001-work-in-rows", "../README", "tr/inbox", "nothing"):
        assert client.get(f"/docs/{name}").status_code == 404
    for name in ("nothing.png", "..%2FREADME.md", "../README.md"):
        assert client.get(f"/docs/images/{name}").status_code == 404


@pytest.mark.parametrize("locale", ["en", "tr"])
def test_every_link_and_picture_of_every_guide_leads_somewhere(client, app, locale):
    """Links at /docs, including their anchors."""
    headers = {"Accept-Language": locale}
    every = {f"/docs/{name}": None for name in GUIDE_NAMES}
    for address in every:
        every[address] = client.get(address, headers=headers).get_data(as_text=True)
    for address, page in every.items():
        for link in re.findall(r'(?:href|src)="([^"]*)"', page):
            place, _, mark = link.partition("#")
            if place.startswith(("https://", "mailto:")):
                continue
            if not place.startswith("/docs") and place:
                assert place.startswith("/"), (address, link)
                continue
            target = every.get(place or address)
            if target is None:
                assert client.get(place, headers=headers).status_code == 200, (address, link)
            elif mark:
                assert f'id="{unquote(mark)}"' in target, (address, link)


def test_every_picture_is_used_and_small():
    shown = set()
    for file in DOCS.rglob("*.md"):
        place = str(file.relative_to(DOCS))
        found = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", file.read_text())
        shown |= {resolve_path(place, one) for one in found}
    shown |= {
        one.removeprefix("docs/")
        for one in re.findall(r"docs/images/[\w-]+\.png", (DOCS.parent / "README.md").read_text())
    }
    there = {str(one.relative_to(DOCS)) for one in (DOCS / "images").iterdir()}
    assert shown == there
    for name in there:
        assert (DOCS / name).stat().st_size < 150_000, name
        assert png_size(DOCS / name), name


def test_search_finds_sections_by_the_beginnings_of_words(client, app):
    page = client.get("/docs/search?q=idempot")
    assert title_of(page) == "Search results for “idempot”"
    assert '/docs/quick-start#5-send-safely"' in page.get_data(as_text=True)
    assert "<mark>Idempotency</mark>" in page.get_data(as_text=True)
    assert "No page contains all of these words. Try fewer words." in text_of(
        client.get("/docs/search?q=zzzz")
    )
    assert client.get("/docs/search").status_code == 200
    asked = client.get("/docs/search?q=%3Cscript%3E%25_%00" + "a" * 500)
    assert asked.status_code == 200
    assert not faults(asked.get_data(as_text=True), nonce_of(asked))


def test_search_reads_turkish_as_people_write_it(app):
    with app.test_request_context():
        every = guides_in("tr", "http://localhost")
        names = {one.guide.name for one in search_guides(every, "SIHIRLI numara")}
    assert "magic-numbers" in names


def test_the_visitor_chooses_the_language(client, app):
    page = client.get("/docs/inbox", headers={"Accept-Language": "en"})
    assert 'name="locale"' in page.get_data(as_text=True)
    assert title_of(page) == "The inbox"
    turkish = client.get("/docs/inbox", headers={"Accept-Language": "tr"})
    assert title_of(turkish) != title_of(page)


def test_who_has_no_account_finds_them(client, app):
    assert 'href="/docs"' in client.get("/signin").get_data(as_text=True)


def test_guides_lead_to_each_other(client, app):
    page = client.get("/docs/quick-start").get_data(as_text=True)
    assert 'href="/docs/magic-numbers"' in page
    assert 'rel="prev"' in page
    assert 'rel="next"' in page


def test_the_collection_has_every_call_with_what_it_needs(client, app):
    document = client.get("/api/v1/openapi.json").json
    made = client.get("/docs/postman.json").json
    assert made["info"]["schema"].endswith("/v2.1.0/collection.json")
    assert made["auth"]["bearer"][0]["value"] == "{{api_key}}"
    variables = {one["key"] for one in made["variable"]}
    assert {"base_url", "api_key", "site_id", "campaign_id"} <= variables
    requests = [one["request"] for folder in made["item"] for one in folder["item"]]
    assert len(requests) == sum(len(path) for path in document["paths"].values())
    for request in requests:
        path, url = "/" + "/".join(request["url"]["path"]), request["url"]
        named = re.findall(r":(\w+)", path)
        assert {one["key"] for one in url.get("variable", [])} == set(named)
        described = document["paths"][re.sub(r":(\w+)", r"{\1}", path)]
        operation = described[request["method"].lower()]
        assert ("body" in request) == ("application/json" in str(operation.get("requestBody")))
        if "body" in request:
            json.loads(request["body"]["raw"])
        assert ULID not in json.dumps(request), "an id to type in again at every call"
        used = set(re.findall(r"{{(\w+_id)}}", json.dumps(request)))
        assert used <= variables


def test_a_list_of_the_collection_fills_in_the_ids_of_the_other_calls(client, app):
    folders = client.get("/docs/postman.json").json["item"]
    calls = {one["name"]: one for folder in folders for one in folder["item"]}
    for name, variable in (
        ("List restaurants", "site_id"),
        ("Add a reward", "reward_id"),
        ("Send a text message", "message_id"),
        ("Add item", "item_id"),
    ):
        script = "".join(calls[name]["event"][0]["script"]["exec"])
        assert f'set("{variable}"' in script
    assert "event" not in calls["Preview a campaign"]


def test_sample_ids_begin_as_such_ids_do(client, app):
    document = json.dumps(client.get("/api/v1/openapi.json").json)
    shown = set(re.findall(rf"([a-z]+)_{ULID}", document))
    columns = (column for table in Base.metadata.tables.values() for column in table.columns)
    ours = {column.type.prefix for column in columns if isinstance(column.type, Id)}
    assert {"cmp", "rwd", "cpn", "mnu"} <= shown
    assert shown <= ours | {"req", "run"}


def test_a_page_that_wants_to_run_something_is_text(app):
    with app.test_request_context():
        guide = read_guide(
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


def test_things_to_see_to_are_boxes_with_their_words_as_labels(app):
    text = "# T\n\n- [ ] `curl` answers, [backup](backup.md) runs\n- [x] Done\n- [y] plain\n"
    with app.test_request_context():
        guide = read_guide("t", text)
    first, second, third = re.findall(r"<li.*?</li>", guide.html, re.DOTALL)
    assert '<label><input class="form-check-input" type="checkbox"> <span><code>' in first
    assert first.rstrip().endswith("runs</span></label></li>")
    assert " checked> <span>Done</span>" in second
    assert third == "<li>[y] plain</li>"
    assert "[ ]" not in guide.sections[0].text


def test_every_magic_number_is_in_the_page_of_every_language():
    for place in (DOCS / "magic-numbers.md", DOCS / "tr" / "magic-numbers.md"):
        told = re.findall(r"`(905550\d+)` \|", place.read_text())
        assert told == [PREFIX + number for number in MAGIC_NUMBERS]


@pytest.mark.parametrize("page", ["webhooks.md", "tr/webhooks.md"])
def test_every_event_is_on_the_page_of_webhooks(page):
    told = set(re.findall(r"`(\w+\.\w+)`", (DOCS / page).read_text()))
    assert set(EVENT_TYPES) <= told


def test_turkish_has_every_guide_english_has():
    for name in GUIDE_NAMES:
        english = (DOCS / f"{name}.md").read_text()
        turkish = (DOCS / "tr" / f"{name}.md").read_text()
        for mark in (r"(?m)^## ", r"(?m)^\|", r"(?m)^ *```", r"(?m)^!\["):
            assert len(re.findall(mark, english)) == len(re.findall(mark, turkish)), name


def test_guides_lead_in_and_show_customers_nothing_about_running_the_service(browser, restaurant):
    """Review 42."""
    page = browser.get("/docs").get_data(as_text=True)
    assert 'href="/signin"' in page
    assert 'href="/signup"' in page
    assert "/docs/operations/runbook" not in page
    assert "/docs/operations" not in browser.get("/docs/search?q=backup").get_data(as_text=True)
    person = make_person()
    with global_scope():
        people.get(person.id).operator = True
    browser.signs_in(person)
    assert "/docs/operations/runbook" in browser.get("/docs").get_data(as_text=True)
