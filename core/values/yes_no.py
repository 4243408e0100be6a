"""Whether text in a cell or a form means yes, no, or neither."""

import re

from core.values.text import strip_accents

YES_WORDS = (
    "1 y yes true t on ok okay agree agreed accept accepted given granted subscribed optin opt-in"
    " e evet var dogru kabul onayli onayladi onayliyorum izinli verdi verildi istiyorum"
    " si ja oui sim"
)
YES_PHRASES = (("opted", "in"), ("opt", "in"), ("i", "agree"), ("izin", "verdi"), ("izin", "var"))
NO_WORDS = (
    "0 n no not false f off never none refused declined denied unsubscribed optout opt-out out"
    " h hayir yok yanlis degil red reddetti etmedi vermedi verilmedi onaysiz izinsiz"
    " nein non nao nicht nunca dont"
)
YES, NO = frozenset(YES_WORDS.split()), frozenset(NO_WORDS.split())
TICKS = frozenset("✓✔☑✅")
CROSSES = frozenset("✗✘☒❌")
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TURKISH_NEGATION = re.compile(r"m[iu]yor(um|uz|lar)?$")
_DECIMALS = re.compile(r"(\d)[.,]0+$")


def yes_or_no(text: str) -> bool | None:
    """True only for a clear yes; None for empty, unclear or unknown text.

    A sentence with a negative word means no: “Evet” agrees; “Hayır, istemiyorum”, “do not contact”
    and “kabul etmiyorum” refuse.
    """
    marks = {char for char in text if char in TICKS | CROSSES}
    if marks:
        return marks <= TICKS
    words = words_of(text)
    if any(word in NO or _TURKISH_NEGATION.search(word) for word in words):
        return False
    if words and (words[0] in YES or tuple(words[:2]) in YES_PHRASES):
        return True
    return None


def words_of(text: str) -> list[str]:
    """Lower case without accents; a spreadsheet's 1.0 is 1."""
    return _WORD.findall(_DECIMALS.sub(r"\1", strip_accents(text).replace("'", "").strip()))
