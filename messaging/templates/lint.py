"""Explain what the network would refuse or change in a template, before it is submitted.

Errors are certain: the network, or the service before it, refuses the template. Warnings are
habits of its reviewers: the template may be rejected, or moved to another category.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

from core.errors import Invalid
from core.i18n.catalogs import N_
from messaging.templates import draft_checks
from messaging.templates.components import placeholders
from messaging.templates.drafts import AUTHENTICATION, TemplateDraft

ERROR, WARNING = "error", "warning"
WORDS_PER_PLACEHOLDER = 2
"""The network wants about this many other words for each placeholder."""
SHORTENERS = frozenset(
    [
        "bit.ly",
        "tinyurl.com",
        "goo.gl",
        "t.co",
        "ow.ly",
        "is.gd",
        "buff.ly",
        "cutt.ly",
        "rb.gy",
        "shorturl.at",
        "t.ly",
        "tiny.cc",
        "rebrand.ly",
        "lnkd.in",
        "s.id",
        "bit.do",
        "soo.gd",
        "clck.ru",
    ]
)
CHAT_LINKS = frozenset({"wa.me", "api.whatsapp.com", "chat.whatsapp.com"})
# Words of offers, in the languages of the texts that restaurants and shops write.
_PROMOTION = re.compile(
    r"\b(discounts?|% ?off|sale|offers?|promo(tion|code)?s?|coupon|deals?|free (gift|delivery)|"
    r"limited time|save \d|special price|buy one|black friday|"
    r"indirim\w*|kampanya\w*|fırsat\w*|kupon\w*|hediye\w*|bedava|ücretsiz kargo|size özel|"
    r"kaçırma\w*|son gün\w*|%\s?\d+\s?indirim|promosyon\w*|"
    r"rabatt\w*|angebot\w*|gutschein\w*|sonderpreis\w*|"
    r"descuento\w*|oferta\w*|rebaja\w*|cupón|promoción|gratis|"
    r"réduction\w*|remise\w*|promo|offre\w*|soldes|"
    r"desconto\w*|promoç\w*|cupom)\b|"
    r"خصم|عرض خاص|تخفيض|كوبون|مجان",
    re.IGNORECASE,
)
_GAPS = re.compile(r"\n{3,}| {4,}|\t")
_UPPER = re.compile(r"\b[A-ZÇĞİÖŞÜ]{4,}\b(?:\s+\b[A-ZÇĞİÖŞÜ]{4,}\b){2,}")
_OPT_OUT = re.compile(
    r"\b(stop|unsubscribe|opt.?out|dur|iptal|çık|abmelden|baja|sair|الغاء|إلغاء)", re.IGNORECASE
)
_LETTERS = {
    "ar": "ARABIC", "fa": "ARABIC", "ur": "ARABIC", "ru": "CYRILLIC", "uk": "CYRILLIC",
    "bg": "CYRILLIC", "el": "GREEK", "he": "HEBREW", "ja": "", "ko": "", "zh": "", "hi": "",
}  # fmt: skip
"""The script of languages that do not use Latin letters; empty: it is not checked."""


@dataclass(frozen=True)
class LintFinding:
    severity: str
    field: str
    """As in the errors of the API, such as `body` or `buttons.0.url`."""
    code: str
    sentence: str
    values: dict[str, Any] = dataclass_field(default_factory=dict)

    @property
    def message(self) -> str:
        return self.sentence.format(**self.values) if self.values else self.sentence


def lint(draft: TemplateDraft) -> list[LintFinding]:
    """Every finding, errors first. An empty list means that nothing is known against it."""
    errors = list(_errors(draft))
    if draft.category == AUTHENTICATION:
        return errors
    return errors + list(_warnings(draft))


def _errors(draft: TemplateDraft) -> Iterator[LintFinding]:
    """Each part is checked for itself, so that one error does not hide the others."""
    for check in draft_checks.part_checks(draft):
        yield from _caught(check)


def _caught(check: Callable[[], None]) -> Iterator[LintFinding]:
    try:
        check()
    except Invalid as error:
        place = error.faults[0].field if error.faults else ""
        yield LintFinding(ERROR, place, error.code, error.template, dict(error.values))


def _warnings(draft: TemplateDraft) -> Iterator[LintFinding]:
    yield from _placeholder_warnings(draft)
    yield from _text_warnings(draft)
    yield from _link_warnings(draft)
    yield from _category_warnings(draft)
    yield from _language_warnings(draft)


def _placeholder_warnings(draft: TemplateDraft) -> Iterator[LintFinding]:
    names = placeholders(draft.body)
    words = len(re.sub(r"\{\{[^{}]*\}\}", " ", draft.body).split())
    if names and words < WORDS_PER_PLACEHOLDER * len(names) + 1:
        yield LintFinding(
            ERROR,
            "body",
            "too_many_placeholders",
            N_(
                "The text is too short for its placeholders. Write at least {words} other words, "
                "or use fewer placeholders."
            ),
            {"words": WORDS_PER_PLACEHOLDER * len(names) + 1},
        )
    same = {value for value in draft.examples.values() if value.strip()}
    if len(names) > 1 and len(same) == 1 and all(draft.examples.get(one) for one in names):
        yield LintFinding(
            WARNING,
            "examples",
            "same_examples",
            N_("All sample values are the same. Reviewers understand real values better."),
        )


def _text_warnings(draft: TemplateDraft) -> Iterator[LintFinding]:
    if _GAPS.search(draft.body):
        yield LintFinding(
            ERROR,
            "body",
            "gaps",
            N_("Use at most one empty line in a row, no tabs and at most three spaces in a row."),
        )
    for mark in ("*", "_", "~"):
        without_code = re.sub(r"\{\{[^{}]*\}\}", "", draft.body)
        if without_code.count(mark) % 2 and mark != "_":
            yield LintFinding(
                WARNING,
                "body",
                "open_formatting",
                N_("There is one {mark} too many, or one is missing."),
                {"mark": mark},
            )
    if _UPPER.search(draft.body):
        yield LintFinding(
            WARNING,
            "body",
            "capitals",
            N_("Several words in capital letters look like an advertisement. Write them normally."),
        )


def _link_warnings(draft: TemplateDraft) -> Iterator[LintFinding]:
    places = [("body", draft.body), ("footer", draft.footer)]
    places += [(f"buttons.{at}.url", one.url) for at, one in enumerate(draft.buttons) if one.url]
    for place, text in places:
        hosts = _hosts_in(text)
        if hosts & SHORTENERS:
            yield LintFinding(
                ERROR,
                place,
                "url_shortener",
                N_(
                    "WhatsApp rejects addresses of link shorteners such as {host}. Use the address "
                    "of your own site; campaigns can count its clicks."
                ),
                {"host": min(hosts & SHORTENERS)},
            )
        if hosts & CHAT_LINKS:
            yield LintFinding(
                ERROR,
                place,
                "chat_link",
                N_("WhatsApp rejects links to WhatsApp chats. Use a quick reply button instead."),
            )
        if place.startswith("buttons") and text.startswith("http://"):
            yield LintFinding(
                WARNING,
                place,
                "not_https",
                N_("Use an address that begins with https://."),
            )


def _hosts_in(text: str) -> set[str]:
    """The names of hosts in a text, with or without https:// before them."""
    words = [word.casefold().partition("://") for word in text.split()]
    names = [(after or before).partition("/")[0].strip(".,;:!?()") for before, _, after in words]
    return {one.removeprefix("www.") for one in names if "." in one}


def _category_warnings(draft: TemplateDraft) -> Iterator[LintFinding]:
    texts = [draft.body, draft.footer, draft.header.text if draft.header else ""]
    texts += [one.text for one in draft.buttons]
    found = next((match for text in texts if (match := _PROMOTION.search(text))), None)
    has_code = any(one.type == "copy_code" for one in draft.buttons)
    if draft.category == "utility" and found:
        yield LintFinding(
            WARNING,
            "category",
            "promotional_words",
            N_(
                "“{word}” reads like an offer. WhatsApp moves such templates to the marketing "
                "category, which costs more."
            ),
            {"word": found.group().strip()},
        )
    elif draft.category == "utility" and has_code:
        yield LintFinding(
            WARNING,
            "category",
            "promotional_button",
            N_("A button that copies an offer code belongs to the marketing category."),
        )
    if draft.category == "marketing" and not any(_OPT_OUT.search(text) for text in texts):
        yield LintFinding(
            WARNING,
            "footer",
            "no_opt_out",
            N_("Tell people how to stop the messages, for example: Reply STOP to opt out."),
        )


def _language_warnings(draft: TemplateDraft) -> Iterator[LintFinding]:
    code = draft.language.split("_")[0]
    script = _LETTERS.get(code, "LATIN")
    letters = [one for one in re.sub(r"\{\{[^{}]*\}\}", "", draft.body) if one.isalpha()]
    if not script or len(letters) < 10:
        return
    fitting = sum(script in unicodedata.name(one, "") for one in letters)
    if fitting * 2 < len(letters):
        yield LintFinding(
            ERROR,
            "language",
            "wrong_language",
            N_(
                "The text is not written in the letters of the chosen language. Check the language."
            ),
        )
    elif code != "tr" and sum(one in "ğĞşŞıİ" for one in letters) >= 2 and code not in ("az", "ku"):
        yield LintFinding(
            WARNING,
            "language",
            "looks_turkish",
            N_("The text looks Turkish. Check the language of the template."),
        )
