"""The limits of each message type: a request beyond one gets 422 with the name of the field."""

import pytest

from tests.line_factory import make_line

URL = "https://example.com/a"
IMAGE, VIDEO = {"image": {"url": URL}}, {"video": {"url": URL}}
BUTTON = {"id": "a", "title": "A"}
ROW = {"id": "r", "title": "Row"}


def buttons(count=2, **more):
    made = [{"id": f"b{n}", "title": f"Button {n}"} for n in range(count)]
    return {"type": "buttons", "body": "Body", "buttons": made, **more}


def rows(count, first=0):
    return [{"id": f"r{n}", "title": f"Row {n}"} for n in range(first, first + count)]


def a_list(*sections, **more):
    sections = sections or ({"title": "One", "rows": [ROW]},)
    return {"type": "list", "body": "Body", "button": "Open", "sections": list(sections), **more}


def link(**more):
    return {"type": "link_button", "body": "Body", "text": "Open", "url": URL, **more}


def card(**more):
    return {**IMAGE, "body": "Card", "link": {"text": "Open", "url": URL}, **more}


def reply_card(*ids, **more):
    made = [{"id": one, "title": "Tap"} for one in ids]
    return {**IMAGE, "buttons": made, **more}


def carousel(*cards, **more):
    return {"type": "carousel", "body": "Body", "cards": list(cards), **more}


def products(*sections, **more):
    made = {"catalog_id": "1", "header": "Menu", "body": "Body", "sections": list(sections)}
    return {"type": "product_list", **made, **more}


def section(count, **more):
    return {"product_ids": [f"p{n}" for n in range(count)], **more}


def flow(**more):
    return {"type": "flow", "body": "Body", "text": "Open", "flow_id": "1", **more}


def order(**more):
    return {"type": "order_status", "reference": "o-1", "status": "shipped", **more}


def contacts(**more):
    return {"type": "contacts", "contacts": [{"name": "Derya", **more}]}


def without(body, name):
    return {key: value for key, value in body.items() if key != name}


CASES = [
    # The recipient and the options.
    ({"type": "text", "text": "Hi", "to": {}}, "to"),
    ({"type": "text", "text": "Hi", "to": {"phone": "905321112233", "contact_id": "con_1"}}, "to"),
    ({"type": "text", "text": "Hi", "to": {"phone": "+90 532 111 22 33"}}, "to.phone"),
    ({"type": "text", "text": "Hi", "to": None}, "to"),
    ({"text": "Hi"}, "type"),
    ({"type": "poll", "text": "Hi"}, "type"),
    ({"type": 7, "text": "Hi"}, "type"),
    ({"type": "text", "text": "Hi", "valid_for_seconds": 1}, "valid_for_seconds"),
    ({"type": "text", "text": "Hi", "scheduled_at": "2099-01-01T00:00:00Z"}, "scheduled_at"),
    ({"type": "text", "text": "Hi", "reference": "x" * 65}, "reference"),
    (buttons(fallback_template={"name": "a", "language": ""}), "fallback_template.language"),
    # Texts and files.
    ({"type": "text"}, "text"),
    ({"type": "text", "text": "  "}, "text"),
    ({"type": "text", "text": "x" * 4097}, "text"),
    ({"type": "text", "text": "👍" * 2049}, "text"),
    ({"type": "image"}, "url"),
    ({"type": "image", "url": URL, "media_id": "med_1"}, "url"),
    ({"type": "image", "url": "ftp://example.com/a"}, "url"),
    ({"type": "image", "url": URL, "caption": "x" * 1025}, "caption"),
    ({"type": "document", "url": URL, "filename": "x" * 241}, "filename"),
    ({"type": "sticker", "media_id": "nothing"}, "media_id"),
    ({"type": "location", "latitude": 91, "longitude": 0}, "latitude"),
    ({"type": "location", "latitude": 41}, "longitude"),
    ({"type": "contacts", "contacts": []}, "contacts"),
    (contacts(name=""), "contacts.0.name"),
    (contacts(phones=[{"type": "CELL"}]), "contacts.0.phones.0.phone"),
    (contacts(birthday="yesterday"), "contacts.0.birthday"),
    ({"type": "reaction", "message_id": "wamid.none", "emoji": "👍"}, "message_id"),
    ({"type": "reaction", "message_id": "wamid.none", "emoji": "good"}, "emoji"),
    ({"type": "template", "language": "tr"}, "name"),
    ({"type": "template", "name": "a", "language": "tr", "parameters": [""]}, "parameters"),
    # Buttons.
    (buttons(0), "buttons"),
    (buttons(4), "buttons"),
    (buttons(body="x" * 1025), "body"),
    (without(buttons(), "body"), "body"),
    (buttons(footer="x" * 61), "footer"),
    (buttons(header="x" * 61), "header.text"),
    (buttons(header={"text": "A", **IMAGE}), "header"),
    (buttons(header={"image": {"url": "file:///etc/passwd"}}), "header.image.url"),
    (buttons(header={"image": {}}), "header.image.url"),
    (buttons(buttons=[{"id": "a", "title": "x" * 21}]), "buttons.0.title"),
    (buttons(buttons=[{"id": "x" * 257, "title": "A"}]), "buttons.0.id"),
    (buttons(buttons=[BUTTON, {"id": "b", "title": "A"}]), "buttons"),
    (buttons(buttons=[BUTTON, {"id": "a", "title": "B"}]), "buttons"),
    # Lists.
    (a_list(button="x" * 21), "button"),
    (a_list({"rows": rows(11)}), "sections"),
    (a_list({"title": "A", "rows": rows(6)}, {"title": "B", "rows": rows(5, 6)}), "sections"),
    (a_list(*[{"title": f"S{n}", "rows": rows(1, n)} for n in range(11)]), "sections"),
    (a_list({"rows": []}), "sections.0.rows"),
    (a_list({"title": "A", "rows": rows(1)}, {"rows": rows(1, 1)}), "sections.1.title"),
    (a_list({"rows": [ROW, ROW]}), "sections"),
    (a_list({"rows": [{"id": "x" * 201, "title": "A"}]}), "sections.0.rows.0.id"),
    (a_list({"rows": [{"id": "a", "title": "x" * 25}]}), "sections.0.rows.0.title"),
    (a_list({"rows": [{**ROW, "description": "x" * 73}]}), "sections.0.rows.0.description"),
    (a_list({"title": "x" * 25, "rows": [ROW]}), "sections.0.title"),
    (a_list(header="x" * 61), "header"),
    # Links and requests.
    (link(text="x" * 21), "text"),
    (link(url="javascript:alert(1)"), "url"),
    (link(url=URL + "x" * 2000), "url"),
    ({"type": "location_request"}, "body"),
    ({"type": "contact_request", "body": "x" * 1025}, "body"),
    # Products, carousels, flows, orders.
    ({"type": "product", "catalog_id": "1"}, "product_id"),
    ({"type": "catalog"}, "body"),
    ({"type": "catalog", "body": "x" * 1025}, "body"),
    ({"type": "catalog", "body": "B", "footer": "x" * 61}, "footer"),
    ({"type": "catalog", "body": "B", "product_id": "x" * 101}, "product_id"),
    (products(section(31)), "sections"),
    (products(*[section(1, title=f"S{n}") for n in range(11)]), "sections"),
    (products(section(1), section(1)), "sections.0.title"),
    (without(products(section(1)), "header"), "header"),
    (carousel(card()), "cards"),
    (carousel(*[card()] * 11), "cards"),
    (carousel(card(), card(body="x" * 161)), "cards.1.body"),
    (carousel(card(), card(body="a\nb\nc\nd")), "cards.1.body"),
    (carousel(card(), without(card(), "image")), "cards.1.image"),
    (carousel(card(), without(card(), "link")), "cards.1.buttons"),
    (carousel(card(), {**without(card(), "image"), **VIDEO}), "cards.1.image"),
    (carousel(reply_card("a"), reply_card("b", "c")), "cards.1.buttons"),
    (carousel(reply_card("a"), reply_card("a")), "cards"),
    (flow(text="x" * 21), "text"),
    (flow(flow_name="booking"), "flow_id"),
    (without(flow(), "flow_id"), "flow_id"),
    (flow(action="start"), "action"),
    (flow(data={"a": 1}), "screen"),
    (order(status="eaten"), "status"),
    (order(reference="x" * 36), "reference"),
    (order(description="x" * 121), "description"),
]


@pytest.mark.parametrize(
    ("body", "field"), CASES, ids=[f"{n}-{f}" for n, (_, f) in enumerate(CASES)]
)
def test_a_request_beyond_a_limit_names_the_field(client, restaurant, body, field):
    make_line(restaurant)
    answer = client.post(
        "/api/v1/messages",
        json={"to": {"phone": "905321112233"}, **body},
        headers={**restaurant.bearer, "Prefer": "respond-async"},
    )
    assert answer.status_code == 422, answer.json
    assert answer.json["errors"][0]["field"] == field, answer.json
    assert answer.json["message"]


@pytest.mark.parametrize(
    "body",
    [
        buttons(3, header="H", footer="F"),
        buttons(header={"document": {"url": URL}}),
        a_list({"rows": rows(10)}),
        link(header=VIDEO),
        carousel(card(), card()),
        carousel(*[reply_card(f"a{n}", f"b{n}") for n in range(10)]),
        products(section(30)),
        flow(screen="S", data={"a": 1}, token="t", mode="draft"),
        order(description="On its way"),
        {"type": "voice", "url": URL},
        {"type": "product", "catalog_id": "1", "product_id": "a"},
        {"type": "text", "text": "x" * 4096},
        {"type": "catalog", "body": "x" * 1024},
    ],
)
def test_a_request_at_the_limits_is_accepted(client, restaurant, body):
    make_line(restaurant)
    answer = client.post(
        "/api/v1/messages",
        json={"to": {"phone": "905321112233"}, **body},
        headers={**restaurant.bearer, "Prefer": "respond-async"},
    )
    assert answer.status_code == 202, answer.json
