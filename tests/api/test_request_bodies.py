"""What the API accepts, ignores and rejects, in every operation."""

import io
import json

import pytest

from core.values import text as text_values
from tests.api.v1.restaurant.test_sites_menus_orders import API, bistro, call, order_body  # noqa: F401 (fixtures)

PHONE = "905321112233"


@pytest.fixture
def test_key(restaurant):
    return {"Authorization": f"Bearer {restaurant.makes_key('messages:send', 'messages:read')}"}


@pytest.fixture
def post(client, restaurant):
    def posts(path, body, **headers):
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = headers.pop("content_type", "application/json")
        return client.post(
            f"{API}{path}", data=sent, content_type=kind, headers={**restaurant.bearer, **headers}
        )

    return posts


def codes(answer):
    return [(fault["field"], fault["code"]) for fault in answer.json["errors"]]


@pytest.mark.parametrize(
    "until",
    [
        "2026-11-17T10:00:00-17:00",
        "2999-11-17T10:00:00+23:59",
        "9999-12-31T23:59:59-14:00",
        1794785000,
        "1794785000",
        "-1",
        0.5,
        True,
        "tomorrow",
    ],
)
def test_an_odd_time_is_refused_not_a_crash(call, bistro, until):  # noqa: F811
    ayran = bistro.items["Ayran"]
    for path, body in (
        (f"/sites/{bistro.site_id}/sold-out", {"id": ayran, "until": until}),
        (f"/sites/{bistro.site_id}/pause", {"until": until}),
        ("/messages/send", {"phone": PHONE, "message": "Hi", "scheduled_at": until}),
        ("/webhooks/replay", {"since": until}),
    ):
        answer = call("POST", path, body)
        assert answer.status_code == 422, (path, answer.json)
    for path in ("/messages?since=", "/orders?until=", "/webhooks/deliveries?since="):
        assert call("GET", f"{path}{until}").status_code == 422, path


def test_a_day_is_not_a_unix_time(call):  # noqa: F811
    for path in ("/usage?since=0", "/usage?until=1794785000"):
        assert call("GET", path).status_code == 422, path
    assert call("GET", "/usage?since=2026-11-01").status_code in (200, 422)


def test_empty_texts_of_no_code_tools_count_as_left_out(post, bistro):  # noqa: F811
    answer = post(
        "/messages/send",
        {
            "phone": PHONE,
            "message": "Hi",
            "instance_id": "",
            "reference": "",
            "scheduled_at": "",
            "valid_for_seconds": "",
            "fallback_template": "",
        },
        Prefer="respond-async",
    )
    assert (answer.status_code, answer.json.get("reference")) == (202, None), answer.json


def test_all_faults_are_reported_at_once(post):
    answer = post("/messages/send", {"phone": "x", "message": " ", "valid_for_seconds": 1})
    assert answer.status_code == 422
    assert set(codes(answer)) == {
        ("phone", "invalid_phone"),
        ("message", "empty_message"),
        ("valid_for_seconds", "invalid"),
    }
    assert answer.json["code"] == "invalid_phone"
    assert set(codes(post("/messages/send", {"phone": "12"}))) == {
        ("phone", "invalid_phone"),
        ("message", "missing"),
    }


def test_unknown_fields_are_named_on_every_body_and_inside_it(call, bistro):  # noqa: F811
    body = order_body(bistro, table="12", customer={"phone": "", "nmae": "Ayşe"})
    body["items"][0]["zzz"] = 1
    made = call("POST", "/orders", body, key="warned-1")
    assert made.status_code == 201, made.json
    named = [
        "unknown field ignored: customer.nmae",
        "unknown field ignored: items.0.zzz",
        "unknown field ignored: table",
    ]
    assert sorted(made.json["warnings"]) == named
    again = call("POST", "/orders", body, key="warned-1")
    assert sorted(again.json["warnings"]) == named
    changed = call("PATCH", f"/sites/{bistro.site_id}", {"nmae": "X"})
    assert changed.json["warnings"] == ["unknown field ignored: nmae"]
    menu = {"name": "Menü", "currency": "TRY", "languages": ["tr"], "colour": "red"}
    assert call("POST", "/menus", menu).json["warnings"] == ["unknown field ignored: colour"]
    assert "warnings" not in call("GET", "/menus").json


def test_unknown_query_names_are_named_and_wrong_values_refused(call, bistro):  # noqa: F811
    answer = call("GET", "/messages?zzz=1&limit=5")
    assert answer.json["warnings"] == ["unknown parameter ignored: zzz"]
    for path in (
        "/messages?status_code=nope",
        "/messages?state=nope",
        "/messages?line=0",
        "/messages?phone=a%20b",
        "/orders?status=nonsense",
        "/print-jobs?state=nope",
        "/templates?state=nope",
    ):
        assert call("GET", path).status_code == 422, path
    assert call("GET", "/messages?phone=%2B905321112233&state=failed&line=7").status_code == 200


def test_filters_by_state_and_line_are_the_same_as_by_their_wire_names(call, bistro):  # noqa: F811
    call("POST", "/orders", order_body(bistro))
    for names in ("state=received", "status_code=received"):
        assert call("GET", f"/messages?{names}").json == {"data": [], "next": None}


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"1", b"null", b"[" * 40 + b"]" * 40])
def test_a_body_that_is_no_object_is_refused(post, body):
    answer = post("/messages/send", body)
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_body")


def test_a_body_nested_too_deeply_is_refused(post):
    answer = post("/messages/send", b'{"x":' + b"[" * 40 + b"]" * 40 + b"}")
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_body")
    assert "32 levels" in answer.json["message"]


def test_a_list_of_patch_operations_is_another_media_type(post):
    answer = post("/messages/send", b"{}", content_type="application/json-patch+json")
    assert answer.status_code == 415
    assert post("/messages/send", b"{}", content_type="application/vnd.x+json").status_code == 422


def test_addresses_that_only_send_answer_no_get(client, restaurant):
    for name in ("send", "send-media", "send-location", "send-template"):
        answer = client.get(f"{API}/messages/{name}", headers=restaurant.bearer)
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
        assert client.head(f"{API}/messages/{name}", headers=restaurant.bearer).status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "/messages",
        "/orders",
        "/contacts",
        "/conversations",
        "/campaigns",
        "/audiences",
        "/payment-links",
        "/print-jobs",
        "/loyalty/coupons",
        "/webhooks/deliveries",
        "/templates",
    ],
)
def test_a_wrong_cursor_is_a_wrong_parameter_everywhere(call, path):  # noqa: F811
    for cursor in ("zzz", "msg_zzz", "1.zzz"):
        answer = call("GET", f"{path}?after={cursor}")
        assert (answer.status_code, answer.json["code"]) == (422, "invalid_cursor"), answer.json


def test_a_wrong_id_in_the_path_is_still_not_found(call):  # noqa: F811
    assert call("GET", "/messages/zzz?after=zzz").status_code == 404


def test_a_chunked_body_above_the_limit_is_too_large(app, client, restaurant):
    answer = client.post(
        f"{API}/messages/send",
        input_stream=io.BytesIO(b'{"message":"' + b"x" * (3 * 1024 * 1024)),
        content_type="application/json",
        headers={**restaurant.bearer, "Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input_terminated": True, "CONTENT_LENGTH": ""},
    )
    assert (answer.status_code, answer.json["code"]) == (413, "body_too_large")


def test_nothing_to_change_is_a_wrong_parameter(call):  # noqa: F811
    answer = call("PATCH", "/conversations/cnv_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z", {})
    assert (answer.status_code, answer.json["code"]) == (422, "nothing_to_change")


def test_a_fault_of_a_period_names_its_parameter(call):  # noqa: F811
    answer = call("GET", "/usage?since=2026-02-01&until=2026-01-01")
    assert answer.status_code == 422
    assert codes(answer) == [("since", "invalid_period")]


def test_the_scope_is_checked_before_parameters(client, restaurant):
    headers = {"Authorization": f"Bearer {restaurant.makes_key('messages:send')}"}
    for path in ("/delivery-zones", "/couriers", "/tables", "/messages?limit=0"):
        answer = client.get(f"{API}{path}", headers=headers)
        assert (answer.status_code, answer.json["code"]) == (403, "missing_scope"), path
    answer = client.post(f"{API}/orders", data=b"{", headers=headers)
    assert answer.status_code == 403


def test_answers_do_not_vary_by_cookie(client, restaurant):
    answer = client.get(f"{API}/me", headers=restaurant.bearer)
    assert "Cookie" not in answer.headers.get("Vary", "")


@pytest.mark.parametrize(
    "text", ["\u200b", "\ufeff", "\u2060", "\u3164", "\u2800", "\ufe0f", "\x01", " \u200b\n"]
)
def test_a_text_that_shows_nothing_is_empty(post, text):
    answer = post("/messages/send", {"phone": PHONE, "message": text})
    assert (answer.status_code, answer.json["code"]) == (422, "empty_message")


def test_the_limit_counts_utf16_after_nfc(post):
    long = post("/messages/send", {"phone": PHONE, "message": "😀" * 2049})
    assert (long.status_code, long.json["code"]) == (422, "long_message")
    assert text_values.utf16_length("😀" * 2048) == 4096
    assert text_values.is_visible("❤️")
    assert text_values.utf16_length(text_values.normalize_text("e\u0301" * 4096)) == 4096


def test_only_what_is_on_the_menu_can_be_sold_out(call, bistro):  # noqa: F811
    path = f"/sites/{bistro.site_id}/sold-out"
    stranger = call("POST", path, {"id": "itm_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"})
    assert (stranger.status_code, stranger.json["code"]) == (422, "unknown_item")
    past = call("POST", path, {"id": bistro.items["Ayran"], "until": "2020-01-01T00:00:00Z"})
    assert (past.status_code, past.json["code"]) == (422, "invalid_time")
    assert call("GET", path).json["data"] == []
    option = next(iter(bistro.options.values())) if getattr(bistro, "options", None) else None
    if option:
        assert call("POST", path, {"id": option}).status_code == 200
