"""The real library's events and messages, turned into ours and back, without a network."""

from types import SimpleNamespace as Thing

import pytest

from messaging import reasons
from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.linked.client import (
    ClientUnavailable,
    EchoReceived,
    LinkedSession,
    MediaFileBody,
    MessageReceived,
    ReceiptReceived,
)
from messaging.lines.drivers.linked.neonize_client import NeonizeClient
from messaging.lines.drivers.linked.neonize_mapping import (
    message_fields,
    parse_device,
    read_message,
    read_receipt,
    recipient_fields,
)

NOBODY = Thing(User="", Server="")
PLACE = {"degreesLatitude": 41.0, "degreesLongitude": 29.0, "name": "", "address": ""}
EMPTY = {
    "conversation": "",
    "extendedTextMessage": Thing(text=""),
    "imageMessage": Thing(mimetype="", caption=""),
    "videoMessage": Thing(mimetype="", caption=""),
    "audioMessage": Thing(mimetype=""),
    "documentMessage": Thing(mimetype="", caption="", fileName=""),
    "locationMessage": Thing(degreesLatitude=0.0, degreesLongitude=0.0, name="", address=""),
}


def jid(user, server="s.whatsapp.net"):
    return Thing(User=user, Server=server)


def parsed(
    message, sender=None, other=NOBODY, chat=None, from_me=False, group=False, at=1700000000
):
    sender = sender or jid("905321112233")
    source = Thing(
        Chat=chat or sender,
        Sender=sender,
        SenderAlt=other,
        RecipientAlt=other,
        IsFromMe=from_me,
        IsGroup=group,
    )
    info = Thing(ID="3EB0AB", MessageSource=source, Pushname="Ayşe", Timestamp=at)
    return Thing(Info=info, Message=Thing(**{**EMPTY, **message}))


def received(event):
    [one] = read_message(event)
    assert isinstance(one, MessageReceived)
    return one.message


@pytest.mark.parametrize(
    ("message", "kind", "text", "content"),
    [
        ({"conversation": "Merhaba"}, "text", "Merhaba", {}),
        ({"extendedTextMessage": Thing(text="https://e.com")}, "text", "https://e.com", {}),
        (
            {"imageMessage": Thing(mimetype="image/jpeg", caption="menü")},
            "image",
            "menü",
            {"id": "3EB0AB", "mime_type": "image/jpeg", "caption": "menü"},
        ),
        (
            {"documentMessage": Thing(mimetype="application/pdf", caption="", fileName="a.pdf")},
            "document",
            "",
            {"id": "3EB0AB", "mime_type": "application/pdf", "filename": "a.pdf"},
        ),
        (
            {
                "locationMessage": Thing(
                    degreesLatitude=41.0, degreesLongitude=29.0, name="Ev", address=""
                )
            },
            "location",
            "",
            {"latitude": 41.0, "longitude": 29.0, "name": "Ev"},
        ),
        ({}, "unsupported", "", {"type": "unknown"}),
    ],
)
def test_a_message_is_read(message, kind, text, content):
    found = received(parsed(message))
    assert (found.kind, found.text, found.content) == (kind, text, content)
    assert (found.sender_phone, found.sender_name, found.at) == ("905321112233", "Ayşe", 1700000000)
    assert found.network_id == "3EB0AB"


def test_somebody_may_hide_their_phone():
    hidden = jid("123456", "lid")
    found = received(parsed({"conversation": "x"}, hidden))
    assert (found.sender_phone, found.sender_network_id) == ("", "123456@lid")
    found = received(parsed({"conversation": "x"}, hidden, jid("905321112233")))
    assert (found.sender_phone, found.sender_network_id) == ("905321112233", "123456@lid")


def test_milliseconds_are_seen():
    assert received(parsed({"conversation": "x"}, at=1700000000123)).at == 1700000000


def test_groups_and_newsletters_are_left_out():
    assert read_message(parsed({"conversation": "x"}, group=True)) == []
    assert read_message(parsed({"conversation": "x"}, chat=jid("status", "broadcast"))) == []


def test_our_own_message_is_an_echo():
    event = parsed({"conversation": "x"}, chat=jid("905321112233"), from_me=True)
    assert read_message(event) == [EchoReceived("3EB0AB", "905321112233", "text", "x", 1700000000)]


@pytest.mark.parametrize(
    ("kind", "state"), [(1, "delivered"), (4, "read"), (6, "read"), (3, None), (5, None)]
)
def test_receipts(kind, state):
    event = Thing(Type=kind, MessageIDs=["a", "b"], Timestamp=1700000000)
    found = read_receipt(event)
    assert all(isinstance(one, ReceiptReceived) for one in found)
    assert [one.receipt.state for one in found] == ([state] * 2 if state else [])


def test_a_device_is_kept_as_text():
    assert parse_device("905321110000:12@s.whatsapp.net")["Device"] == 12
    assert parse_device("") == parse_device("nonsense") == {}


def test_a_message_goes_to_a_phone_or_to_a_hidden_id():
    to_phone, to_id = recipient_fields("905321112233"), recipient_fields("12345@lid")
    assert (to_phone["User"], to_phone["Server"]) == ("905321112233", "s.whatsapp.net")
    assert (to_id["User"], to_id["Server"]) == ("12345", "lid")


def envelope(kind, text="", **content):
    return Envelope("msg_1", 1, 1, 1, "905321112233", kind, text, content)


def test_what_leaves():
    assert message_fields(envelope("text", "hi"), None) == ("conversation", {"text": "hi"}, "")
    field, facts, _ = message_fields(
        envelope("location", latitude=1.0, longitude=2.0, name="Ev"), None
    )
    assert (field, facts["degreesLatitude"], facts["name"]) == ("locationMessage", 1.0, "Ev")
    file = MediaFileBody(b"x", "application/pdf", "a.pdf")
    field, facts, upload = message_fields(envelope("document", "bill"), file)
    assert (field, upload, facts["fileName"]) == ("documentMessage", "MediaDocument", "a.pdf")
    assert facts["caption"] == "bill"
    assert (
        "caption" not in message_fields(envelope("audio", "x"), MediaFileBody(b"x", "audio/ogg"))[1]
    )
    with pytest.raises(ValueError, match="template"):
        message_fields(envelope("template"), None)


def test_without_the_extra_an_error_explains_it(monkeypatch):
    monkeypatch.setattr("importlib.import_module", _missing)
    with pytest.raises(ClientUnavailable, match=reasons.CLIENT_NOT_INSTALLED):
        NeonizeClient("postgresql://nowhere/x", LinkedSession(1, 2, "x"))


def _missing(name):
    raise ModuleNotFoundError(name)
