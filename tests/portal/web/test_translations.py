"""The portal's pages are in Turkish for people who read Turkish."""

import re
from functools import cache
from html.parser import HTMLParser

import pytest
from babel.messages.catalog import Message

from core.db import global_scope
from core.errors import PaymentRequired
from core.i18n.catalogs import TRANSLATIONS
from core.i18n.compile import compile_translations, read_catalog
from portal.web.i18n import error_message
from tenants import people
from tenants.passwords import hash_password
from tenants.plans.limits import REFUSALS
from tests.factories import PASSWORD, Browser, make_business, unique_email
from tests.sample_tenant import add_sample_messages, add_sample_store, add_sample_webhooks

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}")
READ_ALOUD = {"aria-label", "title", "placeholder", "alt", "data-confirm", "data-confirm-text"}

# The API's own description, and the button that switches to English.
IN_ENGLISH = re.compile(r'<(a|button|dd|h2|p|span)\b[^>]* lang="en"[^>]*>.*?</\1>', re.DOTALL)

# Must run before any test of this process renders a page: an app loads translations once.
compile_translations()


@cache
def entries() -> list[Message]:
    catalog = read_catalog(TRANSLATIONS / "tr/LC_MESSAGES/messages.po")
    return [message for message in catalog if message.id]


def forms(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


class Words(HTMLParser):
    """The texts of a page, and the attributes that are read aloud or shown."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.silent = 0
        self.feed(page)

    def updatepos(self, i, j):
        """Nobody asks for the line of a tag, and counting lines takes a sixth of the time."""
        return j

    def handle_starttag(self, tag, attrs):
        self.silent += tag in ("script", "style", "code", "pre")
        self.said += [value for name, value in attrs if name in READ_ALOUD and value]

    def handle_endtag(self, tag):
        self.silent -= tag in ("script", "style", "code", "pre")

    def handle_data(self, data):
        if not self.silent and data.strip():
            self.said.append(" ".join(data.split()))


@cache
def translated_texts() -> frozenset[str]:
    """English texts that read differently in Turkish."""
    texts = {one for m in entries() for one in forms(m.id) if one not in forms(m.string)}
    return frozenset(one for one in texts if not PLACEHOLDER.search(one))


def english_on(page: str) -> list[str]:
    """Catalog texts in English on a Turkish page: as a whole text or, if long, inside one."""
    said = Words(IN_ENGLISH.sub("", page)).said
    assert said
    whole = "\0".join(said)
    inside = {text for text in translated_texts() if text.count(" ") > 1 and text in whole}
    return sorted(translated_texts().intersection(said) | inside)


def register_derya():
    password = hash_password(PASSWORD)
    with global_scope():
        return people.register(
            unique_email("derya"), "Derya Aksoy", password, locale="tr", verified=True
        )


@pytest.fixture
def derya(app):
    return register_derya()


@pytest.fixture(scope="module")
def reader(app):
    """A browser of an owner who reads Turkish, and ids in addresses; no test changes them."""
    with app.app_context():
        owner = register_derya()
        business = make_business("Lokanta Mavi", owner=owner)
        line, message = add_sample_messages(business, "Mavi")
        endpoint, delivery = add_sample_webhooks(business, "Mavi")
        connection, hook, automation = add_sample_store(business, "Mavi")
        ids = {"key": business.key_id, "line": line, "message": message}
        ids |= {"endpoint": endpoint, "delivery": delivery}
        ids |= {"connection": connection, "hook": hook, "automation": automation}
        return Browser(app.test_client()).signs_in(owner), ids


@pytest.mark.parametrize(
    "path", ["/signin", "/signup", "/reset", "/reset/none", "/verify/none", "/invitations/none"]
)
def test_a_visitor_who_reads_turkish_reads_no_english(browser, path):
    page = browser.get(path, headers={"Accept-Language": "tr"}).get_data(as_text=True)
    assert '<html lang="tr"' in page
    assert not english_on(page)


def test_a_page_in_english_would_be_noticed(browser):
    page = browser.get("/signin", headers={"Accept-Language": "en"}).get_data(as_text=True)
    assert {"Sign in", "Password"} <= set(english_on(page))


@pytest.mark.parametrize(
    "path",
    [
        "/home",
        "/team",
        "/integrations",
        "/integrations/keys/new",
        "/integrations/keys/{key}",
        "/integrations/keys/{key}/revoke",
        "/lines",
        "/lines/new",
        "/lines/{line}",
        "/lines/{line}/remove",
        "/messages",
        "/messages?state=failed",
        "/messages/{message}",
        "/messages/{message}/cancel",
        "/webhooks",
        "/webhooks/new",
        "/webhooks/{endpoint}",
        "/webhooks/{endpoint}/off",
        "/webhooks/deliveries",
        "/webhooks/deliveries/{delivery}",
        "/stores",
        "/stores/new",
        "/stores/{connection}",
        "/stores/{connection}?state=parked",
        "/stores/{connection}/hooks/{hook}",
        "/stores/{connection}/remove",
        "/automations",
        "/automations/new/owner_notice",
        "/automations/{automation}",
        "/automations/{automation}/runs",
        "/automations/{automation}/remove",
        "/settings",
        "/audit",
        "/account",
        "/account/two-step",
        "/account/sessions",
        "/reference",
        "/reference/messages",
        "/docs",
        "/docs/quick-start",
        "/usage",
        "/usage?by=category",
        "/integrations/requests",
    ],
)
def test_an_owner_who_reads_turkish_reads_no_english(reader, path):
    browser, ids = reader
    answer = browser.get(path.format(**ids))
    assert answer.status_code == 200
    assert not english_on(answer.get_data(as_text=True))


def test_an_operator_who_reads_turkish_reads_no_english(browser, derya):
    business = make_business("Lokanta Mavi", owner=derya)
    with global_scope():
        people.find(derya.email).operator = True
    browser.signs_in(derya)
    for path in ("/operator/", f"/operator/tenants/{business.tenant_id}", "/operator/queues"):
        answer = browser.get(path)
        assert answer.status_code == 200
        assert not english_on(answer.get_data(as_text=True)), path


def test_a_refusal_is_shown_in_turkish(browser, derya):
    make_business("Lokanta Mavi", owner=derya)
    browser.signs_in(derya)
    page = browser.post("/team/invite", email=derya.email, role="waiter").get_data(as_text=True)
    assert "Derya Aksoy zaten ekipte." in page


@pytest.mark.parametrize(
    ("locale", "most", "beginning"),
    [
        ("en", 1, "Your plan Free includes 1 line. "),
        ("en", 2, "Your plan Free includes 2 lines. "),
        ("tr", 1, "Free planınız 1 hat içerir. "),
        ("tr", 2, "Free planınız 2 hat içerir. "),
    ],
)
def test_a_number_decides_the_form_of_a_refusal(app, locale, most, beginning):
    error = PaymentRequired("plan_full", REFUSALS["lines"], plan="Free", most=most)
    with app.test_request_context(headers={"Accept-Language": locale}):
        assert error_message(error).startswith(beginning)
