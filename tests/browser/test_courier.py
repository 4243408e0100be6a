"""The courier's list on a phone, the zone editor, and a diner who shares a location."""

import re

import pytest
from playwright.sync_api import expect

from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.couriers import trips as courier_trips
from restaurant.delivery import zones
from restaurant.orders import queries as order_queries
from restaurant.sites import sites
from tests.browser.driver import (
    READABLE,
    SETTLE,
    SPILLS,
    new_page,
    save_screenshot,
    sign_in,
    unreadable_texts,
)
from tests.factories import PASSWORD
from tests.restaurant.bistro import open_bistro

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def bistro(restaurant):
    made = open_bistro(restaurant)
    made.ids = made.delivers()
    return made


def given(bistro, count, language):
    """Orders assigned to Hakan, one of them on its way, and the URL of his list."""
    with bistro.scope():
        courier = couriers.get(bistro.ids["Hakan Usta"])
        couriers.change(bistro.site(), courier, {"language": language})
    made = []
    for number in range(count):
        order = bistro.delivery(
            phone=f"90532111000{number}",
            latitude=41.03,
            longitude=28.97,
            notes="Zil çalışmıyor, lütfen arayın" if number else "",
            payment_method="cash" if number else "card_at_door",
        )
        bistro.changes_state(order, "ready")
        with bistro.scope():
            courier = couriers.get(bistro.ids["Hakan Usta"])
            courier_dispatch.assign(bistro.site(), order_queries.get(order.number), courier)
        made.append(order)
    with bistro.scope():
        return made, "/courier/" + couriers.link_url(courier)[0].rpartition("/")[2]


@pytest.fixture
def street(chromium, service):
    """A phone without scripts, which the courier's list does not need."""
    opened = []

    def start(scripts, **more):
        context = chromium.new_context(
            base_url=service.url, viewport=PHONE, java_script_enabled=scripts, has_touch=True,
            reduced_motion="reduce", **more,
        )  # fmt: skip
        context.set_default_timeout(20_000)
        opened.append(context)
        return context.new_page()

    yield start
    for context in opened:
        context.close()


def test_a_courier_works_on_a_phone_without_scripts(street, bistro):
    (first, second), link = given(bistro, 2, "en")
    page = street(scripts=False)
    page.goto(link)
    stops = page.locator("article")
    expect(stops).to_have_count(2)
    assert stops.first.get_by_role("link", name="Directions").get_attribute("href") == (
        "https://www.google.com/maps/dir/?api=1&destination=41.03,28.97"
    )
    assert stops.first.get_by_role("link", name="Call").get_attribute("href") == "tel:+905321110000"
    expect(stops.first).to_contain_text("Collect by card")
    expect(stops.last).to_contain_text("Collect in cash")
    for button in page.get_by_role("button", name="Picked up").all():
        assert button.bounding_box()["height"] >= 56
    stops.first.get_by_role("button", name="Picked up").click()
    expect(stops.first).to_contain_text("With you")
    stops.last.locator("summary", has_text="Report a problem").click()
    stops.last.get_by_label("The address cannot be found").check()
    stops.last.get_by_label("Describe the problem briefly").fill("No such house")
    stops.last.get_by_role("button", name="Send to restaurant").click()
    expect(stops.last).to_contain_text("Reported")
    stops.first.get_by_role("button", name="Delivered").click()
    expect(stops).to_have_count(1)
    expect(page.get_by_text("Delivered: 1")).to_be_visible()
    with bistro.scope():
        assert order_queries.get(first.number).state == "delivered"
        assert courier_trips.trip_of(second.id).problem_note == "No such house"


@pytest.mark.parametrize("language", ["tr", "ar"])
def test_the_list_is_readable_in_sun_and_night(street, bistro, language):
    made, link = given(bistro, 3, language)
    with bistro.scope():
        order = order_queries.get(made[0].number)
        courier_dispatch.record_step(bistro.site(), order, "picked_up")
        courier_dispatch.record_step(bistro.site(), order, "problem", kind="no_answer")
        courier_dispatch.record_step(bistro.site(), order_queries.get(made[2].number), "delivered")
    page = street(scripts=True)
    page.goto(link)
    for width in (320, 390, 820):
        page.set_viewport_size({"width": width, "height": 844})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.evaluate(SETTLE)
            assert page.evaluate(SPILLS) == [], (width, theme)
            if width == 390:
                assert unreadable_texts(page, theme, READABLE[theme]) == []
                save_screenshot(page, f"rider-{language}-{theme}")
    page.goto("/courier/nothing")
    expect(page.get_by_role("heading")).to_be_visible()
    save_screenshot(page, "rider-over")


def test_a_zone_is_drawn_with_clicks(chromium, service, restaurant, bistro):
    context, page, watch = new_page(chromium, service.url)
    sign_in(page, restaurant.owner.email, PASSWORD)
    page.goto(f"/restaurants/{bistro.site_id}/delivery/zones/new")
    page.get_by_label("Name", exact=True).fill("Moda")
    page.get_by_text("Drawn shape", exact=True).click()
    box = page.locator("[data-map]").bounding_box()
    for x, y in ((0.4, 0.4), (0.6, 0.4), (0.6, 0.6), (0.45, 0.65), (0.4, 0.9)):
        page.mouse.click(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
    page.get_by_role("button", name="Remove the last corner").click()
    corners = page.get_by_role("textbox", name="Corners")
    assert len(corners.input_value().splitlines()) == 4
    page.get_by_role("textbox", name="Delivery fee").fill("18,50")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Zone “Moda” added.")).to_be_visible()
    with bistro.scope():
        site = bistro.site()
        zone = next(one for one in zones.listed(site.id) if one.name == "Moda")
        home = zones.site_position(site)
        assert zones.find_covering(site, home, [zone]) is zone
    # The circle follows the typed radius.
    page.goto(f"/restaurants/zones/{bistro.ids['Uzak']}")
    page.get_by_role("textbox", name="Radius (km)").fill("3")
    before = float(page.locator(".draft-shape").get_attribute("r"))
    page.get_by_role("textbox", name="Radius (km)").fill("6")
    assert float(page.locator(".draft-shape").get_attribute("r")) == pytest.approx(before * 2)
    watch.expect_none()
    context.close()


def test_a_diner_shares_the_location_and_sees_the_fee(street, service, bistro):
    with bistro.scope():
        sites.change(bistro.site_id, {"order_types": ["delivery", "takeaway"]})
    page = street(
        scripts=True, locale="en-GB", permissions=["geolocation"],
        geolocation={"latitude": 41.03, "longitude": 28.97},
    )  # fmt: skip
    page.goto(f"/r/lemar-{bistro.business.tenant_id}/menu")
    page.get_by_role("button", name="Add Hamburger").click()
    page.get_by_role("dialog").get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Your order").click()
    cart = page.get_by_role("dialog")
    cart.get_by_label("Delivery", exact=True).check()
    expect(cart.get_by_text("depends on address")).to_be_visible()
    expect(cart.get_by_label("At the table")).to_be_hidden()
    cart.get_by_label("Card on delivery").check()
    cart.get_by_role("button", name="Share my location").click()
    expect(cart.get_by_text("Delivery to your location costs ₺30.00.")).to_be_visible()
    expect(cart.get_by_role("button", name="Send order")).to_contain_text("390.00")
    save_screenshot(page, "diner-delivery")
    page.context.set_geolocation({"latitude": 42, "longitude": 28})
    cart.get_by_role("button", name="Share my location").click()
    expect(cart.get_by_text("we do not deliver to this location")).to_be_visible()
    page.context.set_geolocation({"latitude": 41.03, "longitude": 28.97})
    cart.get_by_role("button", name="Share my location").click()
    expect(cart.get_by_role("button", name="Send order")).to_contain_text("390.00")
    cart.get_by_role("button", name="Send order").click()
    text = page.locator("[data-text]")
    expect(text).to_contain_text(re.compile("Total: ₺390.00"))
    order = bistro.orders_by_chat(text.inner_text())
    assert (order.state, order.address["zone_name"]) == ("sent_to_kitchen", "Yakın")
