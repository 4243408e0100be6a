"""Lists and charts on a phone."""

import pytest

from messaging.messages import accept as message_accept
from messaging.messages.accept import MessageDraft
from tenants.plans.catalog import current_tenant_facts
from tests.browser.test_board import opened, picture
from tests.line_factory import make_line
from tests.restaurant.bistro import open_bistro

pytestmark = pytest.mark.browser

OVERLAPS = """(labels) => {
  const seen = labels.filter((one) => getComputedStyle(one).visibility === "visible");
  const boxes = seen.map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return range.getBoundingClientRect();
  });
  return boxes.some((box, at) => at && box.left < boxes[at - 1].right + 2);
}"""


@pytest.fixture
def sender(restaurant):
    line = make_line(restaurant)
    with restaurant.scope():
        for number in range(3):
            draft = MessageDraft(kind="text", phone=f"90532111223{number}", text="Merhaba")
            message_accept.accept_message(draft, line, current_tenant_facts())
    return restaurant


def test_filters_are_folded_on_a_phone_and_open_on_a_desk(chromium, service, sender):
    """Open, the filters of Messages take 280 px of a phone's screen."""
    context, page, watch = opened(chromium, service, sender.owner, 390, 844)
    page.goto("/messages?direction=out&state=delivered")
    assert page.get_by_text("Filters (2)").is_visible()
    assert not page.get_by_label("Direction").is_visible()
    page.goto("/messages")
    picture(page, "messages-390")
    page.locator(".filters-fold summary").click()
    assert page.get_by_label("Direction").is_visible()
    picture(page, "messages-390-open")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/messages")
    assert page.get_by_label("Direction").is_visible()
    assert not page.locator(".filters-fold").is_visible()
    picture(page, "messages-1440")
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        for name in ("messages/new", "home", "audit", "plan"):
            page.goto(f"/{name}")
            picture(page, f"{name.replace('/', '-')}-{width}")
    watch.expect_none()
    context.close()


def test_labels_of_a_chart_do_not_overlap_on_a_phone(chromium, service, sender):
    """Overlapping labels read "Mon 9Tue 10Wed 11"."""
    open_bistro(sender).order()
    context, page, _ = opened(chromium, service, sender.owner, 390, 844)
    page.goto("/reports/orders?period=7")
    labels = page.locator(".plot-labels-each").first
    assert labels.locator("span").count() == 7
    assert not page.evaluate(OVERLAPS, labels.locator("span").element_handles())
    picture(page, "reports-390")
    context.close()
