"""Automations send buttons, a list or a link below their text."""

from datetime import timedelta

import pytest

from core.clock import advance, frozen
from tests.factories import Browser
from tests.line_factory import make_line
from tests.webhooks.stores.shops import (
    connect_store,
    enable_automations,
    messages,
    run_hooks_and_automations,
    shopify_checkout,
    shopify_order,
)


@pytest.fixture
def owner(app, shop):
    return Browser(app.test_client()).signs_in(shop.owner)


@pytest.fixture
def store(app, shop, client, redis):
    make_line(shop)
    return connect_store(shop, client, "shopify")


def fields(text, **more):
    usual = {"name": "With card", "says": "text", "delay": "0", "unit": "minutes", "act": "save"}
    return {**usual, "text": text, **more}


def test_buttons_are_sent_and_shown_in_the_api(app, owner, client, shop, store):
    (automation_id,) = enable_automations(shop, "order_confirmation")
    path = f"/automations/{automation_id}"
    answer = owner.post(
        path, **fields("{{order.number}}?", kind="buttons", button_1="Evet", button_2="Hayır")
    )
    assert answer.status_code == 302
    assert 'value="Hayır"' in owner.get(path).get_data(as_text=True)
    store.shopify("orders/create", shopify_order())
    run_hooks_and_automations(app)
    (sent,) = messages(shop)
    assert sent.kind == "buttons"
    assert [one["id"] for one in sent.content["interactive"]["buttons"]] == ["Evet", "Hayır"]
    (shown,) = client.get("/api/v1/automations", headers=shop.bearer).json["data"]
    assert shown["card"] == {"kind": "buttons", "buttons": ["Evet", "Hayır"]}
    assert "▸ Evet" in owner.get(path).get_data(as_text=True)


def test_the_address_of_a_link_is_filled_in(app, owner, shop, store):
    (automation_id,) = enable_automations(shop, "abandoned_cart")
    card = {"kind": "link_button", "link_text": "Sepete dön", "link_url": "{{checkout.url}}"}
    saved = owner.post(
        f"/automations/{automation_id}", **{**fields("Sepetiniz bekliyor"), "delay": "5", **card}
    )
    assert saved.status_code == 302
    with frozen():
        store.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(minutes=6))
        run_hooks_and_automations(app)
    (sent,) = messages(shop)
    assert (sent.kind, sent.text) == ("link_button", "Sepetiniz bekliyor")
    assert sent.content["interactive"]["url"] == "https://kumru.example/checkouts/chk-1/recover"


@pytest.mark.parametrize(
    ("card", "fault"),
    [
        ({"kind": "buttons"}, "Enter the text of at least one button."),
        ({"kind": "link_button", "link_text": "x", "link_url": "menu"}, "starts with https://"),
        (
            {"kind": "link_button", "link_text": "x", "link_url": "{{tracking.url}}"},
            "is not available here",
        ),
    ],
)
def test_a_card_that_cannot_be_sent_is_refused(owner, shop, store, card, fault):
    (automation_id,) = enable_automations(shop, "order_confirmation")
    refused = owner.post(f"/automations/{automation_id}", **fields("x", **card))
    assert fault in refused.get_data(as_text=True)
