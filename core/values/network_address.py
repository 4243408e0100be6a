"""Where a message to a person goes: a phone number, or the network's own id of a person whose
number the business does not see.

A business-scoped user id (`TR.13491208655302741918`) is used on cloud lines, an id that ends with
`@lid` on linked phones. Columns named `phone` hold any of the three.
"""

import re

from phonenumbers import SUPPORTED_REGIONS

from core.values.phone import phone_country, phone_variants

PHONE, USER_ID, LID = "phone", "network_id", "lid"
_USER_ID = re.compile(r"[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}")
_LID = re.compile(r"[0-9]{5,32}@lid")
_PARENT_ID = re.compile(r"[A-Z]{2}\.ENT\.[A-Za-z0-9]{1,128}")


def is_phone(address: str) -> bool:
    return address.isdecimal()


def is_user_id(address: str) -> bool:
    """Whether it is a business-scoped user id, which a cloud line sends to."""
    return _USER_ID.fullmatch(address) is not None


def is_network_id(address: str) -> bool:
    """Whether it is an id of either kind, as a person may type it."""
    return is_user_id(address) or _LID.fullmatch(address) is not None


def is_parent_id(address: str) -> bool:
    """Whether it is the id for a group of business portfolios."""
    return _PARENT_ID.fullmatch(address) is not None


def address_kind(address: str) -> str:
    """PHONE, LID or USER_ID, which are also the kinds of a contact's identities."""
    if is_phone(address):
        return PHONE
    return LID if address.endswith("@lid") else USER_ID


def address_variants(address: str) -> set[str]:
    """The address and every other spelling that the network may use for it."""
    return phone_variants(address) if is_phone(address) else {address}


def address_country(address: str) -> str | None:
    """The ISO country (``TR``) of a phone or a business-scoped user id; None if it is unknown."""
    if is_phone(address):
        return phone_country(address)
    country = address[:2] if is_user_id(address) else ""
    return country if country in SUPPORTED_REGIONS else None
