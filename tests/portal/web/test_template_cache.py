"""Cached template parts are the same as freshly rendered ones."""

import re
from datetime import UTC, datetime

from flask import g, render_template
from flask_babel import force_locale, get_locale
from pytz import timezone

from portal.web.i18n import day_and_time
from portal.web.rendering.template_cache import translate
from tests.factories import Browser
from tests.portal.page_reader import text_of


def areas(answer):
    page = answer.get_data(as_text=True)
    menu = page[page.index('id="menu"') : page.index('class="sidebar-foot"')]
    return re.findall(r'class="nav-item" href="([^"]+)"( aria-current="page")?', menu)


def test_the_areas_are_those_of_the_reader_and_of_the_page(app, restaurant, shop):
    owner = Browser(app.test_client()).signs_in(restaurant.owner)
    waiter = Browser(app.test_client()).signs_in(restaurant.hires("waiter"))
    for _ in range(2):  # rendered, then cached
        assert ("/team", ' aria-current="page"') in areas(owner.get("/team"))
        assert ("/team", "") in areas(owner.get("/home"))
        assert "/team" not in dict(areas(waiter.get("/home")))
    owner.post("/language", locale="tr")
    assert "Ana sayfa" in text_of(owner.get("/home"))
    assert "Ana sayfa" not in text_of(waiter.get("/home"))


def test_sentences_are_the_readers_and_what_is_put_in_them_is_text(app):
    with app.test_request_context("/", headers={"Accept-Language": "en"}):
        assert translate("Sign in") == "Sign in"
        assert translate("Your account: %(name)s", name="<b>") == "Your account: &lt;b&gt;"
        with force_locale("tr"):
            assert translate("Sign in") == "Giriş yap"
        assert translate("Sign in") == "Sign in"


def test_under_a_prefix_addresses_have_it(app):
    for root in ("", "/under"):
        with app.test_request_context("/", base_url=f"http://localhost{root}"):
            page = render_template("errors/error.html", status=404, sentence="", request_id="x")
        assert f'href="{root}/static/theme.css?v=' in page


def test_a_module_names_others_with_the_stamps_they_are_kept_by(client):
    """A browser then loads them only once, and all of them again after a change."""
    script = re.search(r'src="(/static/js/app\.js\?v=\w+)"', client.get("/signin").text)[1]
    named = re.findall(r'"\./([\w.-]+\?v=\w+)"', client.get(script).text)
    assert len(named) > 5
    for address in (script, *(f"/static/js/{name}" for name in named)):
        answer = client.get(address)
        assert answer.mimetype == "text/javascript"
        assert "immutable" in answer.headers["Cache-Control"]
    asked = client.get("/static/js/app.js")
    assert asked.headers["Cache-Control"] == "no-cache"
    again = client.get("/static/js/app.js", headers={"If-None-Match": asked.headers["ETag"]})
    assert again.status_code == 304


def test_bootstrap_is_kept_too(client):
    sheet = re.search(r'href="(/bootstrap/static/css/[^"]+)"', client.get("/signin").text)[1]
    assert "immutable" in client.get(sheet).headers["Cache-Control"]


def test_urls_with_ids_are_those_that_flask_builds(app):
    address = app.jinja_env.globals["url_for"]
    for root in ("", "/under"):
        with app.test_request_context("/", base_url=f"http://localhost{root}"):
            for number in ("MAV-20261116-0001", "0placeholder00", "a b/ç%", "%(order_id)s"):
                usual = app.url_for("orders.order", order_id=number)
                assert address("orders.order", order_id=number) == usual
                usual = app.url_for("orders.order", order_id="x", state=number, page=2)
                assert address("orders.order", order_id="x", state=number, page=2) == usual
                usual = app.url_for("orders.order", order_id=number, state="a", to="0placeholder00")
                found = address("orders.order", order_id=number, state="a", to="0placeholder00")
                assert found == usual
            for line_id in (7, "7"):
                usual = app.url_for("lines.line", line_id=line_id, state="ç &")
                assert address("lines.line", line_id=line_id, state="ç &") == usual
                assert address("lines.line", line_id=line_id) == f"{root}/lines/7"


def test_cached_times_are_those_of_the_readers_time_zone(app):
    moment = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
    seen = []
    for zone in ("Europe/Istanbul", "America/New_York", "Europe/Istanbul"):
        with app.test_request_context("/"):
            get_locale()  # makes the place where the time zone is kept
            g._flask_babel.babel_tzinfo = timezone(zone)
            seen.append(day_and_time(moment))
    assert seen == ["16 November 2026, 12:30", "16 November 2026, 04:30", "16 November 2026, 12:30"]
