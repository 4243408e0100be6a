"""The message kinds. A new one is a module beside this one and a line in `MESSAGE_KINDS`."""

from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.contacts import CONTACTS
from messaging.messages.kinds.interactive.buttons import BUTTONS
from messaging.messages.kinds.interactive.carousel import CAROUSEL
from messaging.messages.kinds.interactive.choice_list import LIST
from messaging.messages.kinds.interactive.flow import FLOW
from messaging.messages.kinds.interactive.link_button import LINK_BUTTON
from messaging.messages.kinds.interactive.order_details import ORDER_DETAILS
from messaging.messages.kinds.interactive.order_status import ORDER_STATUS
from messaging.messages.kinds.interactive.products import CATALOG, PRODUCT, PRODUCT_LIST
from messaging.messages.kinds.interactive.requests import CONTACT_REQUEST, LOCATION_REQUEST
from messaging.messages.kinds.location import LOCATION
from messaging.messages.kinds.media import AUDIO, DOCUMENT, IMAGE, STICKER, VIDEO, VOICE
from messaging.messages.kinds.reaction import REACTION
from messaging.messages.kinds.received import BUTTON, ORDER, UNSUPPORTED, WELCOME_REQUEST
from messaging.messages.kinds.template import TEMPLATE
from messaging.messages.kinds.text import TEXT

MESSAGE_KINDS: dict[str, MessageKind] = {
    "text": TEXT,
    "image": IMAGE,
    "video": VIDEO,
    "audio": AUDIO,
    "voice": VOICE,
    "document": DOCUMENT,
    "sticker": STICKER,
    "location": LOCATION,
    "contacts": CONTACTS,
    "reaction": REACTION,
    "buttons": BUTTONS,
    "list": LIST,
    "link_button": LINK_BUTTON,
    "location_request": LOCATION_REQUEST,
    "contact_request": CONTACT_REQUEST,
    "catalog": CATALOG,
    "product": PRODUCT,
    "product_list": PRODUCT_LIST,
    "carousel": CAROUSEL,
    "flow": FLOW,
    "template": TEMPLATE,
    "order_details": ORDER_DETAILS,
    "order_status": ORDER_STATUS,
    "order": ORDER,
    "button": BUTTON,
    "request_welcome": WELCOME_REQUEST,
    "unsupported": UNSUPPORTED,
}

UNREADABLE = "unsupported"
"""The kind of messages that arrived and cannot be read."""


def has_file(code: str) -> bool:
    kind = MESSAGE_KINDS.get(code)
    return kind is not None and kind.file is not None


def is_picture(code: str) -> bool:
    kind = MESSAGE_KINDS.get(code)
    return kind is not None and kind.is_picture


def is_written(code: str) -> bool:
    kind = MESSAGE_KINDS.get(code)
    return kind is not None and kind.is_written
