"""The message kinds. A new one is a module beside this one and a line in `MESSAGE_KINDS`."""

from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.location import LOCATION
from messaging.messages.kinds.media import AUDIO, DOCUMENT, IMAGE, STICKER, VIDEO
from messaging.messages.kinds.received import BUTTON, CONTACTS, ORDER, REACTION, UNSUPPORTED
from messaging.messages.kinds.template import TEMPLATE
from messaging.messages.kinds.text import TEXT

MESSAGE_KINDS: dict[str, MessageKind] = {
    "text": TEXT,
    "image": IMAGE,
    "video": VIDEO,
    "audio": AUDIO,
    "document": DOCUMENT,
    "sticker": STICKER,
    "location": LOCATION,
    "contacts": CONTACTS,
    "template": TEMPLATE,
    "order": ORDER,
    "button": BUTTON,
    "reaction": REACTION,
    "unsupported": UNSUPPORTED,
}


def has_file(code: str) -> bool:
    kind = MESSAGE_KINDS.get(code)
    return kind is not None and kind.file is not None


def is_picture(code: str) -> bool:
    kind = MESSAGE_KINDS.get(code)
    return kind is not None and kind.is_picture


def is_written(code: str) -> bool:
    kind = MESSAGE_KINDS.get(code)
    return kind is not None and kind.is_written
