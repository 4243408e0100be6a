"""Normalize contact input from people; raise Invalid with a sentence if it is wrong."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from core.clock import now
from core.errors import invalid
from core.values.phone import normalize_phone, phone_variants
from core.values.text import BadText, one_line
from messaging.contacts import custom_fields, search_tokens
from messaging.contacts import identities as people
from tenants import accounts

LONGEST_TAG, MOST_TAGS = 40, 30
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z]{2}|-[A-Z][a-z]{3})?")
_YEARLESS = re.compile(r"--(\d{1,2})-(\d{1,2})|(\d{1,2})[./](\d{1,2})\.?")
_LEAP = 2000
# Countries to try for a number without a country code, to tell it from text that is not a number.
COMMON_REGIONS = ("TR", "DE", "GB", "US", "ES", "BR", "IN", "FR")


@dataclass(frozen=True)
class ContactInput:
    """Contact values to write; None leaves a value unchanged."""

    name: str | None = None
    phone: str | None = None
    language: str | None = None
    tags: Iterable[str] | None = None
    birthday: str | None = None
    fields: Mapping[str, object] = field(default_factory=dict)


def parse_phone(written: str, country: str | None = None) -> str:
    """Return digits. A national number belongs to `country` or the account's home country."""
    region = country or accounts.home_country() or None
    text = written[:64].replace("\0", "").strip()
    # For three countries the network's spelling is not a valid number in the library's view.
    spelled = len(text) >= 12 and len(phone_variants(text)) > 1
    phone = text if spelled else normalize_phone(text, region)
    if (
        phone is None
        and region is None
        and any(normalize_phone(text, one) for one in COMMON_REGIONS)
    ):
        raise invalid(
            "phone",
            "invalid_phone",
            "This number has no country code. Choose the country for numbers "
            "without a code, or enter the number with its country code, such as "
            "905321112233.",
        )
    if phone is None:
        raise invalid(
            "phone",
            "invalid_phone",
            "This is not a valid phone number. Enter it with its country code, "
            "such as 905321112233.",
        )
    return phone


def parse_name(name: str) -> str:
    try:
        return one_line(name, people.LONGEST_NAME)
    except BadText:
        raise invalid("name", "invalid_name", "The name contains an invalid character.") from None


def parse_language(code: str) -> str:
    written = code.strip().replace("_", "-")
    lower, _, rest = written.partition("-")
    tidy = lower.lower() + (f"-{rest.upper() if len(rest) == 2 else rest.title()}" if rest else "")
    if tidy and not _LANGUAGE.fullmatch(tidy):
        raise invalid(
            "language", "invalid_language", "Enter a language code, such as tr, en or pt-BR."
        )
    return tidy


def parse_birthday(text: str) -> tuple[int | None, int | None]:
    """Return month and day as one number, and the year if it is known."""
    written = text.strip()
    if not written:
        return None, None
    day = custom_fields.parse_date(written)
    if day is not None:
        if not 1900 <= day.year <= now().year:
            raise _invalid_birthday()
        return day.month * 100 + day.day, day.year
    found = _YEARLESS.fullmatch(written)
    if found is None:
        raise _invalid_birthday()
    month, number = (found[1], found[2]) if found[1] else (found[4], found[3])
    try:
        day = date(_LEAP, int(month), int(number))
    except ValueError:
        raise _invalid_birthday() from None
    return day.month * 100 + day.day, None


def parse_tags(written: Iterable[str]) -> list[str]:
    """Remove duplicate spellings and keep the order."""
    named: dict[str, str] = {}
    for one in written:
        try:
            tag = one_line(one).lstrip("#").strip()
        except BadText:
            raise invalid("tags", "invalid_tag", "A tag contains an invalid character.") from None
        if len(tag) > LONGEST_TAG:
            raise invalid("tags", "long_tag", "A tag can have at most 40 characters.")
        if tag:
            named.setdefault(search_tokens.tag_key(tag), tag)
    if len(named) > MOST_TAGS:
        raise invalid("tags", "too_many_tags", "A contact can have at most 30 tags.")
    return list(named.values())


def _invalid_birthday() -> Exception:
    return invalid(
        "birthday", "invalid_birthday", "Enter a birthday as a date, such as 1990-04-23 or --04-23."
    )
