"""What the network posts to us, in our words."""

import pytest

from core.security.signing import hmac_hex
from core.values.reasons import reason_code
from messaging import reasons
from messaging.lines.drivers.cloud import driver as cloud_driver
from messaging.reasons import NETWORK_REASONS, with_quote
from tests.messaging.lines.cloud_payloads import (
    PERSON,
    body,
    change,
    line_update,
    message,
    read,
    receipt,
)

# Signatures


def test_a_body_is_verified_by_its_bytes():
    raw = b'{"a": "\xc3\xa7"}'
    headers = {"X-Hub-Signature-256": f"sha256={hmac_hex('secret', raw)}"}
    assert cloud_driver.verify_signature("secret", headers, raw)
    assert cloud_driver.verify_signature(
        "secret", {"x-hub-signature-256": headers["X-Hub-Signature-256"]}, raw
    )
    assert not cloud_driver.verify_signature("secret", headers, raw + b" ")
    assert not cloud_driver.verify_signature("other", headers, raw)


@pytest.mark.parametrize("given", ["", "sha256=", "sha256=zz", "sha1=aa", "\udcff"])
def test_a_signature_that_is_none_does_not_fit(given):
    assert not cloud_driver.verify_signature("secret", {"X-Hub-Signature-256": given}, b"{}")


def test_no_secret_verifies_nothing():
    raw = b"{}"
    assert not cloud_driver.verify_signature(
        "", {"X-Hub-Signature-256": f"sha256={hmac_hex('', raw)}"}, raw
    )
    assert not cloud_driver.verify_signature("secret", {}, raw)


# Messages


def test_a_text():
    taken = read(message())
    assert (taken.network_id, taken.kind, taken.text, taken.at) == (
        "wamid.A",
        "text",
        "hi",
        1_700_000_000,
    )
    assert (taken.sender_phone, taken.sender_network_id, taken.sender_name) == (
        "905321112233",
        "TR.1",
        "Ada",
    )


@pytest.mark.parametrize(
    ("kind", "part", "ours", "text", "content"),
    [
        (
            "image",
            {"id": "5", "mime_type": "image/jpeg", "sha256": "x=", "caption": "look"},
            "image",
            "look",
            {"id": "5", "mime_type": "image/jpeg", "sha256": "x=", "caption": "look"},
        ),
        (
            "audio",
            {"id": 5, "mime_type": "audio/ogg", "voice": True},
            "audio",
            "",
            {"id": "5", "mime_type": "audio/ogg", "voice": True},
        ),
        (
            "location",
            {"latitude": 41, "longitude": 28.5, "name": "Home"},
            "location",
            "",
            {"latitude": 41, "longitude": 28.5, "name": "Home"},
        ),
        (
            "button",
            {"text": "Yes", "payload": "Y"},
            "button",
            "Yes",
            {"id": "Y", "title": "Yes"},
        ),
        (
            "interactive",
            {"type": "list_reply", "list_reply": {"id": "a", "title": "A", "description": "d"}},
            "button",
            "A",
            {"id": "a", "title": "A", "description": "d"},
        ),
        (
            "reaction",
            {"message_id": "wamid.B", "emoji": "👍"},
            "reaction",
            "👍",
            {"message_id": "wamid.B", "emoji": "👍"},
        ),
        (
            "order",
            {
                "catalog_id": "c",
                "product_items": [
                    {
                        "product_retailer_id": "S",
                        "quantity": 2,
                        "item_price": 12.1,
                        "currency": "TRY",
                    }
                ],
            },
            "order",
            "",
            {
                "catalog_id": "c",
                "items": [
                    {
                        "product_retailer_id": "S",
                        "quantity": 2,
                        "item_price": "12.1",
                        "currency": "TRY",
                    }
                ],
            },
        ),
    ],
)
def test_each_kind(kind, part, ours, text, content):
    taken = read(message(kind, part))
    assert (taken.kind, taken.text, taken.content) == (ours, text, content)


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("hologram", {"x": 1}),
        ("text", None),
        ("text", {"body": ""}),
        ("text", "hi"),
        ("image", {}),
        ("image", ["5"]),
        ("location", {"latitude": "41", "longitude": 28}),
        ("location", {"latitude": 91, "longitude": 28}),
        ("contacts", {"name": "x"}),
        ("interactive", {"type": "button_reply"}),
        ("interactive", {"type": {"a": 1}}),
        ("order", {"product_items": 7}),
        ("reaction", {"emoji": "x"}),
        ("unsupported", {"type": "poll"}),
    ],
)
def test_what_cannot_be_read_is_unsupported_but_not_lost(kind, part):
    taken = read(message(kind, part, text=part if kind == "text" else None))
    assert taken.kind == "unsupported"
    assert taken.sender_phone == "905321112233"


def test_what_is_said_beside_a_message():
    taken = read(
        message(context={"id": "wamid.Q", "forwarded": True}, referral={"source_id": "ad"})
    )
    assert taken.content == {
        "reply_to": "wamid.Q",
        "forwarded": True,
        "referral": {"source_id": "ad"},
    }


# Senders


def sender(contacts=(), **more):
    one = message(**more)
    if more.get("from") is None:
        one.pop("from", None)
    taken = read(one, contacts)
    return taken and (taken.sender_phone, taken.sender_network_id, taken.sender_name)


def test_a_sender_without_a_phone_has_the_networks_id():
    hidden = {"profile": {"name": "Ada", "username": "@ada"}, "user_id": "TR.9"}
    assert sender([hidden], from_user_id="TR.9") == ("", "TR.9", "Ada")
    assert sender([hidden], **{"from": "TR.9"}) == ("", "TR.9", "Ada")
    assert sender([], **{"from": "123456789012345@lid"}) == ("", "123456789012345@lid", "")


def test_a_user_name_is_used_as_the_name():
    hidden = {"profile": {"username": "@ada"}, "user_id": "TR.9"}
    assert sender([hidden], from_user_id="TR.9") == ("", "TR.9", "@ada")


def test_a_phone_in_the_networks_other_spellings():
    assert sender([], **{"from": "905321112233@s.whatsapp.net"}) == ("905321112233", "", "")
    brazil = {"profile": {"name": "Rui"}, "wa_id": "551187654321"}
    assert sender([brazil], **{"from": "5511987654321"}) == ("5511987654321", "", "Rui")


def test_another_persons_name_does_not_stick():
    other = {"profile": {"name": "Eve"}, "wa_id": "15550009999", "user_id": "US.2"}
    assert sender([other], **{"from": "905321112233"}) == ("905321112233", "", "")


def test_two_people_in_one_body_keep_their_names():
    two = [PERSON, {"profile": {"name": "Bob"}, "wa_id": "15550002222"}]
    messages = [message(), message(**{"from": "15550002222", "id": "wamid.B"})]
    [parsed] = cloud_driver.parse_webhook(body(change(contacts=two, messages=messages)))
    assert [one.sender_name for one in parsed.messages] == ["Ada", "Bob"]


# Receipts


@pytest.mark.parametrize(
    ("said", "ours"),
    [("sent", "sent"), ("delivered", "delivered"), ("read", "read"), ("played", "read")],
)
def test_states(said, ours):
    assert receipt(status=said).state == ours


def test_a_receipt_echoes_our_id_and_settles_the_price():
    taken = receipt(
        biz_opaque_callback_data="msg_01",
        recipient_id="905321112233",
        pricing={"billable": False, "category": "utility"},
    )
    assert (taken.our_id, taken.recipient, taken.category, taken.billable) == (
        "msg_01",
        "905321112233",
        "utility",
        False,
    )


@pytest.mark.parametrize(
    ("pricing", "category", "billable", "type_"),
    [
        ({"type": "regular", "category": "marketing"}, "marketing", True, "regular"),
        (
            {"type": "free_customer_service", "category": "service"},
            "service",
            False,
            "free_customer_service",
        ),
        (
            {"type": "free_entry_point", "billable": False, "category": "utility"},
            "utility",
            False,
            "free_entry_point",
        ),
        (
            {"billable": False, "category": "referral_conversion"},
            "service",
            False,
            "free_entry_point",
        ),
        ({"type": "regular", "category": "marketing_lite"}, "marketing", True, "regular"),
        ({"category": "authentication_international"}, "authentication", None, ""),
        ({}, "", None, ""),
        ("free", "", None, ""),
    ],
)
def test_pricing_in_its_older_and_newer_form(pricing, category, billable, type_):
    taken = receipt(pricing=pricing)
    assert (taken.category, taken.billable, taken.pricing_type) == (category, billable, type_)


def test_a_failure_gives_the_reason_in_our_words():
    taken = receipt(status="failed", errors=[{"code": 131047, "title": "Re-engagement message"}])
    assert (taken.state, taken.error_code) == ("failed", "window_closed")
    assert taken.error_reason == with_quote(reasons.WINDOW_CLOSED, "Re-engagement message")
    assert receipt(status="failed").error_code == "refused_by_network"


@pytest.mark.parametrize(
    "status",
    [{"recipient_type": "group"}, {"status": "warning"}, {"status": 7}, {"id": None}, {"id": ""}],
)
def test_receipts_that_move_nothing_are_left_out(status):
    assert receipt(**status) is None


# News


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        (
            "account_update",
            {"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": "DISABLE"}},
            "restricted",
        ),
        (
            "account_update",
            {"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": "REINSTATE"}},
            "restored",
        ),
        (
            "account_update",
            {
                "event": "ACCOUNT_RESTRICTION",
                "restriction_info": [{"restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING"}],
            },
            "restricted",
        ),
        ("account_update", {"event": "ACCOUNT_VIOLATION"}, "account"),
        ("account_update", {"event": 7}, "account"),
        (
            "phone_number_quality_update",
            {"display_phone_number": "15550001111", "event": "FLAGGED", "current_limit": "TIER_1K"},
            "quality",
        ),
        (
            "message_template_status_update",
            {"event": "REJECTED", "message_template_name": "menu", "reason": "ABUSIVE_CONTENT"},
            "template",
        ),
        (
            "business_capability_update",
            {"max_daily_conversations_per_business": 2000},
            "capability",
        ),
    ],
)
def test_updates_of_the_line(field, value, kind):
    one = line_update(field, **value)
    assert (one.kind, one.detail["field"], one.detail["account_id"]) == (kind, field, "900")


def test_a_line_update_has_a_sentence():
    flagged = line_update(
        "phone_number_quality_update",
        display_phone_number="+15550001111",
        event="FLAGGED",
        current_limit="TIER_1K",
    )
    assert (flagged.detail["phone"], flagged.detail["worse"]) == ("15550001111", True)
    assert NETWORK_REASONS.english(flagged.detail["because"]) == (
        "Recipients are blocking or reporting this number. Its quality rating has "
        "dropped. It may now reach 1000 people a day."
    )
    rejected = line_update(
        "message_template_status_update", event="REJECTED", message_template_name="menu", reason="X"
    )
    assert rejected.detail["because"] == "The template menu is now rejected (X)."


def test_a_customers_choice_on_marketing():
    one = line_update(
        "user_preferences",
        user_preferences=[{"wa_id": "905321112233", "value": "stop", "timestamp": 1_700_000_000}],
    )
    assert (one.kind, one.detail["phone"], one.detail["value"]) == (
        "marketing",
        "905321112233",
        "stop",
    )


def test_a_changed_number_is_an_update_not_a_message():
    system = {"wa_id": "905329998877", "body": "Ada changed"}
    [parsed] = cloud_driver.parse_webhook(body(change(messages=[message("system", system)])))
    assert parsed.messages == []
    assert (parsed.updates[0].kind, parsed.updates[0].detail["new_phone"]) == (
        "number_changed",
        "905329998877",
    )


def test_a_voice_message_is_audio_with_its_file():
    taken = read(message("voice", {"id": "77", "mime_type": "audio/ogg"}))
    assert (taken.kind, taken.content["id"], taken.content["voice"]) == ("audio", "77", True)


def test_an_edit_and_a_deletion_are_no_messages():
    edit = {
        "original_message_id": "wamid.0",
        "message": {"type": "text", "text": {"body": "yarın"}},
    }
    revoke = {"original_message_id": "wamid.1"}
    raw = body(change(messages=[message("edit", edit), message("revoke", revoke)]))
    [parsed] = cloud_driver.parse_webhook(raw)
    assert parsed.messages == []
    assert [(one.kind, one.detail["network_id"]) for one in parsed.updates] == [
        ("edited", "wamid.0"),
        ("deleted", "wamid.1"),
    ]
    assert parsed.updates[0].detail["text"] == "yarın"


def test_a_name_is_found_by_an_id_that_is_no_phone():
    kerry = {"profile": {"name": "Kerry Fisher"}, "wa_id": "16315551234X"}
    taken = read(message() | {"from": "16315551234X"}, contacts=(kerry, PERSON))
    assert (taken.sender_phone, taken.sender_name) == ("", "Kerry Fisher")


def test_what_is_not_taken_leaves_a_trace():
    [parsed] = cloud_driver.parse_webhook(body(change(messages=[message(group_id="g1")])))
    assert parsed.skipped == ['part_of_group {"place": "entry[0].changes[0].messages[0]"}']
    echoes = change(field="smb_message_echoes", message_echoes=[{"id": "wamid.1", "type": "text"}])
    [parsed] = cloud_driver.parse_webhook(body(echoes))
    assert reason_code(parsed.skipped[0]) == "part_without_sender"
