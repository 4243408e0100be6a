"""Orders and parcels of three kinds of shop end in the right message to the right number."""

import pytest

from api.hooks.stores import connection_addresses
from core.clock import advance, frozen
from core.values.reasons import encode_reason
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from tests.line_factory import make_line
from tests.webhooks.stores.shops import (
    base64_hmac,
    connect_store,
    enable_automations,
    hooks_of,
    messages,
    run_hooks_and_automations,
    run_states,
    runs,
    sent_texts,
    shopify_order,
    woo_order,
)
from webhooks.inbound.reasons import HOOK_REASONS

AYSE = "905321112233"
ORDERS = ("order_confirmation", "shipping_link", "order_cancelled")


@pytest.fixture
def shopify(app, shop, client, redis):
    make_line(shop)
    enable_automations(shop, *ORDERS)
    return connect_store(shop, client, "shopify")


@pytest.fixture
def woo(app, shop, client, redis):
    make_line(shop)
    enable_automations(shop, *ORDERS)
    return connect_store(shop, client, "woocommerce")


def test_a_shopify_order_is_confirmed_to_its_national_number(app, shop, shopify):
    answer = shopify.shopify("orders/create", shopify_order())
    assert (answer.status_code, answer.json) == (200, {"status": "ok"})
    run_hooks_and_automations(app)
    ((phone, text),) = sent_texts(shop)
    assert phone == AYSE
    assert "Ayşe" in text
    assert "#1001" in text
    assert "2 × El yapımı kupa" in text
    assert "349.90" in text
    assert "Kumru Atölye" in text
    (run,) = runs(shop)
    assert (run.state, run.phone, run.cause) == ("sent", AYSE, "order:820982911946154508")
    assert run.message_id == messages(shop)[0].id


def test_the_same_post_sent_twice_sends_once(app, shop, shopify):
    for _ in range(3):
        assert shopify.shopify("orders/create", shopify_order(), "wh-same").status_code == 200
        run_hooks_and_automations(app)
    assert len(sent_texts(shop)) == 1
    assert len(hooks_of(shop)) == 1


def test_the_same_order_reported_by_two_posts_sends_once(app, shop, shopify):
    shopify.shopify("orders/create", shopify_order())
    shopify.shopify("orders/create", shopify_order(note="Ring the bell"))
    run_hooks_and_automations(app)
    assert len(hooks_of(shop)) == 2
    assert len(sent_texts(shop)) == 1
    assert len(runs(shop)) == 1


def test_a_parcel_takes_phone_and_name_from_its_order(app, shop, shopify):
    shopify.shopify("orders/create", shopify_order())
    run_hooks_and_automations(app)
    parcel = {
        "id": 4001,
        "order_id": 820982911946154508,
        "name": "#1001.1",
        "tracking_company": "Yurtiçi Kargo",
        "tracking_number": "YK123",
        "tracking_url": "https://kargo.example/YK123",
        "destination": None,
    }
    shopify.shopify("fulfillments/create", parcel)
    run_hooks_and_automations(app)
    phone, text = sent_texts(shop)[1]
    assert phone == AYSE
    assert "Ayşe" in text
    assert "#1001" in text
    assert "#1001.1" not in text
    assert "YK123" in text
    assert "https://kargo.example/YK123" in text


def test_a_parcel_without_tracking_is_reported_when_it_has_one(app, shop, shopify):
    shopify.shopify("orders/create", shopify_order())
    parcel = {"id": 4001, "order_id": 820982911946154508, "name": "#1001.1"}
    shopify.shopify("fulfillments/create", parcel)
    run_hooks_and_automations(app)
    assert ("skipped", "There is no tracking number yet.") in run_states(shop)
    shopify.shopify("fulfillments/update", {**parcel, "tracking_number": "YK9"})
    run_hooks_and_automations(app)
    assert [text for _, text in sent_texts(shop) if "YK9" in text]
    assert len(runs(shop)) == 2


def test_a_cancelled_order_is_reported(app, shop, shopify):
    shopify.shopify("orders/cancelled", shopify_order(cancel_reason="customer"))
    run_hooks_and_automations(app)
    ((phone, text),) = sent_texts(shop)
    assert phone == AYSE
    assert "cancelled" in text


def test_a_confirmation_that_waits_is_overtaken_by_the_cancellation(app, shop, client, redis):
    make_line(shop)
    shopify = connect_store(shop, client, "shopify")
    (automation,) = enable_automations(shop, "order_confirmation")
    with shop.scope():
        automation_definitions.get(automation).delay_minutes = 30
    with frozen():
        shopify.shopify("orders/create", shopify_order())
        run_hooks_and_automations(app)
        shopify.shopify("orders/cancelled", shopify_order())
        run_hooks_and_automations(app)
        advance(3600)
        run_hooks_and_automations(app)
    assert run_states(shop) == [
        ("cancelled", ("The order was cancelled before the message was sent."))
    ]
    assert not sent_texts(shop)


def test_no_usable_phone_is_shown_with_what_was_tried(app, shop, shopify):
    order = shopify_order(
        shipping_address={"phone": "555-555-SHIP", "country_code": "US"}, billing_address=None
    )
    shopify.shopify("orders/create", order)
    run_hooks_and_automations(app)
    assert not sent_texts(shop)
    assert run_states(shop) == [("skipped", "No usable phone number · “555-555-SHIP” (US)")]


@pytest.mark.parametrize(
    ("country", "written", "digits"),
    [
        ("TR", "0532 111 22 33", "905321112233"),
        ("TR", "532 111 22 33", "905321112233"),
        ("DE", "+90 532 111 22 33", "905321112233"),
        ("ES", "611 11 01 06", "34611110106"),
        ("GB", "07400 123456", "447400123456"),
        ("US", "0090 532 111 22 33", "905321112233"),
    ],
)
def test_a_number_is_read_with_the_country_of_its_address(
    app, shop, shopify, country, written, digits
):
    address = {"phone": written, "country_code": country}
    shopify.shopify("orders/create", shopify_order(shipping_address=address))
    run_hooks_and_automations(app)
    assert [phone for phone, _ in sent_texts(shop)] == [digits]


def test_a_wrong_signature_is_refused_counted_and_not_kept(app, shop, shopify):
    shopify.secret = "another secret"
    answer = shopify.shopify("orders/create", shopify_order())
    assert (answer.status_code, answer.json["code"]) == (401, "invalid_signature")
    assert "WWW-Authenticate" not in answer.headers
    run_hooks_and_automations(app)
    assert not hooks_of(shop)
    with shop.scope():
        assert store_connections.get(shopify.connection.id).refused == 1


def test_without_its_secret_nothing_is_taken(app, shop, client):
    with shop.scope():
        made = store_connections.add("shopify", "New")
    body = b"{}"
    answer = client.post(
        f"/hooks/shopify/{made.token}",
        data=body,
        headers={"X-Shopify-Hmac-Sha256": base64_hmac("", body)},
    )
    assert (answer.status_code, answer.json["code"]) == (401, "no_secret")


def test_another_kinds_address_is_not_there(client, shopify):
    for path in (
        f"/hooks/store/{shopify.connection.token}",
        "/hooks/shopify/nobodys-token-at-all",
        "/hooks/magento/x",
        f"/hooks/cloud/{shopify.connection.token}",
    ):
        assert client.post(path, data=b"{}").status_code == 404


def test_a_topic_that_is_not_ours_is_taken_and_left(app, shop, shopify):
    shopify.shopify("products/update", {"id": 1})
    run_hooks_and_automations(app)
    (hook,) = hooks_of(shop)
    assert (hook.state, hook.error) == ("done", 'topic_ignored {"topic": "products/update"}')
    assert not runs(shop)


def test_a_woocommerce_order_is_confirmed(app, shop, woo):
    assert woo.woocommerce("order.created", woo_order()).status_code == 200
    run_hooks_and_automations(app)
    ((phone, text),) = sent_texts(shop)
    assert phone == "34611110106"
    assert "Marta" in text
    assert "727" in text
    assert "€29.35" in text


def test_a_repeat_of_woocommerce_is_recognized_by_topic_id_and_time(app, shop, woo):
    woo.woocommerce("order.created", woo_order())
    woo.woocommerce("order.created", woo_order())
    woo.woocommerce("order.updated", woo_order())
    woo.woocommerce("order.updated", woo_order(date_modified_gmt="2026-03-22T17:00:00"))
    run_hooks_and_automations(app)
    assert len(hooks_of(shop)) == 3
    assert len(sent_texts(shop)) == 1


def test_a_completed_woocommerce_order_is_reported_with_its_tracking(app, shop, woo):
    woo.woocommerce("order.created", woo_order())
    run_hooks_and_automations(app)
    done = woo_order(status="completed", date_modified_gmt="2026-03-23T09:00:00")
    woo.woocommerce("order.updated", done)
    run_hooks_and_automations(app)
    assert len(sent_texts(shop)) == 1
    tracked = {
        **done,
        "date_modified_gmt": "2026-03-23T09:05:00",
        "meta_data": [
            {
                "key": "_wc_shipment_tracking_items",
                "value": [
                    {
                        "tracking_provider": "correos",
                        "tracking_number": "PQ4F",
                        "custom_tracking_link": "https://correos.example/PQ4F",
                    }
                ],
            }
        ],
    }
    woo.woocommerce("order.updated", tracked)
    run_hooks_and_automations(app)
    assert "https://correos.example/PQ4F" in sent_texts(shop)[1][1]
    woo.woocommerce("order.updated", {**tracked, "date_modified_gmt": "2026-03-24T09:05:00"})
    run_hooks_and_automations(app)
    assert len(sent_texts(shop)) == 2


def test_a_cancelled_woocommerce_order_is_reported(app, shop, woo):
    woo.woocommerce("order.updated", woo_order(status="cancelled"))
    run_hooks_and_automations(app)
    assert "cancelled" in sent_texts(shop)[0][1]


def test_woocommerces_first_unsigned_ping_is_answered_and_nothing_else(app, shop, woo):
    answer = woo.posts(b"webhook_id=7", {"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status_code == 200
    assert not hooks_of(shop)
    with shop.scope():
        known = store_connections.get(woo.connection.id)
        assert (known.first_event_at, known.refused) == (None, 0)
    for body in (b"webhook_id=7&x=1", b"webhook_id=", b"webhook_id=7x"):
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        assert woo.posts(body, headers).status_code == 401


def test_any_other_store_uses_our_own_format(app, shop, client, redis):
    make_line(shop)
    enable_automations(shop, *ORDERS)
    store = connect_store(shop, client, "store")
    customer = {"name": "Lena Vogt", "phone": "01521 1110105", "country": "DE"}
    order = {"id": "A-7", "number": "A-7", "total": 19.5, "currency": "EUR"}
    assert store.posts_event("order.created", customer=customer, order=order).status_code == 200
    tracking = {"number": "DHL1", "url": "https://dhl.example/1"}
    run_hooks_and_automations(app)
    store.posts_event("order.fulfilled", order={"id": "A-7"}, tracking=tracking)
    run_hooks_and_automations(app)
    store.posts_event("order.cancelled", order={"id": "A-7"})
    run_hooks_and_automations(app)
    assert [one.phone for one in messages(shop)] == ["4915211110105"] * 3
    # The first two had not left yet, so they are taken back.
    assert [one.state for one in messages(shop)] == ["cancelled", "cancelled", "queued"]
    texts = "\n".join(one.text for one in messages(shop))
    assert "Lena" in texts
    assert "€19.50" in texts
    assert "https://dhl.example/1" in texts


def test_a_store_may_carry_its_secret_as_a_bearer_token(app, shop, client, redis):
    store = connect_store(shop, client, "store")
    body = b'{"event": "order.created", "order": {"id": "1"}}'
    good = {"Authorization": f"Bearer {store.secret}"}
    assert store.posts(body, good).status_code == 200
    assert store.posts(body, {"Authorization": "Bearer x"}).status_code == 401
    assert store.posts(body, {}).status_code == 401
    assert len(hooks_of(shop)) == 1


def test_a_connection_that_is_off_answers_and_keeps_nothing(app, shop, shopify):
    with shop.scope():
        store_connections.set_enabled(shopify.connection.id, False)
    connection_addresses.forget()
    assert shopify.shopify("orders/create", shopify_order()).status_code == 200
    assert not hooks_of(shop)


@pytest.mark.parametrize("topic", ["orders/cancelled", "checkouts/create", "fulfillments/create"])
def test_a_body_posted_under_another_topic_is_left(app, shop, shopify, topic):
    shopify.shopify(topic, shopify_order(cancelled_at=None, financial_status="paid"))
    run_hooks_and_automations(app)
    assert sent_texts(shop) == []
    assert HOOK_REASONS.english(hooks_of(shop)[-1].error).startswith("The topic is")


WOO_CUSTOMER = {
    "id": 25,
    "date_modified_gmt": "2026-03-22T16:28:08",
    "role": "customer",
    "billing": {"first_name": "Marta", "phone": "611 11 01 06", "country": "ES"},
    "shipping": {},
}


@pytest.mark.parametrize("topic", ["order.created", "order.updated"])
@pytest.mark.parametrize(
    "body",
    [
        WOO_CUSTOMER,
        {**WOO_CUSTOMER, "name": "Taza", "status": "publish", "price": "9.00"},
        woo_order(status="active", billing_period="month"),
        {"id": 727},
    ],
    ids=["customer", "product", "subscription", "deleted order"],
)
def test_a_woocommerce_body_posted_under_an_orders_topic_is_left(app, shop, woo, topic, body):
    assert woo.woocommerce(topic, body).status_code == 200
    run_hooks_and_automations(app)
    assert sent_texts(shop) == []
    (hook,) = hooks_of(shop)
    assert (hook.state, hook.error) == ("done", encode_reason("topic_not_order", topic=topic))


@pytest.mark.parametrize("status", ["cancelled", "refunded"])
def test_an_order_that_has_ended_is_not_confirmed_as_a_new_one(app, shop, woo, status):
    woo.woocommerce("order.created", woo_order(status=status))
    run_hooks_and_automations(app)
    assert sent_texts(shop) == []
    assert hooks_of(shop)[-1].error == encode_reason("topic_not_status", status=status)


@pytest.mark.parametrize("kind", ["shopify", "woocommerce"])
@pytest.mark.parametrize("days", [0, 31, 390])
def test_a_captured_post_is_a_repeat_under_any_delivery_id(app, shop, client, redis, kind, days):
    """The headers are not signed, so an attacker who repeats a post can change them."""
    make_line(shop)
    enable_automations(shop, *ORDERS)
    store = connect_store(shop, client, kind)
    with frozen():
        for name in ("first", "second"):
            if kind == "shopify":
                answer = store.shopify("orders/create", shopify_order(), f"wh-{name}")
            else:
                answer = store.woocommerce("order.created", woo_order(), f"delivery-{name}")
            assert answer.status_code == 200
            run_hooks_and_automations(app)
            advance(days * 86_400)
            with shop.scope():
                store_connections.delete_old_keys()
                automation_definitions.delete_old_runs()
        assert len(hooks_of(shop)) == 1
        assert len(messages(shop)) == 1
