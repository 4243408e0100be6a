"""Settings of the tenant, and a person's profile, language and theme."""

import pytest

from core.db import global_scope
from tenants import accounts, audit, people
from tests.factories import Browser
from tests.portal.page_reader import title_of

SETTINGS = {
    "name": "Lokanta Deniz",
    "locale": "tr",
    "time_zone": "Europe/Istanbul",
    "country": "TR",
    "currency": "TRY",
}
PROFILE = {"name": "Derya A.", "locale": "en", "time_zone": "Europe/Madrid", "theme": "dark"}


@pytest.fixture
def owners(browser, restaurant):
    return browser.signs_in(restaurant.owner)


def settings_of(business):
    with business.scope():
        own, tenant = accounts.account(), accounts.get(business.tenant_id)
    return {
        "name": tenant.name,
        "locale": own.locale,
        "time_zone": own.time_zone,
        "country": own.country,
        "currency": own.currency,
    }


def person(owner):
    with global_scope():
        return people.get(owner.id)


def test_settings_are_saved_noted_and_seen_by_the_api(owners, restaurant, client):
    assert client.get("/api/v1/me", headers=restaurant.bearer).json["tenant"]["name"] == (
        "Lokanta Mavi"
    )
    assert owners.post("/settings", **SETTINGS).location == "/settings"
    assert settings_of(restaurant) == SETTINGS
    assert "Lokanta Deniz" in owners.get("/settings").get_data(as_text=True)
    me = client.get("/api/v1/me", headers=restaurant.bearer).json
    assert me["tenant"]["name"] == "Lokanta Deniz"
    with restaurant.scope():
        entry = audit.entries(limit=1)[0]
    assert entry.act == "settings.changed"
    assert entry.detail["changes"]["currency"][1] == "TRY"


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "   "},
        {"name": "x" * 121},
        {"locale": "xx"},
        {"time_zone": "Mars/Olympus"},
        {"time_zone": "../../etc/passwd"},
        {"country": "XX"},
        {"currency": "???"},
        {"currency": ""},
    ],
)
def test_a_wrong_setting_changes_none(owners, restaurant, wrong):
    before = settings_of(restaurant)
    answer = owners.post("/settings", **{**SETTINGS, **wrong})
    assert answer.status_code == 200
    assert "field-error" in answer.get_data(as_text=True)
    assert settings_of(restaurant) == before


def test_saving_what_is_there_already_is_not_noted(owners, restaurant):
    owners.post("/settings", **SETTINGS)
    owners.post("/settings", **SETTINGS)
    with restaurant.scope():
        acts = [entry.act for entry in audit.entries(limit=10)]
    assert acts.count("settings.changed") == 1


def test_a_viewer_sees_the_settings_without_a_form(app, restaurant):
    viewer = Browser(app.test_client()).signs_in(restaurant.hires("viewer"))
    page = viewer.get("/settings").get_data(as_text=True)
    assert "Lokanta Mavi" in page
    assert 'name="currency"' not in page
    assert viewer.post("/settings", **SETTINGS).status_code == 403
    assert settings_of(restaurant)["name"] == "Lokanta Mavi"


def test_a_profile_is_saved(owners, restaurant):
    owners.post("/account/profile", **PROFILE)
    me = person(restaurant.owner)
    assert (me.name, me.locale, me.time_zone, me.theme) == (
        "Derya A.",
        "en",
        "Europe/Madrid",
        "dark",
    )
    page = owners.get("/home").get_data(as_text=True)
    assert 'data-bs-theme="dark"' in page


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"name": "\t"}, {"locale": "xx"}, {"theme": "pink"}, {"time_zone": ""}]
)
def test_a_wrong_profile_is_not_saved(owners, restaurant, wrong):
    answer = owners.post("/account/profile", **{**PROFILE, **wrong})
    assert answer.status_code == 200
    assert person(restaurant.owner).theme == "auto"


def test_a_stranger_chooses_a_language_and_keeps_it(app):
    browser = Browser(app.test_client())
    assert title_of(browser.get("/signin")) == "Sign in"
    answer = browser.post("/language", locale="tr", next="/signup")
    assert answer.location == "/signup"
    page = browser.get("/signup")
    assert '<html lang="tr"' in page.get_data(as_text=True)
    assert title_of(page) != "Create account"


@pytest.mark.parametrize(
    ("asked", "got"),
    [("tr", "tr"), ("tr-TR,en;q=0.5", "tr"), ("de", "en"), ("", "en"), ("*", "en")],
)
def test_a_browser_is_answered_in_the_language_it_asks_for(client, asked, got):
    page = client.get("/signin", headers={"Accept-Language": asked}).get_data(as_text=True)
    assert f'<html lang="{got}"' in page


def test_a_chosen_language_follows_the_person(app, owners, restaurant):
    owners.post("/language", locale="tr", next="/home")
    assert person(restaurant.owner).locale == "tr"
    other = Browser(app.test_client()).signs_in(restaurant.owner)
    assert '<html lang="tr"' in other.get("/home").get_data(as_text=True)


@pytest.mark.parametrize("locale", ["xx", "", "../tr", "EN"])
def test_an_unknown_language_changes_nothing(owners, restaurant, locale):
    owners.post("/language", locale=locale)
    assert person(restaurant.owner).locale == "en"


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_a_theme_is_chosen_and_stored(owners, restaurant, theme):
    assert owners.post("/theme", theme=theme, next="/team").location == "/team"
    assert person(restaurant.owner).theme == theme
    page = owners.get("/team").get_data(as_text=True)
    assert f'data-theme="{theme}"' in page
    assert ('data-bs-theme="' in page) is (theme != "auto")


def test_a_stranger_chooses_a_look_too(app):
    browser = Browser(app.test_client())
    browser.post("/theme", theme="dark")
    assert 'data-theme="dark"' in browser.get("/signin").get_data(as_text=True)
    browser.post("/theme", theme='"><script>')
    assert 'data-theme="dark"' in browser.get("/signin").get_data(as_text=True)


def test_times_are_in_the_viewers_zone(owners, restaurant):
    owners.post("/account/profile", **{**PROFILE, "time_zone": "Asia/Kathmandu"})
    assert "+0545" in owners.get("/audit").get_data(as_text=True)
