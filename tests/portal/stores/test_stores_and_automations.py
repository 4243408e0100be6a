"""The pages for stores, forms and automations."""

import re

import pytest
from sqlalchemy import select

from core.db import db
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.automations import reasons
from messaging.models import Automation, Connection
from tests.factories import Browser
from tests.line_factory import make_line
from tests.webhooks.stores.shops import (
    NO_PHONE_SENT_TEXT,
    connect_store,
    enable_automations,
    hooks_of,
    messages,
    run_hooks_and_automations,
    runs,
    sent_texts,
    shopify_order,
)
from webhooks.inbound.models import ReceivedHook


@pytest.fixture
def owner(app, shop):
    return Browser(app.test_client()).signs_in(shop.owner)


def text_of(answer):
    return answer.get_data(as_text=True)


def only_connection(shop):
    with shop.scope():
        (one,) = store_connections.list_connections()
        return one


def test_a_first_visit_offers_what_can_be_connected(owner):
    page = text_of(owner.get("/stores"))
    for name in ("Shopify", "WooCommerce", "Other store", "Website form"):
        assert name in page


@pytest.mark.parametrize("kind", ["shopify", "woocommerce", "store", "form"])
def test_connecting_shows_the_address_and_waits(owner, shop, kind):
    answer = owner.post("/stores/new", follow=True, kind=kind, name="Web shop", country="TR")
    assert answer.status_code == 200
    page = text_of(answer)
    made = only_connection(shop)
    assert f"/hooks/{kind}/{made.token}" in page
    waits = "The secret is missing" if kind == "shopify" else "Waiting for the first event…"
    assert waits in page
    assert "data-live" in page
    assert "js/refresh-parts.js" in page
    if kind in ("woocommerce", "store"):
        assert made.secret in page


def test_the_first_event_turns_it_green(app, owner, shop, client, redis):
    door = connect_store(shop, client, "shopify")
    path = f"/stores/{door.connection.id}"
    before = text_of(owner.get(path, headers={"X-Part": "timeline"}))
    assert "Waiting for the first event…" in before
    assert "<html" not in before
    door.shopify("orders/create", shopify_order())
    after = text_of(owner.get(path, headers={"X-Part": "timeline"}))
    assert "Connected" in after
    assert "data-live" not in after
    assert "orders/create" in after
    run_hooks_and_automations(app)
    assert "Order</a>" in text_of(owner.get(path))


def test_the_log_shows_what_each_event_led_to(app, owner, shop, client, redis):
    make_line(shop)
    enable_automations(shop, "order_confirmation")
    door = connect_store(shop, client, "shopify")
    door.shopify("orders/create", shopify_order())
    door.shopify("orders/create", shopify_order(id=2, name="#1002", shipping_address=None))
    run_hooks_and_automations(app)
    page = text_of(owner.get(f"/stores/{door.connection.id}"))
    assert "#1001" in page
    assert "message to +90 532 111 22 33" in page
    assert NO_PHONE_SENT_TEXT in page
    hook = hooks_of(shop)[0]
    detail = text_of(owner.get(f"/stores/{door.connection.id}/hooks/{hook.id}"))
    assert "order_confirmation" in detail
    assert "El yapımı kupa" in detail
    assert "orders/create" in detail


def test_a_refused_secret_shows_on_the_page(owner, shop, client):
    door = connect_store(shop, client, "shopify")
    door.secret = "wrong"
    door.shopify("orders/create", shopify_order())
    assert "rejected because of an invalid signature: 1." in text_of(
        owner.get(f"/stores/{door.connection.id}")
    )
    answer = owner.post(f"/stores/{door.connection.id}/access", secret="the-right-one")
    assert answer.status_code == 302
    assert only_connection(shop).secret == "the-right-one"


@pytest.mark.parametrize(
    ("kind", "secret"), [("shopify", ""), ("store", "not-whsec"), ("shopify", "two words")]
)
def test_a_secret_that_cannot_be_one_is_refused(owner, shop, client, kind, secret):
    door = connect_store(shop, client, kind)
    answer = owner.post(f"/stores/{door.connection.id}/access", secret=secret)
    assert answer.status_code == 200
    assert "field-error" in text_of(answer)
    assert only_connection(shop).secret == door.secret


def test_our_own_secret_can_be_renewed(owner, shop, client):
    door = connect_store(shop, client, "store")
    owner.post(f"/stores/{door.connection.id}/access", act="renew", secret="")
    fresh = only_connection(shop).secret
    assert fresh.startswith("whsec_")
    assert fresh != door.secret


def test_a_parked_post_is_run_again(app, owner, shop, client, redis):
    door = connect_store(shop, client, "form", country="TR")
    door.submits(b"{", "application/json")
    run_hooks_and_automations(app)
    with shop.scope():
        (post,) = store_connections.list_received(door.connection.id, None, 5)
        row = db.session.get(ReceivedHook, (shop.tenant_id, post.id))
        row.state, row.due_at, row.body = "parked", None, b'{"phone": "0532 111 22 33"}'
    path = f"/stores/{door.connection.id}"
    assert "Run again" in text_of(owner.get(path))
    assert owner.post(f"{path}/hooks/{post.id}/again").status_code == 302
    run_hooks_and_automations(app)
    assert [hook.state for hook in hooks_of(shop)] == ["done"]
    again = owner.post(f"{path}/hooks/{post.id}/again", follow=True)
    assert "This is no longer marked as failed, so there is nothing to retry." in text_of(again)


def test_fields_are_learnt_from_the_last_submission_and_chosen(app, owner, shop, client, redis):
    door = connect_store(shop, client, "form", country="TR")
    path = f"/stores/{door.connection.id}"
    assert "Field mapping" not in text_of(owner.get(path))
    door.submits({"kim": "Ayşe", "numara": "0532 111 22 33", "soru": "Kupa?"})
    run_hooks_and_automations(app)
    page = text_of(owner.get(path))
    assert "Field mapping" in page
    assert re.search(r'<option selected value="numara">numara \(0532 111 22 33\)', page)
    owner.post(f"{path}/mapping", phone="numara", name="kim", text="soru", email="", consent="")
    with shop.scope():
        saved = store_connections.get(door.connection.id).mapping
    assert saved == {"phone": "numara", "name": "kim", "text": "soru"}
    assert "field-error" in text_of(owner.post(f"{path}/mapping", phone="nobody"))


def test_switched_off_and_removed(owner, shop, client):
    door = connect_store(shop, client, "store")
    path = f"/stores/{door.connection.id}"
    assert "Incoming events get a response but are ignored." in text_of(
        owner.post(f"{path}/enabled", follow=True, on="no")
    )
    assert not only_connection(shop).enabled
    assert "Delete connection" in text_of(owner.get(f"{path}/remove"))
    owner.post(f"{path}/remove")
    assert owner.get(path).status_code == 404
    with shop.scope():
        row = db.session.scalars(
            select(Connection).where(Connection.tenant_id == shop.tenant_id)
        ).one()
        assert row.secret is None


def test_one_tick_switches_a_ready_made_one_on(owner, shop):
    page = text_of(owner.get("/automations"))
    assert "Order confirmation" in page
    answer = owner.post("/automations/tick/order_confirmation", follow=True)
    assert "is on." in text_of(answer)
    with shop.scope():
        (made,) = automation_definitions.list_automations()
    assert (made.recipe, made.enabled, made.name) == (
        "order_confirmation",
        True,
        "Order confirmation",
    )
    assert owner.post("/automations/tick/nothing").status_code == 404
    owner.post(f"/automations/{made.id}/enabled", on="no")
    with shop.scope():
        assert not automation_definitions.get(made.id).enabled


def test_the_owners_notice_asks_for_the_number_first(owner, shop):
    answer = owner.post("/automations/tick/owner_notice", follow=True)
    assert "Phone number to notify" in text_of(answer)
    fields = {"name": "Notice", "says": "text", "text": "New: {{form.summary}}", "act": "save"}
    refused = owner.post("/automations/new/owner_notice", to_phone="abc", **fields, unit="minutes")
    assert "This is not a valid phone number" in text_of(refused)
    good = owner.post(
        "/automations/new/owner_notice", to_phone="+90 532 999 00 00", **fields, unit="minutes"
    )
    assert good.status_code == 302
    with shop.scope():
        (made,) = automation_definitions.list_automations()
    assert (made.to_phone, made.text) == ("905329990000", "New: {{form.summary}}")


@pytest.fixture
def confirmation(app, shop, client, redis):
    make_line(shop)
    (automation_id,) = enable_automations(shop, "order_confirmation")
    return automation_id, connect_store(shop, client, "shopify")


def fields(**more):
    return {
        "name": "Confirmation",
        "says": "text",
        "text": "Hi {{customer.first_name|there}}, {{order.number}}",
        "delay": "0",
        "unit": "minutes",
        "act": "save",
        **more,
    }


def saved(shop, automation_id):
    with shop.scope():
        return db.session.get(Automation, (shop.tenant_id, automation_id))


def test_the_preview_is_of_the_last_real_event(app, owner, shop, confirmation):
    automation_id, door = confirmation
    assert "No matching event yet" in text_of(owner.get(f"/automations/{automation_id}"))
    door.shopify("orders/create", shopify_order())
    run_hooks_and_automations(app)
    page = text_of(owner.get(f"/automations/{automation_id}"))
    assert "Hi Ayşe, thank you for your order #1001." in page
    assert "+90 532 111 22 33" in page
    looked = owner.post(
        f"/automations/{automation_id}", **fields(text="So {{order.number}}!", act="preview")
    )
    assert "So #1001!" in text_of(looked)
    assert "So" not in saved(shop, automation_id).text


def test_a_missing_value_is_warned_of_before_saving(app, owner, shop, confirmation):
    automation_id, door = confirmation
    order = shopify_order(order_status_url=None, customer={"email": "a@example.com"})
    door.shopify("orders/create", order)
    run_hooks_and_automations(app)
    path = f"/automations/{automation_id}"
    text = "Hi {{customer.first_name}}, see {{order.url}}"
    warned = text_of(owner.post(path, **fields(text=text)))
    assert "The last real event has no value for customer.first_name, order.url" in warned
    assert "Save anyway" in warned
    assert saved(shop, automation_id).text != text
    with_defaults = "Hi {{customer.first_name|there}}, see {{order.url|our shop}}"
    assert owner.post(path, **fields(text=with_defaults)).status_code == 302
    assert saved(shop, automation_id).text == with_defaults
    assert owner.post(path, **fields(text=text, act="anyway")).status_code == 302
    assert saved(shop, automation_id).text == text


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"text": "{{customer.first_name|upper|x}}"}, "is not a placeholder"),
        ({"text": "{{1 + 1}}"}, "is not a placeholder"),
        ({"text": "{{customer.__class__}}"}, "{{customer.__class__}} is not available here"),
        ({"text": "{{tracking.url}}"}, "{{tracking.url}} is not available here"),
        ({"text": "  "}, "Fill in this field."),
        ({"delay": "999999"}, "Enter 30 days or less."),
        ({"at_least": "a lot"}, "Enter an amount, such as 49.90."),
        ({"countries": "Turkey"}, "Enter countries as two-letter codes, such as TR, DE."),
        ({"says": "template", "template_name": "My Template"}, "lowercase letters, digits"),
        ({"says": "template", "template_name": "ok", "template_language": ""}, "language"),
    ],
)
def test_what_cannot_work_is_refused_and_nothing_is_saved(
    owner, shop, confirmation, change, sentence
):
    automation_id, _ = confirmation
    before = saved(shop, automation_id).text
    answer = owner.post(f"/automations/{automation_id}", **fields(**change))
    assert answer.status_code == 200
    assert sentence in text_of(answer).replace("&#39;", "'")
    assert saved(shop, automation_id).text == before


def test_conditions_delay_and_template_are_kept_and_used(app, owner, shop, confirmation):
    automation_id, door = confirmation
    answer = owner.post(
        f"/automations/{automation_id}",
        **fields(
            says="template",
            template_name="order_confirmation",
            template_language="tr",
            parameters="{{customer.first_name}}\n{{order.number}}",
            paid="y",
            at_least="100",
            countries="TR, de",
        ),
    )
    assert answer.status_code == 302
    kept = saved(shop, automation_id)
    assert kept.conditions == {"paid": True, "at_least": "100", "countries": ["TR", "DE"]}
    door.shopify("orders/create", shopify_order())
    door.shopify("orders/create", shopify_order(id=2, financial_status="pending"))
    door.shopify("orders/create", shopify_order(id=3, total_price="9.00"))
    far = {"phone": "0532 111 22 33", "country_code": "FR"}
    door.shopify("orders/create", shopify_order(id=4, shipping_address=far))
    run_hooks_and_automations(app)
    assert [(one.state, one.because) for one in runs(shop)] == [
        ("sent", ""),
        ("skipped", reasons.NOT_PAID),
        ("skipped", reasons.TOO_SMALL),
        ("skipped", reasons.OTHER_COUNTRY),
    ]
    (message,) = messages(shop)
    assert (message.kind, message.category) == ("template", "utility")
    assert message.content["parameters"] == ["Ayşe", "#1001"]
    # Paid a little later: the message that was skipped before is sent now.
    door.shopify("orders/paid", shopify_order(id=2))
    run_hooks_and_automations(app)
    assert len(messages(shop)) == 2


def test_runs_are_listed_with_cause_and_message_and_as_a_file(app, owner, shop, confirmation):
    automation_id, door = confirmation
    door.shopify("orders/create", shopify_order())
    door.shopify("orders/create", shopify_order(id=2, name="=1+1", shipping_address=None))
    run_hooks_and_automations(app)
    page = text_of(owner.get(f"/automations/{automation_id}/runs"))
    assert "#1001" in page
    assert sent_texts(shop)[0][0] == "905321112233"
    assert "+90 532 111 22 33" in page
    assert NO_PHONE_SENT_TEXT in page
    skipped = text_of(owner.get(f"/automations/{automation_id}/runs?state=skipped"))
    assert "#1001" not in skipped
    file = owner.get(f"/automations/{automation_id}/runs.csv")
    assert file.mimetype == "text/csv"
    assert len(text_of(file).splitlines()) == 3
    owner.post(f"/automations/{automation_id}/remove")
    assert owner.get(f"/automations/{automation_id}").status_code == 404


def test_a_viewer_looks_and_changes_nothing(app, shop, client, confirmation):
    automation_id, door = confirmation
    viewer = Browser(app.test_client()).signs_in(shop.hires("viewer"))
    page = text_of(viewer.get(f"/stores/{door.connection.id}"))
    assert door.connection.token not in page
    assert viewer.get(f"/automations/{automation_id}").status_code == 200
    for path in (
        f"/stores/{door.connection.id}",
        f"/stores/{door.connection.id}/access",
        f"/automations/{automation_id}",
        "/automations/tick/order_confirmation",
    ):
        assert viewer.post(path, **fields()).status_code == 403
