"""Orders to pay in the chat: their sums and limits, and their form on each kind of line."""

from datetime import timedelta

import pytest

from core.clock import now
from tests.api.v1.messaging.test_message_types import call, make_linked, send, stored
from tests.line_factory import make_line
from tests.messaging.messages.kind_examples import EXAMPLES, URL

ORDER = {"type": "order_details", **EXAMPLES["order_details"][0]}
ITEM = {"name": "Ayran", "amount": "4.00"}


@pytest.fixture
def line(restaurant):
    return make_line(restaurant)


def soon(**more):
    return (now() + timedelta(**more)).isoformat()


@pytest.mark.parametrize(
    ("changed", "field", "code"),
    [
        ({"reference": "a b"}, "reference", "invalid"),
        ({"reference": "x" * 36}, "reference", "invalid"),
        ({"body": ""}, "body", "empty_body"),
        ({"footer": "x" * 61}, "footer", "long_footer"),
        ({"header": {"text": "Order"}}, "header.image", "missing"),
        ({"header": {"image": {"url": "ftp://a"}}}, "header.image.url", "invalid_media_url"),
        ({"goods": "food"}, "goods", "invalid"),
        ({"currency": "Real"}, "currency", "invalid"),
        ({"currency": "XXZ"}, "currency", "invalid_currency"),
        ({"items": []}, "items", "invalid"),
        ({"items": [{"name": "x" * 61, "amount": 1}]}, "items.0.name", "long_name"),
        ({"items": [{**ITEM, "quantity": 0}]}, "items.0.quantity", "invalid"),
        ({"items": [{**ITEM, "amount": -1}]}, "items.0.amount", "invalid"),
        ({"items": [{**ITEM, "amount": "4.005"}]}, "items.0.amount", "invalid_amount"),
        (
            {"items": [ITEM, {**ITEM, "sale_amount": "4.5"}]},
            "items.1.sale_amount",
            "invalid_amount",
        ),
        ({"items": [{**ITEM, "product_id": "x" * 101}]}, "items.0.product_id", "long_product_id"),
        ({"tax": {"amount": "0.001"}}, "tax.amount", "invalid_amount"),
        (
            {"shipping": {"amount": 1, "description": "x" * 61}},
            "shipping.description",
            "long_description",
        ),
        ({"discount": {"amount": 900}, "total": None}, "discount.amount", "invalid_amount"),
        ({"total": "24.00"}, "total", "wrong_total"),
        ({"payment_settings": None}, "payment_configuration", "missing_payment"),
        ({"payment_settings": [{"type": "pix"}]}, "payment_settings.0", "invalid_payment"),
        ({"expiration": {"at": soon(minutes=1), "text": "Over"}}, "expiration.at", "too_soon"),
        (
            {"expiration": {"at": soon(hours=1), "text": "x" * 121}},
            "expiration.text",
            "long_text",
        ),
    ],
)
def test_a_wrong_order_is_refused_with_the_name_of_the_field(
    client, restaurant, line, changed, field, code
):
    answer = send(client, restaurant, {**ORDER, **changed})
    assert answer.status_code == 422, answer.json
    [error] = answer.json["errors"]
    assert (error["field"], error["code"]) == (field, code)


def test_the_total_is_computed(client, restaurant, line):
    answer = send(client, restaurant, {**ORDER, "total": None, "tax": {"amount": 1.1}})
    assert (answer.status_code, answer.json["reference"]) == (202, "o-1")
    kept = stored(restaurant, answer).content["interactive"]
    assert (kept["subtotal"], kept["total"]) == ("22.00", "26.10")
    shown = client.get(f"/api/v1/messages/{answer.json['id']}", headers=restaurant.bearer).json
    assert shown["interactive"]["items"][0] == {
        "name": "Lahmacun",
        "quantity": 2,
        "amount": "9.50",
        "product_id": "lah",
    }


def test_the_request_has_image_expiry_and_payment(client, restaurant, line):
    expires = now().replace(microsecond=0) + timedelta(hours=1)
    body = {
        **ORDER,
        "currency": "JPY",
        "items": [{"name": "Ramen", "amount": 900}],
        "goods": "digital",
        "header": {"image": {"url": URL}},
        "expiration": {"at": expires.isoformat(), "text": "Please order again."},
        "payment_settings": None,
        "payment_type": "upi",
        "payment_configuration": "main",
        **dict.fromkeys(("shipping", "discount", "total")),
    }
    answer = send(client, restaurant, body, path="/messages/preview")
    assert answer.status_code == 200, answer.json
    part = answer.json["body"]["interactive"]
    assert part["header"] == {"type": "image", "image": {"link": URL}}
    given = part["action"]["parameters"]
    assert (given["type"], given["payment_type"], given["payment_configuration"]) == (
        "digital-goods",
        "upi",
        "main",
    )
    assert given["total_amount"] == {"value": 900, "offset": 1}
    assert given["order"]["expiration"] == {
        "timestamp": str(int(expires.timestamp())),
        "description": "Please order again.",
    }


def test_a_linked_phone_sends_the_order_as_a_text(client, restaurant, line):
    make_linked(restaurant, line)
    answer = send(client, restaurant, ORDER, path="/messages/preview")
    assert (answer.status_code, answer.json["sent_as"]) == (200, "as_text")
    assert answer.json["text"] == (
        "Your order\n\n"
        "2 × Lahmacun: 19.00 BRL\n1 × Ayran: 3.00 BRL\n"
        "+ 5.00 BRL (Courier)\n− 2.00 BRL\n*= 25.00 BRL*\n\n"
        "https://example.com/a"
    )
    status = {"type": "order_status", "reference": "o-1", "status": "shipped", "body": "On its way"}
    answer = send(client, restaurant, status, path="/messages/preview")
    assert (answer.json["sent_as"], answer.json["text"]) == ("as_text", "On its way")


def test_a_linked_phone_refuses_a_catalog_and_an_order_with_an_image(client, restaurant, line):
    make_linked(restaurant, line)
    answer = send(client, restaurant, {"type": "catalog", "body": "Order here"})
    assert (answer.status_code, answer.json["code"]) == (422, "unsupported_type")
    answer = send(client, restaurant, {**ORDER, "header": {"image": {"url": URL}}})
    assert (answer.status_code, answer.json["code"]) == (422, "unsupported_header")


def test_a_catalog_needs_no_product(client, restaurant, line):
    body = {"to": {"phone": "905321112233"}, "type": "catalog", "body": "Order here"}
    answer = call(client, restaurant, body, "/messages/preview")
    assert answer.json["body"]["interactive"]["action"] == {"name": "catalog_message"}
