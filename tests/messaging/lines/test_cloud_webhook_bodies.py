"""Whole bodies of the network: every part is taken, and nothing in one can break the reader."""

import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from messaging.lines.drivers.cloud import driver as cloud_driver
from tests.messaging.lines.cloud_payloads import PERSON, body, change, message, read

SHARED = Path(__file__).parents[4] / "shared" / "fixtures" / "david-lev-pywa" / "updates"
KINDS = {
    "text",
    "image",
    "video",
    "audio",
    "document",
    "sticker",
    "location",
    "contacts",
    "button",
    "reaction",
    "order",
    "unsupported",
}


def test_all_entries_and_changes_are_taken_and_sorted_by_line():
    first = {
        "id": "900",
        "changes": [
            change("111", messages=[message(id="wamid.1")]),
            change("222", messages=[message(id="wamid.2")]),
        ],
    }
    second = {"id": "900", "changes": [change("111", statuses=[{"id": "w", "status": "read"}])]}
    found = cloud_driver.parse_webhook(json.dumps({"entry": [first, second]}).encode())
    assert [one.phone_number_id for one in found] == ["111", "222"]
    assert [len(one.messages) for one in found] == [1, 1]
    assert len(found[0].receipts) == 1


@pytest.mark.parametrize(
    "bad",
    [
        None,
        7,
        "x",
        [],
        {},
        {"from": "905321112233"},
        message(id=None),
        message(group_id="g"),
        message(**{"from": None}),
        message(**{"from": ["905321112233"]}),
        {"id": "x" * 600, "from": "905321112233"},
    ],
)
def test_a_bad_part_is_skipped_and_the_others_are_applied(bad):
    messages = [message(id="wamid.1"), bad, message(id="wamid.2")]
    [parsed] = cloud_driver.parse_webhook(body(change(contacts=[PERSON, 7, {}], messages=messages)))
    assert [one.network_id for one in parsed.messages] == ["wamid.1", "wamid.2"]


def test_bad_changes_and_entries_leave_the_others():
    raw = {
        "entry": [
            None,
            {"changes": 7},
            {"changes": [None, {"value": 7}, change(messages=[message()])]},
        ]
    }
    [parsed] = cloud_driver.parse_webhook(json.dumps(raw).encode())
    assert len(parsed.messages) == 1


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"not json",
        b"[]",
        b"7",
        b"{}",
        b'{"entry": {}}',
        b'{"entry": [' + b"[" * 100_000,
        b'{"entry": "' + b"\0" + b'"}',
        b'{"entry": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_body_that_is_not_the_networks_is_called_unreadable(raw):
    with pytest.raises(cloud_driver.UnreadableWebhook):
        cloud_driver.parse_webhook(raw)


def test_what_cannot_be_stored_is_replaced():
    raw = body(change(messages=[message(part={"body": "AAA"})])).replace(
        b"AAA", rb"a\u0000b\ud800c"
    )
    [parsed] = cloud_driver.parse_webhook(raw)
    assert parsed.messages[0].text == "a\ufffdb\ufffdc"


def test_an_emoji_behind_escapes_stays_whole():
    raw = body(change(messages=[message(part={"body": "AAA"})])).replace(b"AAA", rb"\ud83d\ude00")
    assert cloud_driver.parse_webhook(raw)[0].messages[0].text == "😀"


def test_bytes_that_are_no_text_do_not_lose_the_others():
    raw = body(change(messages=[message(part={"body": "AAA"}), message(id="wamid.2")]))
    [parsed] = cloud_driver.parse_webhook(raw.replace(b"AAA", b"\xff\xed\xa0\x80"))
    assert len(parsed.messages) == 2
    parsed.messages[0].text.encode()


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity"])
def test_numbers_that_are_none_do_not_get_through(number):
    raw = body(change(messages=[message("location", {"latitude": "AAA", "longitude": 1.0})]))
    [parsed] = cloud_driver.parse_webhook(raw.replace(b'"AAA"', number.encode()))
    assert parsed.messages[0].kind == "unsupported"


@pytest.mark.parametrize("stamp", [None, "", "soon", -5, 10**30, True, "1e9", 1.5, [1]])
def test_a_time_that_is_none_is_now(stamp):
    assert abs(read(message(timestamp=stamp)).at - time.time()) < 5


@pytest.mark.parametrize("stamp", [1_700_000_000, "1700000000"])
def test_a_time_as_number_or_text(stamp):
    assert read(message(timestamp=stamp)).at == 1_700_000_000


# Nothing breaks it

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
SAMPLES = [
    body(change(contacts=[PERSON], messages=[message(kind, part)]))
    for kind, part in [
        ("text", {"body": "hi"}),
        ("image", {"id": "5", "mime_type": "image/png"}),
        ("location", {"latitude": 1.0, "longitude": 2.0}),
        ("contacts", [{"name": {"formatted_name": "A"}, "phones": [{"phone": "1"}]}]),
        ("interactive", {"type": "button_reply", "button_reply": {"id": "a", "title": "b"}}),
        ("order", {"product_items": [{"item_price": 1, "quantity": 1}]}),
        ("system", {"wa_id": "905321112233"}),
    ]
] + [
    body(
        change(statuses=[{"id": "w", "status": "failed", "errors": [{"code": 1}], "pricing": {}}])
    ),
    body({"field": "account_update", "value": {"event": "DISABLED_UPDATE", "ban_info": {}}}),
    body({"field": "user_preferences", "value": {"user_preferences": [{"wa_id": "1"}]}}),
]


def places(value, way=()):
    yield way
    if isinstance(value, dict):
        for name, part in value.items():
            yield from places(part, (*way, name))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from places(part, (*way, number))


@settings(max_examples=300, deadline=None)
@given(sample=st.sampled_from(SAMPLES), junk=JUNK, seed=st.integers(0, 10**6))
def test_junk_in_any_place_never_breaks_the_reader(sample, junk, seed):
    value = json.loads(sample)
    way = random.Random(seed).choice([way for way in places(value) if way])
    holder = value
    for step in way[:-1]:
        holder = holder[step]
    holder[way[-1]] = junk
    try:
        found = cloud_driver.parse_webhook(json.dumps(value).encode())
    except cloud_driver.UnreadableWebhook:
        assert way == ("entry",)
        return
    for parsed in found:
        for taken in parsed.messages:
            assert taken.kind in KINDS
            assert taken.network_id
            assert taken.sender_phone or taken.sender_network_id
            stored = json.dumps([taken.text, taken.content], allow_nan=False)
            assert "\\u0000" not in stored
        for taken in parsed.receipts:
            assert taken.state in ("sent", "delivered", "read", "failed")


# Somebody else's collection of real bodies

shared_fixtures = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"the collection of real bodies is not at {SHARED}"
)


def cases():
    for file in sorted(SHARED.glob("*.json")):
        for name, case in json.loads(file.read_text()).items():
            yield pytest.param(file.stem, name, case, id=f"{file.stem}-{name}")


@shared_fixtures
def test_the_collection_is_looked_at():
    assert len(list(cases())) > 30


@shared_fixtures
@pytest.mark.parametrize(("file", "name", "case"), list(cases()))
def test_real_bodies(file, name, case):
    [parsed] = cloud_driver.parse_webhook(json.dumps(case).encode())
    if file == "user_marketing_preferences":
        assert [one.kind for one in parsed.updates] == ["marketing"]
    elif file == "message_status":
        assert len(parsed.receipts) == (0 if name == "group" else 1)
    else:
        [taken] = parsed.messages
        expected = {
            "callback_button": "button",
            "callback_selection": "button",
            "flow_completion": "button",
        }.get(file) or {
            "media_with_url": "image",
            "voice": "audio",
            "static_sticker": "sticker",
            "animated_sticker": "sticker",
            "unreaction_empty": "reaction",
            "unreaction_no_emoji": "reaction",
            "current_location": "location",
            "chosen_location": "location",
            "unsupported_with_type": "unsupported",
            "interactive_message_with_err": "unsupported",
            **dict.fromkeys(("reply", "forwarded", "forwarded_many_times", "referral"), "text"),
        }.get(name, name)
        assert taken.kind == expected
        assert taken.sender_phone == "972987654321"
        assert taken.sender_network_id == "US.13491208655302741918"
