"""Short links: codes, what is replaced in texts, and what erasing a contact leaves."""

import pytest
from sqlalchemy import select

from core.db import db
from messaging.campaigns.experiments.link_texts import _Shortener
from messaging.contacts import merging
from messaging.contacts.erasure import personal_data
from messaging.contacts.erasure.personal_data import ErasureTarget
from messaging.links import codes, short_links
from messaging.links.preview_requests import is_person
from messaging.links.short_links import NewLink
from messaging.models import ShortLink
from tests.line_factory import make_line
from tests.messaging.campaigns.campaign_factory import drafts, meets, messages, starts, steps

BROWSER = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36"
PREVIEWS = [
    "WhatsApp/2.23.20.0 A",
    "WhatsApp/2.24.1 i",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "meta-externalagent/1.1",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0)",
    "TelegramBot (like TwitterBot)",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 HeadlessChrome/120.0",
    "SkypeUriPreview Preview/0.5",
    "curl/8.5.0",
    "python-requests/2.32",
    "",
]
PEOPLE = [
    BROWSER,
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1",
    "Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 [FBAN/FBIOS;FBAV/400.0]",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0",
]


def test_codes_are_opaque_and_name_their_tenant():
    made = {codes.new_code(7) for _ in range(500)}
    assert len(made) == 500
    assert {codes.tenant_of(one) for one in made} == {7}
    assert len({one[:4] for one in made}) > 450
    assert codes.tenant_of("short") is None
    assert codes.tenant_of("é" * 20) is None


@pytest.mark.parametrize("agent", PREVIEWS)
def test_link_previews_are_not_people(agent):
    assert not is_person("GET", {"User-Agent": agent})


@pytest.mark.parametrize("agent", PEOPLE)
def test_browsers_are_people_unless_they_prefetch(agent):
    assert is_person("GET", {"User-Agent": agent})
    assert not is_person("HEAD", {"User-Agent": agent})
    for name, value in (("Purpose", "prefetch"), ("Sec-Purpose", "prefetch;prerender")):
        headers = {"User-Agent": agent, name.lower(): value}
        assert not is_person("GET", headers)


def test_links_in_a_text_are_replaced_and_its_other_words_stay(restaurant):
    with restaurant.scope():
        shortener = _Shortener("https://menu.example.com/l/")
        text = "See https://a.example/x?y=1, or (http://b.example). No: ftp://c.example https://"
        made = shortener.text("con_1", text)
        again = shortener.text("con_1", "https://a.example/x?y=1")
    urls = {one.url: one.code for one in shortener.links.values()}
    assert set(urls) == {"https://a.example/x?y=1", "http://b.example"}
    base = "https://menu.example.com/l/"
    first, second = base + urls["https://a.example/x?y=1"], base + urls["http://b.example"]
    assert made == f"See {first}, or ({second}). No: ftp://c.example https://"
    assert again == first


def stored(business):
    with business.scope():
        query = select(ShortLink).where(ShortLink.tenant_id == business.tenant_id)
        found = list(db.session.scalars(query.order_by(ShortLink.contact_id)))
        for one in found:
            db.session.expunge(one)
        return found


def test_each_recipient_has_an_own_link_and_it_is_erased_with_the_contact(restaurant):
    make_line(restaurant)
    ayse, mehmet = meets(restaurant, "Ayşe", "Mehmet")
    mine = drafts(restaurant, text="Soup: https://soup.example/today", count_clicks=True)
    starts(restaurant, mine)
    steps(restaurant)
    links = stored(restaurant)
    assert {one.contact_id for one in links} == {ayse, mehmet}
    assert {one.url for one in links} == {"https://soup.example/today"}
    codes_sent = {one.text.rpartition("/l/")[2] for one in messages(restaurant)}
    assert codes_sent == {one.code for one in links}
    with restaurant.scope():
        personal_data.erase_remaining(ErasureTarget(ayse, [], [], ""))
    assert [one.contact_id for one in stored(restaurant)] == [mehmet]
    with restaurant.scope():
        gone = next(one.code for one in links if one.contact_id == ayse)
        assert short_links.follow_link(gone, person=True) is None


def test_a_merged_contact_keeps_the_links(restaurant):
    make_line(restaurant)
    kept, gone = meets(restaurant, "Ayşe", "Ayşe K.")
    mine = drafts(restaurant)
    with restaurant.scope():
        link = NewLink(short_links.new_code(), gone, "https://soup.example")
        short_links.store_links(mine, [link])
        merging.merge(kept, gone)
    assert [one.contact_id for one in stored(restaurant)] == [kept]


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "//evil.example", "https://", "data:x", "https://a b", "x"]
)
def test_only_full_web_addresses_become_links(address):
    assert not short_links.is_address(address)
