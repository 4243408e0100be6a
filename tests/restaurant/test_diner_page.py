"""The diner's page over HTTP: public, small, and strict about its input."""

import json
import re
from datetime import timedelta
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from core.clock import frozen, now
from core.db import current_tenant_id, db
from core.errors import DomainError
from messaging.models import Line
from portal.diner.menu_cache import menu_cache
from restaurant.menus import availability
from restaurant.orders import waiter_calls
from restaurant.sites import sites
from tests.restaurant.bistro import open_bistro

ORDERED = {"dine_in", "takeaway"}


@pytest.fixture
def bistro(restaurant):
    menu_cache.forget()
    return open_bistro(restaurant)


@pytest.fixture
def path(bistro):
    return f"/r/lemar-{bistro.business.tenant_id}"


def cart(bistro, **more):
    line = {"item": bistro.items["Ayran"], "quantity": 2}
    return {"lines": [line], "table": "12", "k": bistro.tokens["12"], "language": "tr", **more}


def test_the_menu_reads_without_scripts(client, bistro, path):
    page = client.get(f"{path}/menu?table=12", headers={"Accept-Language": "tr"})
    assert page.status_code == 200
    for words in ("Lemar Bistro", "Hamburger", "₺360,00", "Yiyecekler", "İçecekler"):
        assert words in page.text
    assert 'lang="tr" dir="ltr"' in page.text
    assert "<noscript>" in page.text


def test_the_phones_language_chooses_and_the_address_overrules(client, path):
    english = client.get(f"{path}/menu", headers={"Accept-Language": "en-GB,en;q=0.9"})
    assert ">Food<" in english.text
    turkish = client.get(f"{path}/menu?lang=tr", headers={"Accept-Language": "en"})
    assert ">Yiyecekler<" in turkish.text


def test_the_page_is_small_and_asks_nobody_else(client, bistro, path):
    page = client.get(f"{path}/menu?table=12")
    weight = len(page.data)
    for name in (
        "menu.css",
        "menu.js",
        "page.js",
        "cart.js",
        "dish.js",
        "checkout.js",
        "coupon.js",
    ):
        weight += len(client.get(f"/static/diner/{name}").data)
    assert weight < 100_000
    assert "https://" not in page.text.replace("https://wa.me", "")
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy


def test_it_is_kept_by_the_phone_until_it_changes(client, bistro, path):
    first = client.get(f"{path}/menu")
    same = client.get(f"{path}/menu", headers={"If-None-Match": first.headers["ETag"]})
    assert same.status_code == 304
    with bistro.scope():
        availability.mark_sold_out(bistro.site(), bistro.items["Ayran"], None)
    menu_cache.forget()
    other = client.get(f"{path}/menu", headers={"If-None-Match": first.headers["ETag"]})
    assert other.status_code == 200
    assert "Sold out" in other.text or "Tükendi" in other.text


def test_a_cart_is_answered_with_the_text_to_send(client, bistro, path):
    answer = client.post(f"{path}/cart", json=cart(bistro))
    assert answer.status_code == 200
    body = answer.get_json()
    assert "2 × Ayran" in body["text"]
    assert body["code"] in body["text"]
    assert body["total"] == "90.000" or body["total"] == "90.00"
    assert body["qr"].startswith("<svg")
    order = bistro.orders_by_chat(body["text"])
    assert (order.state, order.table_number) == ("sent_to_kitchen", "12")


def test_the_link_of_a_real_line_opens_the_messaging_app(client, bistro, path):
    with bistro.scope():
        db.session.get(Line, (bistro.business.tenant_id, bistro.line.id)).network = "whatsapp"
    body = client.post(f"{path}/cart", json=cart(bistro)).get_json()
    assert body["link"].startswith("https://wa.me/905550000000?text=")
    assert "Ayran" in body["link"]


@pytest.mark.parametrize(
    "spoil",
    [
        {"lines": []},
        {"lines": [{"item": "itm_1", "quantity": 1}]},
        {"lines": "x"},
        {"table": "999", "k": ""},
        {"order_type": "flight"},
        {"payment_method": "card_link"},
        {"lines": [{"item": "itm_1", "quantity": 10**9}]},
    ],
)
def test_a_bad_cart_is_refused_with_a_sentence(client, bistro, path, spoil):
    answer = client.post(f"{path}/cart", json=cart(bistro, **spoil))
    assert answer.status_code in (409, 422)
    assert answer.get_json()["message"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b'{"lines": [null]}'])
def test_nonsense_is_refused(client, path, body):
    answer = client.post(f"{path}/cart", data=body, content_type="application/json")
    assert answer.status_code == 422


def test_too_much_is_refused(client, path):
    answer = client.post(f"{path}/cart", data=b"x" * 70_000, content_type="application/json")
    assert answer.status_code == 413


def test_what_is_sold_out_is_named_by_its_id(client, bistro, path):
    with bistro.scope():
        availability.mark_sold_out(bistro.site(), bistro.items["Ayran"], None)
    answer = client.post(f"{path}/cart", json=cart(bistro))
    assert answer.status_code == 422
    assert answer.get_json()["thing"] == bistro.items["Ayran"]


def test_a_guest_calls_the_waiter(client, bistro, path):
    asked = {"table": "12", "k": bistro.tokens["12"], "kind": "waiter"}
    assert client.post(f"{path}/call", json=asked).status_code == 200
    assert client.post(f"{path}/call", json={**asked, "k": "wrong"}).status_code == 422
    assert client.post(f"{path}/call", json={**asked, "kind": "police"}).status_code == 422


def test_unknown_places_and_tables_are_friendly(client, path):
    nowhere = client.get("/r/nowhere/menu", headers={"Accept-Language": "tr"})
    assert nowhere.status_code == 404
    assert "Menü bulunamadı" in nowhere.text
    assert client.get("/menu?table=12").status_code == 404
    table = client.get(f"{path}/menu?table=999")
    assert table.status_code == 200
    marks = table.text.split('name="menu-table" content="')[1].split('"')[0]
    assert json.loads(marks.replace("&#34;", '"'))["unknown"] is True


def test_a_place_with_its_own_host(client, bistro):
    with bistro.scope():
        sites.change(bistro.site_id, {"host": "menu.lemar.example"})
    menu_cache.forget()
    asked = client.get("/menu?table=12", headers={"Host": "menu.lemar.example"})
    assert asked.status_code == 404, "not before the operator has confirmed it"
    command = ["hosts", "confirm", "Menu.Lemar.example", "--tenant", bistro.business.tenant_id]
    result = client.application.test_cli_runner().invoke(args=[str(word) for word in command])
    assert result.exit_code == 0, result.output
    menu_cache.forget()
    page = client.get("/menu?table=12", headers={"Host": "menu.lemar.example"})
    assert page.status_code == 200
    assert "Lemar Bistro" in page.text


def test_our_own_host_name_or_that_of_another_tenant_is_refused(app, bistro, shop):
    """Regression: the first restaurant to claim a host name got it without a check."""
    other = open_bistro(shop)
    with other.scope():
        sites.change(other.site_id, {"host": "menu.neighbour.example"})
        sites.confirm_host(sites.get(other.site_id))
    ours = urlsplit(app.extensions["comanda"].base_url).hostname
    for host in ("menu.neighbour.example", f"x.{ours}"):
        with bistro.scope(), pytest.raises(DomainError):
            sites.change(bistro.site_id, {"host": host})
    with bistro.scope():
        sites.change(bistro.site_id, {"host": f"www.{ours}.example"})
        assert sites.get(bistro.site_id).host == ""
        sites.change(bistro.site_id, {"host": ""})
        assert sites.get(bistro.site_id).host_pending == ""


def test_a_paused_place_shows_its_menu_and_takes_no_cart(client, bistro, path):
    with bistro.scope():
        sites.pause(bistro.site_id, now() + timedelta(hours=1))
    menu_cache.forget()
    assert " data-add " not in client.get(f"{path}/menu").text
    assert client.post(f"{path}/cart", json=cart(bistro)).status_code == 409


def test_the_dish_that_is_gone_is_named(client, bistro, path):
    with bistro.scope():
        availability.mark_sold_out(bistro.site(), bistro.items["Ayran"], None)
    answer = client.post(f"{path}/cart", json=cart(bistro))
    assert "Ayran artık yok" in answer.json["message"]


def test_people_at_home_are_not_told_to_ask_the_staff(client, bistro, path):
    with bistro.scope():
        sites.pause(bistro.site_id, now() + timedelta(hours=1))
    menu_cache.forget()
    seated = client.post(f"{path}/cart", json=cart(bistro)).json
    at_home = client.post(
        f"{path}/cart", json=cart(bistro, order_type="takeaway", payment_method="cash")
    ).json
    assert (seated["code"], at_home["code"]) == ("paused", "paused")
    assert "personelimize" in seated["message"]
    assert "personelimize" not in at_home["message"]


def test_a_guest_who_calls_is_promised_somebody_once_the_call_was_seen(client, bistro, path):
    asked = {"kind": "waiter", "table": "12", "k": bistro.tokens["12"]}
    made = client.post(f"{path}/call?lang=en", json=asked).json
    assert (made["message"], made["answered"]) == ("We have received your call.", False)
    status = f"{path}/calls/{made['call']}?lang=en"
    assert client.get(status).json == made
    with bistro.scope():
        waiter_calls.mark_answered(bistro.site_id, made["call"])
    after = client.get(status).json
    assert (after["message"], after["answered"]) == ("We are on our way to your table.", True)


def test_the_state_of_a_call_is_told_for_its_own_restaurant_only(client, bistro, path, shop):
    asked = {"kind": "bill", "table": "12", "k": bistro.tokens["12"]}
    made = client.post(f"{path}/call", json=asked).json
    open_bistro(shop)
    assert client.get(f"/r/lemar-{shop.tenant_id}/calls/{made['call']}").status_code == 404
    for unknown in ("cal_00000000000000000000000000", "nonsense", "%00"):
        assert client.get(f"{path}/calls/{unknown}").status_code == 404


def test_a_dish_whose_options_have_changed_is_named(client, bistro, path):
    pizza = bistro.items["Pizza"]
    lines = [{"item": pizza, "quantity": 1, "options": []}]
    answer = client.post(f"{path}/cart?lang=en", json=cart(bistro, lines=lines))
    assert answer.json["thing"] == pizza
    assert "options for Pizza have changed" in answer.json["message"]


def test_a_guest_of_a_restaurant_in_test_mode_is_informed(client, bistro, path):
    """Regression: the link led to the staff's sign-in page."""
    with bistro.business.scope():
        for line in db.session.scalars(select(Line).where(Line.tenant_id == current_tenant_id())):
            line.network = "simulator"
    body = client.post(f"{path}/cart", json=cart(bistro)).get_json()
    link = urlsplit(body["link"])
    page = client.get(f"{link.path}?{link.query}", headers={"Accept-Language": "tr"})
    assert page.status_code == 200
    assert "Bu restoran test modunda" in page.text


def test_staff_who_order_in_test_mode_come_to_the_simulated_phone(browser, bistro):
    browser.signs_in(bistro.business.owner)
    onward = browser.get("/phones/order/7?text=Ayran")
    assert onward.location == "/phones/write/7?text=Ayran"


def test_the_page_shows_the_hours_and_that_it_is_closed_today(client, bistro, path):
    day = {"starts_on": "2026-11-17", "ends_on": "2026-11-25", "name": "Inventory"}
    week = {str(number): [["11:00", "23:00"]] for number in range(5)}
    with bistro.scope():
        sites.change(bistro.site_id, {"hours": week, "special_days": [day]})
    with frozen("2026-11-16T09:00:00Z"):  # Monday noon in Istanbul
        menu_cache.forget()
        open_ = client.get(f"{path}/menu?lang=en").text
    assert "closed today (Inventory)" not in open_
    for words in ("Opening hours", "Monday – Friday", "Saturday – Sunday", "Inventory"):
        assert words in open_
    with frozen("2026-11-17T09:00:00Z"):
        menu_cache.forget()
        closed = client.get(f"{path}/menu?lang=en").text
        menu_cache.forget()
        refused = client.post(f"{path}/cart", json=cart(bistro))
    assert "We are closed today (Inventory)." in closed
    assert "We open Thu, Nov 26 at 11:00" in closed
    assert refused.status_code == 409
    with frozen("2026-11-26T21:00:00Z"):
        menu_cache.forget()
        over = client.get(f"{path}/menu?lang=en").text
    assert "Inventory" not in over


def test_the_day_of_the_next_opening_is_not_a_remembered_one(client, bistro, path):
    """Regression: the cached page of an earlier evening was served again."""
    week = {str(number): [["11:00", "23:00"]] for number in range(7)}
    with bistro.scope():
        sites.change(bistro.site_id, {"hours": week})
    for night, day in (("2026-11-16", "Tuesday"), ("2026-11-17", "Wednesday")):
        with frozen(f"{night}T20:30:00Z"):
            menu_cache.forget()
            assert f"We open {day}" in client.get(f"{path}/menu?lang=en").text


@pytest.mark.parametrize(
    ("kinds", "charged"),
    [([], {"dine_in"}), (["takeaway"], {"takeaway"}), (["dine_in", "takeaway"], ORDERED)],
)
def test_service_is_charged_only_for_the_chosen_kinds_of_order(bistro, kinds, charged):
    """Pages review 23: it was added to takeaway and delivery too."""
    with bistro.scope():
        changes = {"country": "DE", "service_percent": Decimal(10)} | (
            {"service_order_types": kinds} if kinds else {}
        )
        sites.change(bistro.site_id, changes)
    with_service = set()
    for kind, table, payment in (("dine_in", "12", "pos_at_table"), ("takeaway", "", "cash")):
        made = bistro.cart(order_type=kind, table=table, payment_method=payment)
        service = Decimal(made.sums["service"])
        assert service in (0, Decimal(made.sums["subtotal"]) / 10)
        if service:
            with_service.add(kind)
            assert "10%" in made.text.replace("%10", "10%")
    assert with_service == charged


def test_a_shared_link_of_a_menu_has_a_preview(client, path):
    """Pages review 45."""
    page = client.get(f"{path}/menu", headers={"Accept-Language": "en"}).text
    assert "noindex" not in page
    tags = dict(re.findall(r'<meta property="(og:\w+)" content="([^"]+)"', page))
    assert "Lemar Bistro" in tags["og:title"]
    assert "Food" in tags["og:description"]
    assert urlsplit(tags["og:url"]).path.startswith(path)
