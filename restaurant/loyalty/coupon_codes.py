"""Coupon codes: read out, typed on a phone, and not to be guessed.

Eleven random letters of an alphabet in which nothing looks like another, and one that checks
them (Luhn's sum over the alphabet): a slip of the finger is told from a code that never was.
"""

from core.ids import READABLE_ALPHABET, short_code

RANDOM = 11
LENGTH = RANDOM + 1
_LETTER_INDEX = {letter: place for place, letter in enumerate(READABLE_ALPHABET)}


def new_code() -> str:
    body = short_code(RANDOM)
    return body + _check_letter(body)


def normalize(typed: str) -> str | None:
    """The code, however it was typed: small letters, spaces, dashes. None: it cannot be one."""
    code = "".join(letter for letter in typed[:80].upper() if letter.isalnum())
    if len(code) != LENGTH or any(letter not in _LETTER_INDEX for letter in code):
        return None
    return code if _check_letter(code[:-1]) == code[-1] else None


def format_code(code: str) -> str:
    return "-".join(code[at : at + 4] for at in range(0, len(code), 4))


def _check_letter(body: str) -> str:
    size, total = len(READABLE_ALPHABET), 0
    for number, letter in enumerate(reversed(body)):
        value = _LETTER_INDEX[letter] * (2 if number % 2 == 0 else 1)
        total += value // size + value % size
    return READABLE_ALPHABET[-total % size]
