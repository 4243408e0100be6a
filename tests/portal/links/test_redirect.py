"""Following a short link: to the stored address and nowhere else, counted once per click."""

import base64
import re
import secrets
import time
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select, update

from core.db import db
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns import results
from messaging.campaigns.experiments.link_texts import _Shortener
from messaging.links import codes, short_links
from messaging.links.short_links import NewLink
from messaging.models import ShortLink
from restaurant.models import Cart
from restaurant.sites import sites
from tests.messaging.campaigns.campaign_factory import campaign, drafts, meets, starts, steps
from tests.portal.links.redirect_vectors import EVIL, NEXT_PAGES, NOT_ADDRESSES, VECTORS
from tests.restaurant.bistro import open_bistro

OWN_PAGE = re.compile(r"/(?![/\\\s])[!-~]*")
TARGET = "https://soup.example/today?a=1"
PERSON = {"User-Agent": "Mozilla/5.0 (Linux; Android 15) Chrome/130.0 Mobile Safari/537.36"}
PREVIEW = {"User-Agent": "WhatsApp/2.24.1 A"}


@pytest.fixture
def link(restaurant):
    return new_link(restaurant, TARGET)


def new_link(business, url):
    [contact] = meets(business, "Ayşe")
    mine = drafts(business)
    with business.scope():
        made = NewLink(short_links.new_code(), contact, url)
        short_links.store_links(mine, [made])
    return made.code


def stored(business, code):
    with business.scope():
        row = db.session.get(ShortLink, (business.tenant_id, code))
        db.session.expunge(row)
        return row


def test_it_redirects_and_counts_people_only(app, restaurant, link):
    client = app.test_client()
    answer = client.get(f"/l/{link}", headers=PERSON)
    assert (answer.status_code, answer.headers["Location"]) == (302, TARGET)
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers
    client.get(f"/l/{link}", headers=PREVIEW)
    client.head(f"/l/{link}", headers=PERSON)
    client.get(f"/l/{link}", headers={**PERSON, "Sec-Purpose": "prefetch"})
    assert stored(restaurant, link).clicks == 1
    client.get(f"/l/{link}", headers=PERSON)
    assert stored(restaurant, link).clicks == 2


def test_200_attempts_never_lead_elsewhere(app, link):
    assert len(VECTORS) == 200
    client = app.test_client()
    for suffix, headers in VECTORS:
        answer = client.get(f"/l/{link}{suffix}", headers={**PERSON, **headers})
        where = answer.headers.get("Location", "")
        assert where in ("", TARGET) or urlsplit(where).hostname != EVIL, (suffix, headers)
        if answer.status_code == 302 and "/l/" not in where:
            assert where == TARGET
        assert EVIL not in where
        assert "Set-Cookie" not in answer.headers


def test_no_page_after_sign_in_is_on_another_host(browser, restaurant, link):
    assert len(set(NEXT_PAGES)) >= 200
    browser.signs_in(restaurant.owner)
    for wanted in NEXT_PAGES:
        answer = browser.client.get("/signin", query_string={"next": wanted})
        assert answer.status_code == 302, wanted
        assert OWN_PAGE.fullmatch(answer.location), (wanted, answer.location)
        assert not answer.location.startswith("/l/"), wanted


def test_sign_in_does_not_lead_to_another_host_by_a_short_link(browser, restaurant, link):
    """Anyone with an account can make a short link to any address."""
    browser.signs_in(restaurant.owner)
    for wanted in (f"/l/{link}", f"/l/{link}?a=1", f"/l/{link}#a"):
        answer = browser.client.get("/signin", query_string={"next": wanted})
        assert answer.location == "/home", wanted


def test_only_addresses_that_all_browsers_read_alike_become_links(restaurant):
    assert len(set(NOT_ADDRESSES)) >= 200
    assert [one for one in NOT_ADDRESSES if short_links.is_address(one)] == []
    with restaurant.scope():
        shortener = _Shortener("https://menu.example.com/l/")
        for one in NOT_ADDRESSES:
            shortener.text("con_1", f"Soup {one}")
    for made in shortener.links.values():
        assert short_links.is_address(made.url), made.url


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("https://soup.example/şerbet?ad=çay", "https://soup.example/%C5%9Ferbet?ad=%C3%A7ay"),
        ("https://çorba.example/bugün", "https://xn--orba-zoa.example/bug%C3%BCn"),
        ("https://soup.example/a%20b?x=1%2F2", "https://soup.example/a%20b?x=1%2F2"),
    ],
)
def test_letters_beyond_ascii_are_encoded(app, restaurant, url, where):
    code = new_link(restaurant, url)
    answer = app.test_client().get(f"/l/{code}", headers=PERSON)
    assert (answer.status_code, answer.headers["Location"]) == (302, where)


def test_codes_of_no_tenant_are_not_found(app):
    """Half of all possible codes name a tenant that no database can have."""
    client = app.test_client()
    for _ in range(50):
        code = base64.urlsafe_b64encode(secrets.token_bytes(15)).decode()
        assert client.get(f"/l/{code}", headers=PERSON).status_code == 404, code


@pytest.mark.parametrize("code", ["x", "a" * 20, "../admin", "%2e%2e", "é" * 20, "a" * 5000])
def test_unknown_codes_are_not_found(app, code):
    assert app.test_client().get(f"/l/{code}", headers=PERSON).status_code == 404


def test_on_a_restaurants_host_only_its_own_links_work(app, restaurant, link, shop):
    bistro = open_bistro(shop)
    with shop.scope():
        site = sites.get(bistro.site_id)
        site.host_pending = "menu.other.example"
        sites.confirm_host(site)
    answer = app.test_client().get(f"/l/{link}", headers={**PERSON, "Host": "menu.other.example"})
    assert answer.status_code == 404
    assert stored(restaurant, link).clicks == 0


def test_from_click_to_order_without_a_cookie(app, restaurant):
    bistro = open_bistro(restaurant)
    with restaurant.scope():
        slug = sites.get(bistro.site_id).slug
    meets(restaurant, "Ayşe")
    mine = drafts(restaurant, text=f"Menu: http://localhost/r/{slug}/menu", count_clicks=True)
    starts(restaurant, mine)
    steps(restaurant)
    with restaurant.scope():
        code = db.session.scalars(
            select(ShortLink.code).where(ShortLink.tenant_id == restaurant.tenant_id)
        ).one()
        db.session.execute(
            update(ShortLink)
            .where(ShortLink.tenant_id == restaurant.tenant_id)
            .values(url=short_links.absolute_url(f"/r/{slug}/menu"), menu=True)
        )
    client = app.test_client(use_cookies=False)
    where = client.get(f"/l/{code}", headers=PERSON).headers["Location"]
    token = parse_qs(urlsplit(where).query)["via"][0]
    page = f"/r/{slug}/menu?via={token}"
    assert client.get(page, headers=PREVIEW).status_code == 200
    assert stored(restaurant, code).visited_at is None
    assert client.get(page, headers=PERSON).status_code == 200
    assert stored(restaurant, code).visited_at is not None
    cart = {
        "lines": [{"item": bistro.items["Ayran"], "quantity": 1}],
        "order_type": "dine_in",
        "payment_method": "pos_at_table",
        "table": "12",
        "k": bistro.tokens["12"],
        "via": token,
    }
    answer = client.post(f"/r/{slug}/cart", json=cart)
    assert answer.status_code == 200, answer.text
    assert stored(restaurant, code).cart_at is not None
    bistro.receives(answer.json["text"])
    with restaurant.scope():
        bought = db.session.scalars(
            select(Cart).where(Cart.tenant_id == restaurant.tenant_id, Cart.link_code == code)
        ).one()
        assert bought.order_id
        one = campaign_repository.get(mine, lock=True)
        results.refresh_results(one, deep=True)
    counts = campaign(restaurant, mine).counts
    assert (counts["clicked"], counts["visited"], counts["carts"]) == (1, 1, 1)
    assert counts["link_orders"] == 1
    assert counts["link_spent"] != "0"


@pytest.mark.parametrize("token", ["", "x", "x" * 500, "é", "WyJhIl0.bad"])
def test_a_menu_opens_with_any_token(app, restaurant, token):
    bistro = open_bistro(restaurant)
    with restaurant.scope():
        slug = sites.get(bistro.site_id).slug
    answer = app.test_client().get(f"/r/{slug}/menu", query_string={"via": token}, headers=PERSON)
    assert answer.status_code == 200


def test_a_token_of_another_tenant_is_ignored(restaurant, shop, link):
    with restaurant.scope():
        where = short_links.with_token("https://x.example/", link)
        token = parse_qs(urlsplit(where).query)["via"][0]
        assert short_links.read_via(token) == link
    with shop.scope():
        assert short_links.read_via(token) == ""
    assert codes.tenant_of(link) == restaurant.tenant_id


def test_redirects_are_fast(app, link):
    """Only guards against a scan; docs/operations has the figures of a real server."""
    client = app.test_client(use_cookies=False)
    client.get(f"/l/{link}", headers=PERSON)
    times = []
    for _ in range(50):
        begins = time.perf_counter()
        client.get(f"/l/{link}", headers=PERSON)
        times.append(time.perf_counter() - begins)
    assert sorted(times)[25] < 0.1
