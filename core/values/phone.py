"""Phone numbers: digits only, country code first (E.164 without the plus), or an error with a hint.

The network's own ids differ from the numbering plan in three countries: Brazil's ninth digit,
Mexico's 1 and Argentina's 9 may be present or missing. `phone_variants` returns both forms.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

import phonenumbers
from phonenumbers import (
    NumberParseException,
    PhoneMetadata,
    PhoneNumber,
    PhoneNumberFormat,
    ValidationResult,
)

EXAMPLE = "905321112233"
_ASCII_DIGITS = re.compile(r"[0-9]+")
_PLUS = ("+", "＋")
_SHORTEST_ABROAD = 11  # with this many digits, the first ones may be another country's code
_LETTER = re.compile(r"[^\W\d_]")
_GAP = r"[ \t\u00a0\u2007\u2009\u202f().\-\u2010-\u2015\u2212/]{0,3}"
_MASKABLE = re.compile(
    rf"""
    (?P<keep>                                # what holds many digits and is nobody's phone
        \b[0-9a-fA-F]{{8}}(?:-[0-9a-fA-F]{{4}}){{3}}-[0-9a-fA-F]{{12}}\b
      | \b[a-z]{{1,8}}_[0-9A-HJKMNP-TV-Z]{{26}}\b
      | (?<!\d)(?:19|20)[0-9]{{2}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])
        (?:[T ][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:[.,][0-9]{{1,9}})?)?
           (?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?)?(?!\d)
      | (?<![\d.])(?:[0-9]{{1,3}}\.){{3}}[0-9]{{1,3}}(?!\.?\d)
    )
    | \d(?:{_GAP}\d){{7,}}
    """,
    re.VERBOSE,
)


class BadPhone(ValueError):
    """The message says what is wrong and, if possible, the right form."""

    code = "invalid_phone"

    def __init__(self, message: str, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.suggestion = suggestion


def check_phone(text: str, region: str | None = None) -> str:
    """Return the phone unchanged if it is valid, else raise BadPhone. Separators are rejected, not
    removed.

    `region` only improves the hint: with it a national form can be corrected.
    """
    if not _ASCII_DIGITS.fullmatch(text) or text.startswith("0"):
        raise _not_digits(normalize_phone(text, region))
    if not 8 <= len(text) <= 15:
        raise BadPhone(f"phone must have 8 to 15 digits, country code first, such as {EXAMPLE}")
    if _complete_number(text):
        return text
    number = _parse(f"+{text}", None)
    if number is None:
        raise _not_digits(normalize_phone(text, region) if region else None)
    digits = _digits(number)
    if digits == text and _possible(number):
        return text
    if any(_is_possible(same) for same in phone_variants(text) - {text}):
        return text
    if _possible(number):
        raise _not_digits(digits)
    country = f"country code {number.country_code}"
    reason = phonenumbers.is_possible_number_with_reason(number)
    if reason == ValidationResult.TOO_LONG:
        raise BadPhone(f"phone is too long for {country}")
    if reason == ValidationResult.TOO_SHORT:
        raise BadPhone(f"phone is too short for {country}")
    raise BadPhone(f"phone is not a possible number for {country}")


def read_phone(text: str, region: str | None = None) -> str:
    """The phone for any usual notation, for what people type into forms. Raises BadPhone."""
    return normalize_phone(text, region) or check_phone(text.strip(), region)


def normalize_phone(text: str, region: str | None = None) -> str | None:
    """The digits for any usual notation of a number, or None.

    `region` is the country (``TR``) of a national form such as ``0532 111 22 33``.
    """
    written = text.strip().removeprefix("tel:").strip()
    if not written or _LETTER.search(written):
        return None
    if written.startswith("00"):
        written = "+" + written[2:]
    tries = [_parse(written, region.upper())] if region else []
    if not written.startswith(_PLUS):
        if not written.startswith("0") and (not region or _may_be_abroad(written)):
            # With the country's own code in front, it is a complete number of that country.
            whole = bool(region) and written.startswith(str(_calling_code(region or "")))
            tries.insert(0 if whole else len(tries), _parse(f"+{written}", None))
    elif not region:
        tries.append(_parse(written, None))
    numbers = [number for number in tries if number is not None and _keeps_digits(written, number)]
    for check in (phonenumbers.is_valid_number, _possible):
        for number in numbers:
            digits = _digits(number)
            if check(number) and 8 <= len(digits) <= 15:
                return digits
    return None


def normalize_strict(text: str, region: str | None = None) -> str | None:
    """Stricter than `normalize_phone`, for numbers that no one checks, so that no message goes to a
    stranger.

    The number must be valid in its country, every digit of an international form is kept, and
    without a plus it is never read as a number of another country. None if that fails.
    """
    digits = normalize_phone(text, region)
    if digits is None or not any(_is_valid(same) for same in phone_variants(digits)):
        return None
    written = text.strip().removeprefix("tel:").strip()
    if written.startswith((*_PLUS, "00")):
        given = _digits_in(written.replace("(0)", "")).removeprefix("00")
        return digits if given in phone_variants(digits) else None
    if region and not digits.startswith(str(_calling_code(region))):
        return None
    return digits


def phone_country(phone: str) -> str | None:
    """The ISO country (``TR``), by the number if that is possible, else by its country code."""
    plan = _complete_number(phone)
    if plan is not None and plan.only_country:
        return plan.only_country
    number = _parse(f"+{phone}", None)
    if number is None:
        return None
    region = phonenumbers.region_code_for_number(number)
    if region is None and number.country_code is not None:
        region = phonenumbers.region_code_for_country_code(number.country_code)
    return region if region and region.isalpha() and region != "ZZ" else None


@lru_cache(maxsize=8192)
def display_phone(phone: str) -> str:
    """For people: ``+90 532 111 22 33``."""
    ways = [phone, *sorted(phone_variants(phone))]
    number = _parse("+" + next(filter(_is_possible, ways), phone), None)
    if number is None:
        return f"+{phone}"
    return phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)


def mask_phone(phone: str) -> str:
    """For logs: all but the last two digits hidden, separators kept."""
    hidden = sum(char.isdigit() for char in phone) - 2
    shown = []
    for char in phone:
        if char.isdigit() and hidden > 0:
            hidden -= 1
            char = "*"
        shown.append(char)
    return "".join(shown)


def mask_text(text: str) -> str:
    """Mask everything that looks like a phone number: 8 or more digits, also with separators.

    Dates, IPv4 addresses, UUIDs and public ids stay readable. In doubt the text is masked.
    """
    return _MASKABLE.sub(lambda run: run[0] if run["keep"] else mask_phone(run[0]), text)


def phone_variants(phone: str) -> set[str]:
    """The phone and every other form in which the network may write it."""
    same = {phone}
    if not phone.startswith(("52", "54", "55")):
        return same
    if found := re.fullmatch(r"55([1-9][0-9])9([0-9]{8})", phone):
        if found[2][0] in "6789":
            same.add(f"55{found[1]}{found[2]}")
    elif found := re.fullmatch(r"55([1-9][0-9])([6-9][0-9]{7})", phone):
        same.add(f"55{found[1]}9{found[2]}")
    elif found := re.fullmatch(r"521?([2-9][0-9]{9})", phone):
        same |= {f"52{found[1]}", f"521{found[1]}"}
    elif found := re.fullmatch(r"549?([1-8][0-9]{9})", phone):
        same |= {f"54{found[1]}", f"549{found[1]}"}
    return same


class _NumberingPlan(NamedTuple):
    """What the library knows about the numbers of one country code."""

    national_prefix: str
    """A number that begins with this may be written with a prefix for calls within the country."""
    lengths: frozenset[int]
    only_country: str
    """Empty if several countries share the code, or if it belongs to none."""


def _complete_number(text: str) -> _NumberingPlan | None:
    """The plan, if these are surely the digits of a possible number with its country code.

    The library parses every notation of a number, which takes a large part of the time of a send.
    None: it has to decide.
    """
    if not _ASCII_DIGITS.fullmatch(text):
        return None
    for size in (1, 2, 3):  # no country code is the beginning of another one
        plan = _numbering_plan(text[:size])
        if plan is not None:
            if len(text) - size not in plan.lengths:
                return None
            prefix = plan.national_prefix
            return None if prefix and text.startswith(prefix, size) else plan
    return None


@lru_cache(maxsize=2048)
def _numbering_plan(code: str) -> _NumberingPlan | None:
    countries = phonenumbers.COUNTRY_CODE_TO_REGION_CODE.get(int(code)) if code[0] != "0" else None
    if not countries:
        return None
    metadata = PhoneMetadata.metadata_for_region_or_calling_code(int(code), countries[0])
    if metadata is None or metadata.general_desc is None:
        return None
    numbers, prefix = metadata.general_desc, metadata.national_prefix_for_parsing or ""
    if prefix and not _ASCII_DIGITS.fullmatch(prefix):
        return None  # a pattern that the library has to read
    return _NumberingPlan(
        prefix,
        frozenset(numbers.possible_length) - frozenset(numbers.possible_length_local_only),
        countries[0] if len(countries) == 1 and countries[0].isalpha() else "",
    )


@lru_cache(maxsize=4096)  # one request parses its number several times
def _parse(text: str, region: str | None) -> PhoneNumber | None:
    try:
        return phonenumbers.parse(text, region)
    except NumberParseException:
        return None


def _may_be_abroad(written: str) -> bool:
    """True for one run of digits, as programs write numbers. Ten digits, or digits with national
    punctuation, are a national number, even if it is an invalid one.
    """
    return _ASCII_DIGITS.fullmatch(written) is not None and len(written) >= _SHORTEST_ABROAD


def _keeps_digits(written: str, number: PhoneNumber) -> bool:
    """An international form must keep its digits: only a trunk 0 may be dropped."""
    if not written.startswith(_PLUS):
        return True
    given, digits = _digits_in(written), _digits(number)
    code = str(number.country_code)
    trunk = f"{code}{given.removeprefix(code).removeprefix('0')}"
    return given in phone_variants(digits) or trunk in phone_variants(digits)


def _digits_in(written: str) -> str:
    return "".join(str(unicodedata.digit(one)) for one in written if one.isdecimal())


def _calling_code(region: str) -> int:
    return phonenumbers.country_code_for_region(region.upper())


def _is_valid(digits: str) -> bool:
    number = _parse(f"+{digits}", None)
    return number is not None and _digits(number) == digits and phonenumbers.is_valid_number(number)


def _digits(number: PhoneNumber) -> str:
    return phonenumbers.format_number(number, PhoneNumberFormat.E164).removeprefix("+")


def _possible(number: PhoneNumber) -> bool:
    # is_possible_number() also accepts numbers that can only be dialled within one town.
    return phonenumbers.is_possible_number_with_reason(number) == ValidationResult.IS_POSSIBLE


def _is_possible(digits: str) -> bool:
    number = _parse(f"+{digits}", None)
    return number is not None and _digits(number) == digits and _possible(number)


def _not_digits(suggestion: str | None) -> BadPhone:
    if suggestion and 8 <= len(suggestion) <= 15 and _is_possible(suggestion):
        return BadPhone(f"phone must be digits only, country code first: {suggestion}", suggestion)
    return BadPhone(f"phone must be digits only, country code first, such as {EXAMPLE}")
