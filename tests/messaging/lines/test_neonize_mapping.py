"""The real library's events and messages, turned into ours and back, without a network."""

from types import SimpleNamespace as Thing

import pytest

from messaging import reasons
from messaging.lines.drivers.base import Envelope, LineUpdate
from messaging.lines.drivers.linked.client import (
    ClientUnavailable,
    EchoReceived,
    LinkedSession,
    MediaFileBody,
    MessageChanged,
    MessageReceived,
    ReceiptReceived,
)
from messaging.lines.drivers.linked.neonize_client import NeonizeClient
from messaging.lines.drivers.linked.neonize_mapping import (
    chat_address,
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


VCARD = """BEGIN:VCARD
VERSION:3.0
FN:Mehmet
item1.TEL;waid=905329998877:+90 532 999 88 77
TEL;type=HOME:0212 555 11 22
END:VCARD"""
AD = Thing(
    title="Lunch",
    body="Two for one",
    sourceID="120",
    sourceURL="https://fb.me/x",
    sourceType="ad",
    thumbnailURL="",
    ctwaClid="clid",
    mediaType=1,
)


@pytest.mark.parametrize(
    ("message", "kind", "text", "content"),
    [
        (
            {"audioMessage": Thing(mimetype="audio/ogg", PTT=True)},
            "audio",
            "",
            {"id": "3EB0AB", "mime_type": "audio/ogg", "voice": True},
        ),
        (
            {"stickerMessage": Thing(mimetype="image/webp")},
            "sticker",
            "",
            {"id": "3EB0AB", "mime_type": "image/webp"},
        ),
        (
            {"liveLocationMessage": Thing(degreesLatitude=41.0, degreesLongitude=29.0)},
            "location",
            "",
            {"latitude": 41.0, "longitude": 29.0},
        ),
        (
            {"contactMessage": Thing(displayName="Mehmet", vcard=VCARD)},
            "contacts",
            "Mehmet",
            {"contacts": [{"name": "Mehmet", "phones": ["905329998877", "0212 555 11 22"]}]},
        ),
        (
            {"reactionMessage": Thing(key=Thing(ID="3EB0CD"), text="👍")},
            "reaction",
            "👍",
            {"message_id": "3EB0CD", "emoji": "👍"},
        ),
        (
            {
                "listResponseMessage": Thing(
                    title="Adana", singleSelectReply=Thing(selectedRowID="row-2")
                )
            },
            "button",
            "Adana",
            {"id": "row-2", "title": "Adana"},
        ),
        (
            {"buttonsResponseMessage": Thing(selectedButtonID="yes", selectedDisplayText="Yes")},
            "button",
            "Yes",
            {"id": "yes", "title": "Yes"},
        ),
        (
            {"orderMessage": Thing(orderID="9", message="By the door")},
            "order",
            "By the door",
            {"catalog_id": "", "items": []},
        ),
        (
            {
                "extendedTextMessage": Thing(
                    text="Hi", contextInfo=Thing(stanzaID="", externalAdReply=AD)
                ),
            },
            "text",
            "Hi",
            {
                "referral": {
                    "source_url": "https://fb.me/x",
                    "source_id": "120",
                    "source_type": "ad",
                    "headline": "Lunch",
                    "body": "Two for one",
                    "ctwa_clid": "clid",
                    "media_type": "image",
                }
            },
        ),
        (
            {
                "extendedTextMessage": Thing(text="", contextInfo=Thing(stanzaID="")),
                "imageMessage": Thing(
                    mimetype="image/jpeg",
                    caption="",
                    contextInfo=Thing(stanzaID="3EB0EF", isForwarded=True),
                ),
            },
            "image",
            "",
            {"id": "3EB0AB", "mime_type": "image/jpeg", "reply_to": "3EB0EF", "forwarded": True},
        ),
        ({"pollCreationMessageV3": Thing(name="Lunch?")}, "unsupported", "", {"type": "poll"}),
    ],
)
def test_a_linked_line_reads_what_a_cloud_line_reads(message, kind, text, content):
    found = received(parsed(message))
    assert (found.kind, found.text, found.content) == (kind, text, content)


def protocol(kind, text=""):
    edited = Thing(**{**EMPTY, "conversation": text})
    return {"protocolMessage": Thing(key=Thing(ID="3EB001"), type=kind, editedMessage=edited)}


@pytest.mark.parametrize("from_me", [False, True])
def test_an_edit_and_a_deletion_are_read(from_me):
    [edit] = read_message(parsed(protocol(14, "yarın"), from_me=from_me))
    [deletion] = read_message(parsed(protocol(0), from_me=from_me))
    detail = {"network_id": "3EB001", "id": "3EB0AB", "at": 1700000000}
    detail |= {"direction": "out" if from_me else "in", "person": "905321112233"}
    new = {"kind": "text", "text": "yarın"}
    assert edit == MessageChanged(LineUpdate("edited", {**detail, **new}))
    assert deletion == MessageChanged(LineUpdate("deleted", {**detail, "kind": "", "text": ""}))


@pytest.mark.parametrize("from_me", [False, True])
def test_what_devices_tell_each_other_is_left_out(from_me):
    assert read_message(parsed(protocol(5), from_me=from_me)) == []
    keys = read_message(parsed({}, chat=jid("905321112233"), from_me=from_me))
    assert (keys == []) is from_me


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


def test_voice_messages_stickers_cards_and_reactions_leave():
    voice = message_fields(envelope("voice"), MediaFileBody(b"x", "audio/ogg"))
    assert voice == (
        "audioMessage",
        {"mimetype": "audio/ogg; codecs=opus", "PTT": True},
        "MediaAudio",
    )
    sticker = message_fields(envelope("sticker"), MediaFileBody(b"x", "image/webp"))
    assert sticker == ("stickerMessage", {"mimetype": "image/webp"}, "MediaImage")
    field, facts, _ = message_fields(
        envelope("reaction", "👍", message_id="3EB0", emoji="👍"), None
    )
    assert (field, facts["text"]) == ("reactionMessage", "👍")
    assert facts["key"] == {
        "remoteJID": "905321112233@s.whatsapp.net",
        "fromMe": False,
        "ID": "3EB0",
    }
    derya = {
        "name": {"formatted_name": "Derya; Aksoy", "first_name": "Derya"},
        "phones": [{"phone": "+905321110000", "wa_id": "905321110000", "type": "CELL"}],
        "org": {"company": "Mavi"},
    }
    field, facts, _ = message_fields(envelope("contacts", "Derya", cards=[derya]), None)
    assert field == "contactMessage"
    assert facts["vcard"].split("\r\n") == [
        "BEGIN:VCARD",
        "VERSION:3.0",
        "N:;Derya;;;",
        "FN:Derya\\; Aksoy",
        "TEL;type=CELL;waid=905321110000:+905321110000",
        "ORG:Mavi",
        "END:VCARD",
    ]
    field, facts, _ = message_fields(envelope("contacts", "Both", cards=[derya, derya]), None)
    assert (field, len(facts["contacts"])) == ("contactsArrayMessage", 2)


def test_a_chat_is_addressed_by_its_phone_or_its_hidden_id():
    assert chat_address("905321112233")["Server"] == "s.whatsapp.net"
    assert chat_address("77@lid") == {**chat_address("77"), "Server": "lid"}


def test_without_the_extra_an_error_explains_it(monkeypatch):
    monkeypatch.setattr("importlib.import_module", _missing)
    with pytest.raises(ClientUnavailable, match=reasons.CLIENT_NOT_INSTALLED):
        NeonizeClient("postgresql://nowhere/x", LinkedSession(1, 2, "x"))


def _missing(name):
    raise ModuleNotFoundError(name)
