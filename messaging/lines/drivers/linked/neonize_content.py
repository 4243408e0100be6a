"""Read what a message of the library contains. Uses its field names without importing it.

The library spells some names differently from version to version (`stanzaID`, `stanzaId`), and a
field that is not set has an empty value. So every field is read by `_value`.
"""

import re
from typing import Any

from messaging.messages.kinds.registry import MESSAGE_KINDS, UNREADABLE

Content = tuple[str, str, dict[str, Any]]  # kind, text, content

REVOKE, MESSAGE_EDIT = 0, 14  # types of a protocol message
# Parts that can have a context: what they reply to, whether they were forwarded, and their ad.
_WITH_CONTEXT = (
    "extendedTextMessage",
    "imageMessage",
    "videoMessage",
    "audioMessage",
    "documentMessage",
    "stickerMessage",
    "locationMessage",
    "liveLocationMessage",
    "contactMessage",
    "contactsArrayMessage",
    "buttonsResponseMessage",
    "listResponseMessage",
    "templateButtonReplyMessage",
    "orderMessage",
)
_CHOICES = {  # part: the id and the title of what was chosen
    "buttonsResponseMessage": (("selectedButtonID", "selectedButtonId"), ("selectedDisplayText",)),
    "templateButtonReplyMessage": (("selectedID", "selectedId"), ("selectedDisplayText",)),
}
_AD_FIELDS = {
    "source_url": ("sourceURL", "sourceUrl"),
    "source_id": ("sourceID", "sourceId"),
    "source_type": ("sourceType",),
    "headline": ("title",),
    "body": ("body",),
    "image_url": ("thumbnailURL", "thumbnailUrl"),
    "ctwa_clid": ("ctwaClid",),
}
_AD_MEDIA = {1: "image", 2: "video"}
_POLLS = ("pollCreationMessage", "pollCreationMessageV2", "pollCreationMessageV3")
_TELEPHONE = re.compile(r"^(?:item\d+\.)?TEL[^:]*:(.+)$", re.MULTILINE | re.IGNORECASE)
_NETWORK_PHONE = re.compile(r"waid=(\d{6,15})", re.IGNORECASE)


def read_content(message: Any, network_id: str) -> Content:
    """Return kind, text and content. What cannot be read becomes `unsupported`."""
    for read in (_text, _media, _location, _contacts, _reaction, _choice, _order):
        found = read(message, network_id)
        if found is not None:
            found[2].update(_context(message))
            return found
    poll = any(_value(_value(message, name), "name") for name in _POLLS)
    return UNREADABLE, "", {"type": "poll" if poll else "unknown"}


def read_change(message: Any) -> tuple[str, str, str, str] | None:
    """Return what a message changes: `edited` or `deleted`, the id, the new kind and text."""
    protocol = _value(message, "protocolMessage")
    original = str(_value(_value(protocol, "key"), "ID", "id") or "")
    kind = getattr(protocol, "type", None)
    if not original or kind not in (REVOKE, MESSAGE_EDIT):
        return None
    if kind == REVOKE:
        return "deleted", original, "", ""
    new_kind, text, _ = read_content(_value(protocol, "editedMessage"), original)
    return "edited", original, new_kind, text


def is_protocol_message(message: Any) -> bool:
    """True for what devices tell each other, such as keys and settings. Nobody wrote it."""
    kind = getattr(_value(message, "protocolMessage"), "type", REVOKE)
    return kind not in (REVOKE, MESSAGE_EDIT)


def _value(part: Any, *names: str) -> Any:
    """Return the first of these fields that is set, else None."""
    return next((found for name in names if (found := getattr(part, name, None))), None)


def _text(message: Any, _network_id: str) -> Content | None:
    written = _value(message, "conversation") or _value(
        _value(message, "extendedTextMessage"), "text"
    )
    return ("text", str(written), {}) if written else None


def _media(message: Any, network_id: str) -> Content | None:
    parts = {
        code: kind.linked_media[0] for code, kind in MESSAGE_KINDS.items() if kind.linked_media
    }
    for kind, name in {**parts, "sticker": "stickerMessage"}.items():
        part = _value(message, name)
        mime_type = _value(part, "mimetype")
        if not mime_type:
            continue
        caption = str(_value(part, "caption") or "")
        content: dict[str, Any] = {"id": network_id, "mime_type": mime_type}
        if caption:
            content["caption"] = caption
        if filename := _value(part, "fileName"):
            content["filename"] = filename
        if _value(part, "PTT", "ptt"):
            content["voice"] = True
        return kind, caption, content
    return None


def _location(message: Any, _network_id: str) -> Content | None:
    for name in ("locationMessage", "liveLocationMessage"):
        place = _value(message, name)
        latitude, longitude = _value(place, "degreesLatitude"), _value(place, "degreesLongitude")
        if latitude or longitude:
            content: dict[str, Any] = {"latitude": latitude or 0.0, "longitude": longitude or 0.0}
            content |= {n: v for n in ("name", "address") if (v := _value(place, n))}
            return "location", "", content
    return None


def _contacts(message: Any, _network_id: str) -> Content | None:
    single = _value(message, "contactMessage")
    cards = list(_value(_value(message, "contactsArrayMessage"), "contacts") or ())
    people = [
        {"name": str(_value(card, "displayName") or ""), "phones": _phones(card)}
        for card in (cards or [single])
        if _value(card, "displayName", "vcard")
    ]
    if not people:
        return None
    return "contacts", ", ".join(str(one["name"]) for one in people), {"contacts": people}


def _phones(card: Any) -> list[str]:
    """Return the numbers of a vCard: as the network spells them, else as they are written."""
    found = []
    for line in _TELEPHONE.finditer(str(_value(card, "vcard") or "")):
        known = _NETWORK_PHONE.search(line[0])
        found.append(known[1] if known else line[1].strip())
    return found


def _reaction(message: Any, _network_id: str) -> Content | None:
    part = _value(message, "reactionMessage")
    to = _value(_value(part, "key"), "ID", "id")
    emoji = str(_value(part, "text") or "")  # empty if the reaction was removed
    return ("reaction", emoji, {"message_id": to, "emoji": emoji}) if to else None


def _choice(message: Any, _network_id: str) -> Content | None:
    for name, (ids, titles) in _CHOICES.items():
        part = _value(message, name)
        chosen, title = _value(part, *ids), _value(part, *titles)
        if chosen or title:
            return _button(chosen, title)
    chosen_row = _value(message, "listResponseMessage")
    row = _value(_value(chosen_row, "singleSelectReply"), "selectedRowID", "selectedRowId")
    title = _value(chosen_row, "title")
    return _button(row, title) if row or title else None


def _button(chosen: Any, title: Any) -> Content:
    shown = str(title or chosen)
    return "button", shown, {"id": str(chosen or ""), "title": shown}


def _order(message: Any, _network_id: str) -> Content | None:
    """A linked phone gets the note of a catalog order and the count, without the items."""
    part = _value(message, "orderMessage")
    if not _value(part, "orderID", "orderId"):
        return None
    return "order", str(_value(part, "message") or ""), {"catalog_id": "", "items": []}


def _context(message: Any) -> dict[str, Any]:
    """Return the context of the part that is set: the others have an empty one."""
    contexts = (_value(_value(message, name), "contextInfo") for name in _WITH_CONTEXT)
    return next((about for one in contexts if (about := _about(one))), {})


def _about(context: Any) -> dict[str, Any]:
    about: dict[str, Any] = {}
    if reply_to := _value(context, "stanzaID", "stanzaId"):
        about["reply_to"] = str(reply_to)
    if _value(context, "isForwarded"):
        about["forwarded"] = True
    ad = _value(context, "externalAdReply")
    # Links with a preview have the same part; only ads and posts have a source.
    if _value(ad, "ctwaClid", "sourceID", "sourceId"):
        about["referral"] = {
            name: str(found) for name, names in _AD_FIELDS.items() if (found := _value(ad, *names))
        }
        if media := _AD_MEDIA.get(getattr(ad, "mediaType", 0)):
            about["referral"]["media_type"] = media
    return about
