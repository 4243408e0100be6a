"""A stored body shows what happened to which object, and no personal data."""

import json

import pytest

from tenants.masking import masked_body, masked_path, masked_query

PEOPLE = ("905321112233", "Zeynep", "Masanız", "s3cret", "kumru-token", "41.0082")


def masked(body):
    return json.loads(masked_body(json.dumps(body).encode())[0])


def test_a_send_keeps_its_form_and_the_end_of_the_number():
    kept = masked({"phone": "905321112233", "message": "Masanız hazır.", "instance_id": 7})
    assert kept == {"phone": "**********33", "message": "… 14 characters", "instance_id": 7}


def test_an_answer_keeps_state_cost_and_our_id():
    answer = {
        "status": "success",
        "message_id": "wamid.HBgMOTA1MzIxMTEyMjMzFQIAERgS",
        "status_code": "sent",
        "cost_usd": 0.0034,
        "id": "msg_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z",
        "phone": "905321112233",
        "test": False,
    }
    kept = masked(answer)
    assert kept["message_id"] == "wamid.…IAERgS"
    assert (kept["status_code"], kept["cost_usd"], kept["test"]) == ("sent", 0.0034, False)
    assert kept["id"] == answer["id"]


def test_a_refusal_keeps_its_sentence_without_the_number_in_it():
    body = {
        "status": "error",
        "code": "invalid_phone",
        "message": "phone must be digits only: 905321112233",
        "errors": [{"field": "phone", "code": "invalid_phone", "message": "try 905321112233"}],
    }
    text, code = masked_body(json.dumps(body).encode())
    assert code == "invalid_phone"
    assert "phone must be digits only" in text
    assert "905321112233" not in text


@pytest.mark.parametrize(
    "body",
    [
        {"name": "Zeynep", "note": {"text": ["Zeynep", {"deep": "Zeynep"}]}},
        {"token": "s3cret", "secret": "s3cret", "api_key": "s3cret", "url": "https://h/s3cret"},
        {"callback_url": "https://u:s3cret@h.example/kumru-token"},
        {"latitude": 41.0082, "longitude": 41.0082},
        {"phone": 905321112233, "to": "+90 532 111 22 33", "recipient": "Zeynep"},
        {"status": "error", "message": "for 905321112233", "name": "Zeynep"},
        {"message": "Masanız 905321112233"},
        {"type": "Zeynep Arslan"},
        {"905321112233": 1},
        ["Zeynep", "905321112233"],
        "Zeynep",
    ],
)
def test_nothing_of_a_person_and_no_secret_is_kept(body):
    kept, _ = masked_body(json.dumps(body).encode())
    assert not [word for word in PEOPLE if word in kept], kept
    assert "532 111" not in kept


def test_large_long_deep_and_broken_bodies_are_reported_by_their_size():
    assert masked_body(104233) == ("… 104233 bytes", "")
    assert masked_body(b"{not json") == ("… 9 bytes that are not JSON", "")
    assert masked_body(b"[" * 100_000)[0] == "… 100000 bytes that are not JSON"
    assert masked_body(b"") == ("", "")
    assert masked([1, 2, 3, 4, 5, 6, 7]) == [1, 2, 3, 4, 5, "… 2 more"]
    deep = json.loads("[" * 40 + "1" + "]" * 40)
    assert json.dumps(masked(deep)).count("[") == 12
    wide, _ = masked_body(json.dumps({f"field{n}": "x" * 50 for n in range(900)}).encode())
    assert len(wide) <= 4001


def test_addresses_and_paths_are_masked_too():
    assert (
        masked_query("phone=905321112233&limit=5&q=Zeynep")
        == "phone=**********33&limit=5&q=… 6 characters"
    )
    path = "/api/v1/messages/msg_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"
    assert masked_path(path) == path
    assert "MOTA1MzIx" not in masked_path("/api/v1/messages/wamid.HBgMOTA1MzIxMTEyMjMzFQIAERgS")


def test_unstorable_characters_are_left_out():
    for kept in (
        masked_body(b'{"\\ud800\\u0000": 1}')[0],
        masked_query("%ff%00=%00&" * 3),
        masked_query("a&" * 500),
        masked_path("/api/v1/messages/\0\ud800"),
    ):
        assert "\0" not in kept
        kept.encode()
