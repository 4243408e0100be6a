"""Bodies that real platforms sent, signed afresh, end in the right message or a clear reason."""

import json
import os
from pathlib import Path

import pytest

from core.values.reasons import encode_reason
from messaging.automations import connections as store_connections
from tests.line_factory import make_line
from tests.webhooks.stores.shops import (
    NO_PHONE_SENT_TEXT,
    connect_store,
    enable_automations,
    hooks_of,
    run_hooks_and_automations,
    run_states,
    runs,
    sent_texts,
)

FOLDER = Path(
    os.environ.get("RECORDED_PAYLOADS") or Path(__file__).parents[4] / "shared" / "fixtures"
)
SAMPLES = FOLDER / "hookdeck-webhook-samples"
pytestmark = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason="the folder of recorded payloads is not here"
)
PHONE, DIGITS = "+1 613 555 0123", "16135550123"


def recorded(name):
    return json.loads((SAMPLES / name).read_text())


@pytest.fixture
def ready(app, shop, client, redis):
    make_line(shop)
    enable_automations(shop, "order_confirmation", "shipping_link", "order_cancelled", "form_reply")

    def make(kind):
        return connect_store(shop, client, kind)

    return make


SHOPIFY = {
    "orders.create": "order_confirmation",
    "orders.cancelled": "order_cancelled",
    "fulfillments.create": "shipping_link",
}


@pytest.mark.parametrize("name", SHOPIFY)
def test_a_recorded_shopify_body_has_no_usable_phone_and_reports_it(app, shop, ready, name):
    payload = recorded(f"shopify/2023-01/{name}.json")
    shopify = ready("shopify")
    shopify.shopify(payload["headers"]["x-shopify-topic"], payload["body"])
    run_hooks_and_automations(app)
    assert not sent_texts(shop)
    ((state, because),) = run_states(shop)
    assert state == "skipped"
    assert because.startswith("No usable phone number · “555-555-SHIP” (US)")


@pytest.mark.parametrize("name", SHOPIFY)
@pytest.mark.parametrize("place", ["order", "customer", "shipping", "billing"])
def test_with_a_phone_in_any_place_it_is_sent_there_once(app, shop, ready, name, place):
    payload = recorded(f"shopify/2023-01/{name}.json")
    body = payload["body"]
    if name == "fulfillments.create":
        body["destination"]["phone"] = PHONE
    elif place == "order":
        body["phone"] = PHONE
    elif place == "customer":
        body["customer"]["phone"] = "(613) 555-0123"
    else:
        body[f"{place}_address"]["phone"] = "613-555-0123"
    shopify = ready("shopify")
    for _ in range(2):
        shopify.shopify(payload["headers"]["x-shopify-topic"], body, "wh-one")
        run_hooks_and_automations(app)
    ((phone, text),) = sent_texts(shop)
    assert phone == DIGITS
    if name != "fulfillments.create":
        assert "#9999" in text


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("shopify/*/*.json")), ids=lambda p: p.stem)
def test_every_recorded_shopify_body_is_understood_or_left_alone(app, shop, ready, path):
    body = json.loads(path.read_text())
    shopify = ready("shopify")
    shopify.shopify(body["headers"]["x-shopify-topic"], body["body"])
    run_hooks_and_automations(app)
    assert [hook.state for hook in hooks_of(shop)] == ["done"]


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("woocommerce/*/*.json")), ids=lambda p: p.stem)
def test_recorded_woocommerce_bodies_that_are_no_orders_are_left_alone(app, shop, ready, path):
    body = json.loads(path.read_text())
    woo = ready("woocommerce")
    woo.woocommerce(body["headers"]["x-wc-webhook-topic"], body["body"])
    run_hooks_and_automations(app)
    (hook,) = hooks_of(shop)
    assert (hook.state, hook.error) == (
        "done",
        encode_reason("topic_ignored", topic=body["topic"]),
    )
    assert not runs(shop)


FORMS = {
    "typeform": SAMPLES / "typeform/form_response.json",
    "typeform official": FOLDER / "facts/typeform_official_example.json",
    "tally": SAMPLES / "tally/FORM_RESPONSE.json",
}


def form_body(name):
    body = json.loads(FORMS[name].read_text())
    return body.get("body", body)


def with_phone(told):
    if "form_response" in told:
        answer = {"type": "phone_number", "phone_number": PHONE}
        answer["field"] = {"id": "tel", "type": "phone_number"}
        told["form_response"]["answers"].append(answer)
    else:
        field = {"key": "tel", "label": "Phone", "type": "INPUT_PHONE_NUMBER", "value": PHONE}
        told["data"]["fields"].append(field)
    return told


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("phone", [False, True])
def test_a_recorded_form_is_answered_once_or_gives_the_reason(app, shop, ready, name, phone):
    body = form_body(name)
    if phone:
        body = with_phone(body)
    form = ready("form")
    for _ in range(2):
        form.submits(body)
        run_hooks_and_automations(app)
    if phone:
        assert [number for number, _ in sent_texts(shop)] == [DIGITS]
        assert [state for state, _ in run_states(shop)] == ["sent"]
    else:
        assert not sent_texts(shop)
        assert run_states(shop) == [("skipped", NO_PHONE_SENT_TEXT)]


@pytest.mark.parametrize("phone", [False, True])
def test_the_recorded_jotform_is_answered_once_or_gives_the_reason(app, shop, ready, phone):
    body = (FOLDER / "zulip/jotform/response.multipart").read_bytes()
    if phone:
        inside = b'"q9_phone":{"full":"(613) 555-0123"},"q35_grade"'
        body = body.replace(b'"q35_grade"', inside)
    boundary = body.split(b"\n", 1)[0].strip()[2:].decode()
    form = ready("form")
    with shop.scope():
        store_connections.change(form.connection.id, "Form", "CA")
    for _ in range(2):
        form.submits(body, f"multipart/form-data; boundary={boundary}")
        run_hooks_and_automations(app)
    if phone:
        ((number, text),) = sent_texts(shop)
        assert number == DIGITS
        assert "Niloth" in text
    else:
        assert run_states(shop) == [("skipped", NO_PHONE_SENT_TEXT)]
