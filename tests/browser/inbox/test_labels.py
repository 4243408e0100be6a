"""Labels of a conversation in a real browser, on a phone and on a wide screen."""

import pytest
from playwright.sync_api import expect

from messaging.inbox.team import labels
from messaging.lines.simulated_line import add_simulated_line
from tests.browser.driver import new_page, save_screenshot, sign_in
from tests.factories import PASSWORD, make_business
from tests.messaging.inbox.inbox_factory import talk_with, writes

pytestmark = pytest.mark.browser


def open_beside_button(page, selector):
    """The menu opens beside its button and not in a corner of the page."""
    button = page.locator(f"[popovertarget={selector.removeprefix('#')}]:visible")
    menu = page.locator(selector)
    button.click()
    expect(menu).to_be_in_viewport(ratio=1)
    page.wait_for_function("one => document.querySelector(one).style.top !== ''", arg=selector)
    place, shown = button.bounding_box(), menu.bounding_box()
    assert abs(shown["y"] - place["y"] - place["height"]) < 20
    assert shown["x"] <= place["x"] + place["width"]
    assert shown["x"] + shown["width"] >= place["x"]
    return menu


@pytest.mark.parametrize(("width", "where"), [(390, ".head-marks"), (1400, ".facts-labels")])
def test_labels_are_changed_from_the_menu(app, chromium, service, settings, width, where):
    business = make_business("Lokanta Mavi")
    with business.scope():
        line = add_simulated_line("Desk", service.url, settings.simulator_secret, test=False)
        for name, colour in (("Complaint", "red"), ("Reservation", "teal")):
            labels.save(name, colour)
    writes(business, line.id, text="Bu akşam yer var mı?")
    talk = talk_with(business)
    context, page, _ = new_page(chromium, service.url)
    page.set_viewport_size({"width": width, "height": 844})
    sign_in(page, business.owner.email, PASSWORD)
    page.goto(f"/inbox/{talk.id}")
    menu = open_beside_button(page, "#snooze")
    save_screenshot(page, f"snooze-menu-{width}")
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    menu = open_beside_button(page, "#labels")
    menu.get_by_label("Reservation").check()
    save_screenshot(page, f"labels-menu-{width}")
    menu.get_by_role("button", name="Save labels").click()
    expect(page.locator(f"{where} .label-chip")).to_have_text(["Reservation"])
    context.close()
    with business.scope():
        assert len(labels.labels_of(talk.id)) == 1
