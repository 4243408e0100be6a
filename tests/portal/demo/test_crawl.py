"""Every link of every page of the demo, as a visitor, as each tenant and as the operator."""

import re
from collections import Counter, deque
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from babel.messages.pofile import read_po
from werkzeug.exceptions import HTTPException

from deploy.demo import loader as demo
from tests.browser.screenshots import IMAGES, SHOTS, first_link, names
from tests.conftest import ROOT
from tests.factories import Browser
from tests.portal.markup_reader import MarkupReader

# Places outside that pages lead to on purpose.
OUTSIDE = {
    "127.0.0.1",
    "www.standardwebhooks.com",
    "www.google.com",
    "www.python.org",
    "wa.me",
}
# Only this many links of one kind (one route, the same parameters) are opened; the others must
# match a route. Each language is crawled separately.
EACH = {"en": 2, "tr": 1}
# The visitor opens all of these.
BOOKS = {"guides.page", "developers.calls"}
VISITORS = {
    "visitor": ("", "/signin"),
    "restaurant": (demo.OWNER, "/home"),
    "shop": ("marta@comanda.example", "/home"),
    "operator": (demo.OPERATOR, "/operator/"),
}
STARTS = ("/docs", "/reference", "/signup")
# Ends the session, or belongs to the simulated network.
NOT_FOLLOWED = ("/signout", "/static/")
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]")


class Seen(MarkupReader):
    """A page's links, headings and words; words marked as another language are not ours to
    translate."""

    SILENT = frozenset({"script", "style", "code", "pre", "textarea", "option"})
    VOID = frozenset({"br", "hr", "img", "input", "meta", "link", "source", "wbr", "use", "path"})

    def __init__(self, markup: str) -> None:
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.words: list[str] = []
        self.tags: Counter[str] = Counter()
        self.title = ""
        self._open: list[tuple[str, bool]] = []
        self.feed(markup)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags[tag] += 1
        if given.get("id"):
            self.ids.add(given["id"])
        for name in ("href", "src"):
            if given.get(name) and tag in ("a", "img", "link", "script", "iframe"):
                self.links.append(given[name])
        if tag not in self.VOID:
            foreign = tag != "html" and "lang" in given
            self._open.append((tag, foreign or tag in self.SILENT))

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        text = " ".join(data.split())
        if self._open and self._open[-1][0] == "title":
            self.title += text
        elif text and not any(silent for _, silent in self._open):
            self.words.append(text)


class Walk:
    def __init__(self, app, browser, language: str, untranslated: set[str], reads_books: bool):
        self.browser, self.language, self.reads_books = browser, language, reads_books
        self.untranslated = untranslated
        self.faults: list[str] = []
        self.opened: Counter[tuple] = Counter()
        self.known: set[str] = set()
        self.waiting: deque[tuple[str, str]] = deque()
        self.urls = app.url_map.bind("localhost")

    def follows(self, *starts: str) -> "Walk":
        for start in starts:
            self.meets(start, "the beginning")
        while self.waiting:
            address, origin = self.waiting.popleft()
            self.opens(address, origin)
        return self

    def meets(self, link: str, origin: str) -> None:
        parts = urlsplit(link)
        if parts.scheme in ("mailto", "tel", "data", "sms"):
            return
        if parts.netloc and parts.netloc != "localhost":
            # Guests of the demo mention domains that do not exist.
            if parts.hostname not in OUTSIDE and not parts.hostname.endswith(".example"):
                self.faults.append(f"{origin} leads to another host: {link}")
            return
        if not parts.path or parts.path.startswith(NOT_FOLLOWED):
            return
        address = parts.path + (f"?{parts.query}" if parts.query else "")
        if address in self.known:
            return
        self.known.add(address)
        try:
            endpoint, _ = self.urls.match(parts.path, "GET")
        except HTTPException as error:
            self.faults.append(f"{origin} leads to {address}: {error}")
            return
        kind = (endpoint, *sorted(name for name, _ in parse_qsl(parts.query)))
        read_whole = self.reads_books and endpoint in BOOKS
        if read_whole or self.opened[kind] < EACH[self.language]:
            self.opened[kind] += 1
            self.waiting.append((address, origin))

    def opens(self, address: str, origin: str) -> None:
        answer = self.browser.client.get(
            address, headers={"Accept-Language": self.language}, follow_redirects=False
        )
        where = f"{address} ({self.language}, from {origin})"
        if answer.status_code >= 400:
            self.faults.append(f"{where} answers {answer.status_code}")
        elif answer.status_code >= 300:
            self.meets(answer.headers["Location"], address)
        elif answer.mimetype == "text/html":
            self.reads(Seen(answer.get_data(as_text=True)), address, where)

    def reads(self, page: Seen, address: str, where: str) -> None:
        if page.tags["html"]:
            if page.tags["h1"] != 1:
                self.faults.append(f"{where} has {page.tags['h1']} h1")
            if not page.title.removesuffix("· Comanda").strip():
                self.faults.append(f"{where} has no title")
        for word in page.words:
            if PLACEHOLDER.search(word):
                self.faults.append(f"{where} shows a placeholder: {word}")
            # E-mails are in the language of their recipients.
            if self.language == "tr" and word in self.untranslated and address != "/mailbox":
                self.faults.append(f"{where} shows English: {word}")
        if address.startswith("/mailbox/"):
            return  # the links in an e-mail are for its recipient
        for link in page.links:
            if link.startswith("#") and link[1:] and unquote(link[1:]) not in page.ids:
                self.faults.append(f"{where} has no place named {link}")
            self.meets(link, address)


@pytest.fixture(scope="module")
def untranslated() -> set[str]:
    """English texts of the portal on a Turkish page. Single words are ignored: they may be data."""
    with (ROOT / "core/i18n/translations/tr/LC_MESSAGES/messages.po").open("rb") as file:
        catalogue = read_po(file)
    return {
        one.id
        for one in catalogue
        if isinstance(one.id, str) and one.id.count(" ") > 1 and one.string not in ("", one.id)
    }


def signed_in(app, email: str) -> Browser:
    """The owner of both businesses goes to the restaurant."""
    browser = Browser(app.test_client())
    if email:
        answer = browser.post("/signin", email=email, password=demo.PASSWORD)
        assert answer.status_code == 302
    if email == demo.OWNER:
        page = browser.get("/choose").get_data(as_text=True)
        first = page.index(demo.RESTAURANT)
        browser.post("/switch", tenant_id=re.findall(r'value="(\d+)"', page[:first])[-1])
    return browser


@pytest.mark.parametrize("language", EACH)
@pytest.mark.parametrize("who", VISITORS)
def test_no_link_is_dead_and_no_page_is_broken(app, untranslated, who, language):
    email, start = VISITORS[who]
    browser = signed_in(app, email)
    browser.get("/docs")
    assert browser.post("/language", locale=language).status_code == 302
    walk = Walk(app, browser, language, untranslated, who == "visitor").follows(start, *STARTS)
    assert not walk.faults, "\n".join(walk.faults)
    assert len(walk.opened) > (10 if who in ("visitor", "operator") else 80)


def test_every_picture_of_the_guides_has_its_page(app):
    browsers = {}
    for shot in SHOTS:
        if shot.who not in browsers:
            browsers[shot.who] = signed_in(app, shot.who)
        answer = browsers[shot.who].get(shot.path)
        for wanted in shot.then:
            answer = browsers[shot.who].get(first_link(answer.get_data(as_text=True), wanted))
        while answer.status_code == 302:
            answer = browsers[shot.who].get(answer.headers["Location"])
        assert answer.status_code == 200, shot
    assert names() == {file.stem for file in IMAGES.iterdir()}
