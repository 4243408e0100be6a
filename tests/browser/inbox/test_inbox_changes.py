"""An open page of the inbox while messages change."""

import time

import pytest

from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineUpdate
from messaging.messages.receive import receive_line_update
from tests.browser.test_board import opened, picture
from tests.messaging.inbox.inbox_factory import add_line, talk_with, writes

pytestmark = pytest.mark.browser


def update(business, line, kind, **detail):
    with business.scope():
        full = {"at": int(time.time()), **detail}
        receive_line_update(line_repository.get(line), LineUpdate(kind, full))


def test_an_open_page_replaces_changed_messages(chromium, service, restaurant):
    line = add_line(restaurant)
    writes(restaurant, line, text="Table for two", wamid="wamid.A")
    writes(restaurant, line, text="wrong chat", wamid="wamid.B", handled_by="meta_agent")
    context, page, watch = opened(chromium, service, restaurant.owner, 1280, 900)
    page.goto(f"/inbox/{talk_with(restaurant).id}")
    page.locator("html[data-inbox=ready]").wait_for()
    update(restaurant, line, "edited", network_id="wamid.A", text="Table for three")
    page.get_by_text("Table for three").wait_for()
    update(restaurant, line, "deleted", network_id="wamid.B")
    page.locator("[data-entries] .message-gone").wait_for()
    assert page.get_by_text("wrong chat").count() == 0
    picture(page, "inbox-changes-1280")
    page.get_by_role("link", name="Take over").click()
    assert page.evaluate("() => document.activeElement.id") == "answer"
    watch.expect_none()
    context.close()
