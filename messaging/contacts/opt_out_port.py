"""Port for opt-out words with a second meaning: "iptal" may also cancel an order.

A package that knows about orders registers a check. Without one, such a word is an opt-out.
"""

from collections.abc import Callable

from messaging.contacts.identities import is_opt_out_request, is_same_word
from messaging.models import Line

AMBIGUOUS_WORDS = ("iptal",)
HasOpenOrder = Callable[[Line, str], bool]
_has_open_order: HasOpenOrder | None = None


def register(check: HasOpenOrder | None) -> None:
    """`check` returns whether the contact has an open order of this line."""
    global _has_open_order
    _has_open_order = check


def is_ambiguous(typed: str) -> bool:
    return any(is_same_word(typed, word) for word in AMBIGUOUS_WORDS)


def means_opt_out(line: Line, typed: str, contact_id: str) -> bool:
    """Whether the whole message is an opt-out. A word with two meanings is asked about instead."""
    if not is_opt_out_request(typed):
        return False
    if _has_open_order is None or not is_ambiguous(typed):
        return True
    return not _has_open_order(line, contact_id)
