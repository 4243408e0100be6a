"""The position at which an open page continues with live updates."""

import re

from flask import before_render_template

from core.live_updates import history_cursor, send_updates


def test_what_changes_while_a_page_renders_is_delivered_to_it(app, browser, restaurant):
    """The page's data are read first, so an update in between would otherwise be lost."""
    browser.signs_in(restaurant.owner)
    send_updates(restaurant.tenant_id, [{"kind": "orders.created"}])
    before = history_cursor(restaurant.tenant_id)

    def change(*args, **kwargs):
        send_updates(restaurant.tenant_id, [{"kind": "orders.created"}])

    with before_render_template.connected_to(change, app):
        page = browser.client.get("/orders").get_data(as_text=True)
    assert history_cursor(restaurant.tenant_id) != before
    assert re.search(r'data-after="([^"]*)"', page)[1] == before
