"""Rules for every page: CSRF tokens on forms, request ids on errors, security headers."""

import re

import pytest
from sqlalchemy.exc import OperationalError

from tenants import accounts
from tests.factories import Browser, unique_email
from tests.portal.page_reader import faults, text_of

SETTINGS = {
    "name": "Changed",
    "locale": "en",
    "time_zone": "UTC",
    "country": "",
    "currency": "USD",
}


def name_of(business):
    with business.scope():
        return accounts.get(business.tenant_id).name


def other_token(app):
    stranger = Browser(app.test_client())
    stranger.get("/signin")
    return stranger.token


@pytest.fixture
def rebuilt(settings, app):
    """An app with other settings; process-wide objects are restored afterwards."""
    from wsgi import build_app

    yield lambda **other: build_app(settings.model_copy(update=other))
    build_app(settings)


@pytest.mark.parametrize("token", ["", "wrong", "of another browser", "cut short", None])
def test_a_form_without_its_token_changes_nothing(app, browser, restaurant, token):
    browser.signs_in(restaurant.owner)
    good = browser.token
    sent = {"of another browser": other_token(app), "cut short": good[:-3]}.get(token, token)
    data = dict(SETTINGS) if token is None else {**SETTINGS, "csrf_token": sent}
    answer = browser.client.post("/settings", data=data)
    assert answer.status_code == 302
    assert name_of(restaurant) == "Lokanta Mavi"
    page = browser.client.get(answer.location)
    assert "This page was open for too long. Nothing was changed. Try again." in page.get_data(
        as_text=True
    )


MACHINES = (
    *("/api/", "/hooks/", "/print/", "/r/", "/courier/", "/pay/", "/tab/", "/mcp"),
    *("/oauth/register", "/oauth/token", "/oauth/revoke"),  # no cookie is read there
)


def test_every_form_of_the_portal_asks_for_the_token(app, restaurant, ids, superuser_connection):
    """Every route that accepts POST, except machine endpoints."""
    person = restaurant.hires("owner")
    client = Browser(app.test_client()).signs_in(person).client
    walked = 0
    for rule in app.url_map.iter_rules():
        if "POST" not in rule.methods or rule.rule.startswith(MACHINES):
            continue
        path = rule.build({name: ids[name] for name in rule.arguments}, append_unknown=False)[1]
        answer = client.post(path, data={"role": "viewer", "overlap": "now", **SETTINGS})
        assert answer.status_code == 302, path
        with client.session_transaction() as kept:
            assert "open for too long" in str(kept.pop("_flashes")), path
        walked += 1
    assert walked >= 33
    assert name_of(restaurant) == "Lokanta Mavi"
    assert client.get("/account").status_code == 200, "still signed in"


def test_after_a_refused_form_one_is_back_where_it_was(browser, restaurant):
    browser.signs_in(restaurant.owner)
    for came_from, back in (
        ("http://localhost/settings", "/settings"),
        ("http://localhost/audit?area=keys", "/audit?area=keys"),
        ("http://localhost.evil.example/settings", "/home"),
        ("http://evil.example/settings", "/home"),
        ("http://localhost@evil.example/", "/home"),
        ("http://localhost//evil.example", "/home"),
        ("http://localhost/account/password", "/home"),
        ("", "/home"),
    ):
        answer = browser.client.post("/settings", data={}, headers={"Referer": came_from})
        assert answer.location == back, came_from


@pytest.mark.parametrize(
    ("path", "status"),
    [("/nothing", 404), ("/team/nobody", 404), ("/signout", 405), ("/operator/", 404)],
)
def test_an_error_page_shows_what_to_do_and_carries_the_id(browser, restaurant, path, status):
    browser.signs_in(restaurant.owner)
    answer = browser.get(path)
    assert answer.status_code == status
    request_id = answer.headers["X-Request-Id"]
    assert re.fullmatch(r"req_[0-9A-Z]{26}", request_id)
    assert request_id in text_of(answer)
    assert "Go to Home" in text_of(answer)
    assert "Traceback" not in text_of(answer)


def test_a_crash_shows_the_id_and_nothing_else(app, browser, restaurant, monkeypatch):
    browser.signs_in(restaurant.owner)

    def crash(*_):
        raise RuntimeError("the secret plans are in the safe")

    monkeypatch.setattr("portal.home.views.attention_items", crash)
    monkeypatch.setitem(app.config, "PROPAGATE_EXCEPTIONS", False)
    answer = browser.get("/home")
    assert answer.status_code == 500
    assert answer.headers["X-Request-Id"] in text_of(answer)
    assert "secret plans" not in answer.get_data(as_text=True)


def test_while_the_database_is_down_a_page_shows_an_error(app, browser, restaurant, monkeypatch):
    browser.signs_in(restaurant.owner)

    def away(token):
        raise OperationalError("SELECT", {}, Exception("connection refused"))

    monkeypatch.setattr("portal.web.auth.signin.load_session", away)
    answer = browser.get("/home")
    assert answer.status_code == 503
    assert "Temporarily unavailable" in text_of(answer)
    assert answer.headers["X-Request-Id"] in text_of(answer)
    monkeypatch.undo()
    assert browser.get("/home").status_code == 200, "still signed in afterwards"


def test_a_body_too_large_is_refused_with_a_page(browser, restaurant):
    browser.signs_in(restaurant.owner)
    data = {**SETTINGS, "csrf_token": browser.token, "name": "x" * (2 * 1024 * 1024)}
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        answer = browser.client.post("/settings", data=data, content_type=kind)
        assert answer.status_code == 413, kind
        assert answer.headers["X-Request-Id"] in text_of(answer)
    assert name_of(restaurant) == "Lokanta Mavi"


def policy_of(answer):
    parts = answer.headers["Content-Security-Policy"].split("; ")
    return {part.partition(" ")[0]: part.partition(" ")[2] for part in parts}


def pages(browser):
    paths = ("/signin", "/home", "/team", "/integrations", "/reference", "/nothing", "/mailbox")
    return [browser.get(path) for path in paths]


def test_the_policy_lets_only_our_own_things_run(browser, restaurant):
    browser.signs_in(restaurant.owner)
    for answer in pages(browser):
        policy = policy_of(answer)
        header = answer.headers["Content-Security-Policy"]
        assert "unsafe" not in header
        assert "*" not in header
        assert "http" not in header
        assert policy["default-src"] == "'self'"
        assert policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
        assert policy["form-action"] == "'self'"
        nonce = re.fullmatch(r"'self' 'nonce-([\w-]{20,})'", policy["script-src"])[1]
        page = answer.get_data(as_text=True)
        if answer.status_code == 200 and answer.location is None:
            assert f'nonce="{nonce}"' in page
        assert not faults(page, nonce)


def test_the_nonce_is_new_for_every_answer(browser, restaurant):
    browser.signs_in(restaurant.owner)
    nonces = [policy_of(browser.get("/home"))["script-src"] for _ in range(5)]
    assert len(set(nonces)) == 5


def test_other_headers_of_a_page(browser, restaurant, client):
    browser.signs_in(restaurant.owner)
    for answer in [*pages(browser), client.get("/static/favicon.svg"), client.get("/api/v1/me")]:
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    for answer in pages(browser):
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "camera=()" in answer.headers["Permissions-Policy"]
        assert "Strict-Transport-Security" not in answer.headers
        if answer.mimetype == "text/html":
            assert answer.headers["Cache-Control"] == "no-store"


def test_the_cookie_is_kept_from_scripts_and_other_sites(browser, restaurant):
    answer = browser.get("/signin")
    cookies = answer.headers.getlist("Set-Cookie")
    cookies += (
        browser.signs_in(restaurant.owner)
        .post("/theme", theme="dark")
        .headers.getlist("Set-Cookie")
    )
    assert len(cookies) >= 2
    for cookie in cookies:
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert "Secure" not in cookie
        assert "Domain=" not in cookie


def test_over_https_the_cookie_is_secure_and_hsts_is_sent(rebuilt):
    app = rebuilt(base_url="https://comanda.example")
    answer = app.test_client().get("/signin", base_url="https://comanda.example")
    assert "Secure" in answer.headers["Set-Cookie"]
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=")


def test_over_https_a_form_must_come_from_our_own_pages(rebuilt, restaurant):
    app = rebuilt(base_url="https://comanda.example")
    client = app.test_client()
    page = client.get("/signin", base_url="https://comanda.example").get_data(as_text=True)
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)[1]
    data = {"csrf_token": token, "locale": "tr", "next": "/signup"}

    def send(referrer):
        return client.post(
            "/language",
            data=data,
            base_url="https://comanda.example",
            headers={"Referer": referrer},
        ).location

    assert send("https://evil.example/") == "/home"
    assert send("https://comanda.example/signin") == "/signup"


def test_the_mailbox_is_there_in_development_alone(rebuilt, client):
    assert client.get("/mailbox").status_code == 200
    app = rebuilt(mail_url="smtp://localhost:25")
    other = app.test_client()
    assert other.get("/mailbox").status_code == 404
    assert other.get("/mailbox/mail_00000000000000000000000000").status_code == 404
    assert "mailbox" not in other.get("/signin").get_data(as_text=True).lower()
    page = Browser(other).post("/reset", email=unique_email())
    assert page.status_code == 200
    assert "/mailbox" not in page.get_data(as_text=True)


def test_an_email_that_is_not_there_is_404(client):
    assert client.get("/mailbox/mail_00000000000000000000000000").status_code == 404
    assert client.get("/mailbox/nonsense").status_code == 404
    assert client.get("/mailbox?after=nonsense").status_code == 404


def test_a_page_that_is_not_there_keeps_the_menu_of_those_signed_in(browser, restaurant):
    assert "Contacts" not in browser.get("/nothing").get_data(as_text=True)
    page = browser.signs_in(restaurant.owner).get("/nothing")
    assert page.status_code == 404
    assert 'href="/contacts"' in page.get_data(as_text=True)
