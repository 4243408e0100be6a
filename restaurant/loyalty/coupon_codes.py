"""Coupon codes: easy to read out and type, hard to guess.

A code has eleven random letters of an alphabet without similar letters, and a check letter (Luhn
over the alphabet), so that a typing error can be distinguished from an unknown code.
"""

from core.ids import READABLE_ALPHABET, short_code

RANDOM = 11
LENGTH = RANDOM + 1
_LETTER_INDEX = {letter: place for place, letter in enumerate(READABLE_ALPHABET)}


def new_code() -> str:
    body = short_code(RANDOM)
    return body + _check_letter(body)


def normalize(typed: str) -> str | None:
    """The code without spaces, dashes and lower case; None if it cannot be a code."""
    code = "".join(char for char in typed[:80].upper() if char.isalnum())
    if len(code) != LENGTH or any(char not in _LETTER_INDEX for char in code):
        return None
    return code if _check_letter(code[:-1]) == code[-1] else None


def format_code(code: str) -> str:
    return "-".join(code[at : at + 4] for at in range(0, len(code), 4))


def _check_letter(body: str) -> str:
    size, total = len(READABLE_ALPHABET), 0
    for number, char in enumerate(reversed(body)):
        value = _LETTER_INDEX[char] * (2 if number % 2 == 0 else 1)
        total += value // size + value % size
    return READABLE_ALPHABET[-total % size]
