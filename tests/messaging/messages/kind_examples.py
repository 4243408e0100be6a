"""One example of each message type: what a program gives, and what a cloud line sends."""

from typing import Any

from messaging.messages.kinds.fields import FileReference, KindFields
from messaging.messages.kinds.registry import MESSAGE_KINDS

URL = "https://example.com/a"
LINK = {"link": URL}
CARD = {"image": {"url": URL}, "link": {"text": "Open", "url": URL}}
REPLY_CARD = {"video": {"url": URL}, "body": "Ayran", "buttons": [{"id": "x", "title": "Add"}]}
WIRE_LINK = {"name": "cta_url", "parameters": {"display_text": "Open", "url": URL}}

EXAMPLES: dict[str, tuple[dict[str, Any], str, Any]] = {
    "text": ({"text": "Hi"}, "text", {"body": "Hi", "preview_url": False}),
    "image": ({"url": URL, "caption": "Menu"}, "image", {**LINK, "caption": "Menu"}),
    "video": ({"url": URL}, "video", LINK),
    "audio": ({"url": URL}, "audio", LINK),
    "voice": ({"url": URL}, "audio", {**LINK, "voice": True}),
    "document": ({"url": URL, "filename": "a.pdf"}, "document", {**LINK, "filename": "a.pdf"}),
    "sticker": ({"url": URL}, "sticker", LINK),
    "location": (
        {"latitude": 41.0, "longitude": 29.0, "name": "Mavi"},
        "location",
        {"latitude": 41.0, "longitude": 29.0, "name": "Mavi"},
    ),
    "contacts": (
        {"contacts": [{"name": "Derya", "phones": [{"phone": "+905321110000"}], "company": "M"}]},
        "contacts",
        [
            {
                "name": {"formatted_name": "Derya", "first_name": "Derya"},
                "phones": [{"phone": "+905321110000"}],
                "org": {"company": "M"},
            }
        ],
    ),
    "reaction": (
        {"message_id": "wamid.1", "emoji": "👍"},
        "reaction",
        {"message_id": "wamid.1", "emoji": "👍"},
    ),
    "buttons": (
        {
            "body": "20:00?",
            "header": "Table",
            "footer": "Mavi",
            "buttons": [{"id": "y", "title": "Yes"}],
        },
        "interactive",
        {
            "type": "button",
            "header": {"type": "text", "text": "Table"},
            "body": {"text": "20:00?"},
            "footer": {"text": "Mavi"},
            "action": {"buttons": [{"type": "reply", "reply": {"id": "y", "title": "Yes"}}]},
        },
    ),
    "list": (
        {
            "body": "When?",
            "button": "Times",
            "sections": [{"title": "Dinner", "rows": [{"id": "a", "title": "19:00"}]}],
        },
        "interactive",
        {
            "type": "list",
            "body": {"text": "When?"},
            "action": {
                "button": "Times",
                "sections": [{"title": "Dinner", "rows": [{"id": "a", "title": "19:00"}]}],
            },
        },
    ),
    "link_button": (
        {"body": "Menu", "header": {"image": {"url": URL}}, "text": "Open", "url": URL},
        "interactive",
        {
            "type": "cta_url",
            "header": {"type": "image", "image": LINK},
            "body": {"text": "Menu"},
            "action": WIRE_LINK,
        },
    ),
    "location_request": (
        {"body": "Where?"},
        "interactive",
        {
            "type": "location_request_message",
            "body": {"text": "Where?"},
            "action": {"name": "send_location"},
        },
    ),
    "contact_request": (
        {"body": "Your number?"},
        "interactive",
        {
            "type": "request_contact_info",
            "body": {"text": "Your number?"},
            "action": {"name": "request_contact_info"},
        },
    ),
    "catalog": (
        {"body": "Order here", "footer": "Mavi", "product_id": "ayran"},
        "interactive",
        {
            "type": "catalog_message",
            "body": {"text": "Order here"},
            "footer": {"text": "Mavi"},
            "action": {
                "name": "catalog_message",
                "parameters": {"thumbnail_product_retailer_id": "ayran"},
            },
        },
    ),
    "product": (
        {"catalog_id": "1", "product_id": "ayran"},
        "interactive",
        {"type": "product", "action": {"catalog_id": "1", "product_retailer_id": "ayran"}},
    ),
    "product_list": (
        {"catalog_id": "1", "header": "Menu", "body": "B", "sections": [{"product_ids": ["a"]}]},
        "interactive",
        {
            "type": "product_list",
            "header": {"type": "text", "text": "Menu"},
            "body": {"text": "B"},
            "action": {
                "catalog_id": "1",
                "sections": [{"product_items": [{"product_retailer_id": "a"}]}],
            },
        },
    ),
    "carousel": (
        {"body": "New", "cards": [CARD, CARD]},
        "interactive",
        {
            "type": "carousel",
            "body": {"text": "New"},
            "action": {
                "cards": [
                    {
                        "card_index": number,
                        "type": "cta_url",
                        "header": {"type": "image", "image": LINK},
                        "action": WIRE_LINK,
                    }
                    for number in range(2)
                ]
            },
        },
    ),
    "flow": (
        {"body": "Book", "text": "Open", "flow_name": "booking", "screen": "S", "data": {"a": 1}},
        "interactive",
        {
            "type": "flow",
            "body": {"text": "Book"},
            "action": {
                "name": "flow",
                "parameters": {
                    "flow_message_version": "3",
                    "flow_name": "booking",
                    "flow_cta": "Open",
                    "flow_token": "unused",
                    "flow_action": "navigate",
                    "flow_action_payload": {"screen": "S", "data": {"a": 1}},
                },
            },
        },
    ),
    "template": (
        {"name": "order_confirmation", "language": "tr", "parameters": ["Ada", "17"]},
        "template",
        {
            "name": "order_confirmation",
            "language": {"code": "tr"},
            "components": [
                {
                    "type": "body",
                    "parameters": [{"type": "text", "text": "Ada"}, {"type": "text", "text": "17"}],
                }
            ],
        },
    ),
    "order_details": (
        {
            "reference": "o-1",
            "body": "Your order",
            "currency": "BRL",
            "items": [
                {"name": "Lahmacun", "quantity": 2, "amount": "9.50", "product_id": "lah"},
                {"name": "Ayran", "amount": "4.00", "sale_amount": "3.00"},
            ],
            "shipping": {"amount": "5.00", "description": "Courier"},
            "discount": {"amount": "2.00", "program": "Welcome"},
            "total": "25.00",
            "payment_type": "br",
            "payment_settings": [{"type": "payment_link", "payment_link": {"uri": URL}}],
        },
        "interactive",
        {
            "type": "order_details",
            "body": {"text": "Your order"},
            "action": {
                "name": "review_and_pay",
                "parameters": {
                    "reference_id": "o-1",
                    "type": "physical-goods",
                    "currency": "BRL",
                    "total_amount": {"value": 2500, "offset": 100},
                    "order": {
                        "status": "pending",
                        "items": [
                            {
                                "name": "Lahmacun",
                                "quantity": 2,
                                "amount": {"value": 950, "offset": 100},
                                "retailer_id": "lah",
                            },
                            {
                                "name": "Ayran",
                                "quantity": 1,
                                "amount": {"value": 400, "offset": 100},
                                "sale_amount": {"value": 300, "offset": 100},
                            },
                        ],
                        "subtotal": {"value": 2200, "offset": 100},
                        "tax": {"value": 0, "offset": 100},
                        "shipping": {"value": 500, "offset": 100, "description": "Courier"},
                        "discount": {
                            "value": 200,
                            "offset": 100,
                            "discount_program_name": "Welcome",
                        },
                    },
                    "payment_type": "br",
                    "payment_settings": [{"type": "payment_link", "payment_link": {"uri": URL}}],
                },
            },
        },
    ),
    "order_status": (
        {"reference": "o-1", "status": "shipped", "description": "On its way"},
        "interactive",
        {
            "type": "order_status",
            "body": {"text": "On its way"},
            "action": {
                "name": "review_order",
                "parameters": {
                    "reference_id": "o-1",
                    "order": {"status": "shipped", "description": "On its way"},
                },
            },
        },
    ),
}


def resolve_file(reference: FileReference, _field: str, _kind: str) -> dict[str, Any]:
    return {"url": reference.url}


def example(code: str, given: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
    """Text and content of a message, as they are stored."""
    model = MESSAGE_KINDS[code].fields
    assert model is not None
    fields: KindFields = model.model_validate(EXAMPLES[code][0] if given is None else given)
    return fields.message_text(), fields.message_content(resolve_file)
