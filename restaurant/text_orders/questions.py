"""Answers guests' questions from the menu, the opening hours and their orders, and nothing else.

About allergens only what the menu lists is told, in words that do not promise more.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from babel.dates import format_time

from core.clock import now
from core.values.money import format_money
from messaging.models import Line
from restaurant.chat import cart_refusals
from restaurant.chat.order_taps import newest_open_order
from restaurant.chat.senders import Sender
from restaurant.chat_texts import chat_text
from restaurant.menus import import_synonyms
from restaurant.menus.pricing import PricedMenu
from restaurant.models import Site
from restaurant.orders import notifications as order_notifications
from restaurant.orders.cards import order_buttons
from restaurant.orders.cards.card import Card
from restaurant.sites import hours, sites
from restaurant.text_orders.proposals import MenuNow
from restaurant.text_orders.reading.lexicon import KNOWN_WORDS, words_of
from restaurant.text_orders.reading.menu_words import folded_words
from restaurant.text_orders.reading.stems import stems, without
from restaurant.text_orders.reading.tokens import split_words

MOST_SHOWN = 10
MOST_WORDS = 14
"""A longer question is for a person."""
OPEN, STATUS, MENU, PRICE, FIND = "open", "status", "menu", "price", "find"
_PHRASES = {
    OPEN: "acik misiniz|acik misin|acik mi|acikmisiniz|kacta ac|kacta kapa|kaca kadar|calisma saat"
    "|acilis saat|ne zaman ac|saat kac|are you open|you open|opening hours|open today|open now"
    "|what time do you|when do you open|when do you close|what are your hours|how late",
    STATUS: "siparisim nerede|siparisim ne|siparisimiz ne|siparis nerede|siparis ne durumda"
    "|ne zaman gelir|ne zaman gelecek|ne zaman hazir|nerede kaldi|where is my order"
    "|wheres my order|where is our order|order status|status of my order|my order ready"
    "|how long will my order|when will my order",
    MENU: "menuyu gor|menuyu gonder|menunuz|menu atar|menuyu at|menu var mi|see the menu"
    "|see your menu|send me the menu|send the menu|what do you have|neler var|ne var"
    "|whats on the menu",
    PRICE: "ne kadar|kac para|kac lira|kac tl|fiyati|fiyat|how much|price of|what does",
    FIND: "var mi|varmi|varmidir|bulunur mu|is there|are there|do you have|have you got"
    "|do you serve|any|icinde|iceriyor mu|does|contain|hangi|which|what vegan",
}
_ORDER_WORDS = words_of(
    "alabilir|alabilirmiyim|alabilirmiyiz|alayim|alalim|istiyorum|istiyoruz|gimme"
)
_ORDER_PHRASES = words_of(
    "can i have|could i have|can i get|could i get|can we have|could we get|may i have|can we get"
    "|i would like|id like"
)
_NEGATIONS = words_of("without|no|free|icermeyen|olmayan|icermiyor|bulunmayan|not")
_HEALTH = words_of(
    "alerji|alerjim|alerjik|alerjisi|colyak|hasta|hastalik|hastalig|hastasiyim|intolerans|hamile"
    "|diyabet|allergy|allergies|allergic|coeliac|celiac|intolerant|intolerance|pregnant|diabetic"
    "|disease"
)
_ALLERGENS = import_synonyms.build_lookup(import_synonyms.ALLERGENS)
_DIETS = import_synonyms.build_lookup(import_synonyms.DIETS)


@dataclass(frozen=True)
class Question:
    kind: str
    words: tuple[str, ...]


def find_question(text: str) -> Question | None:
    """None if the text is not a question that can be answered here."""
    words = [one.word for one in split_words(text)]
    joined = f" {' '.join(words)} "
    if set(words) & _ORDER_WORDS or any(f" {one} " in joined for one in _ORDER_PHRASES):
        return None
    for kind, listed in _PHRASES.items():
        if any(f" {phrase}" in joined for phrase in listed.split("|")):
            if kind == FIND and not _asks(text, joined):
                continue
            return Question(kind, tuple(words))
    return None


def answer_question(
    site: Site, menu: MenuNow, line: Line, sender: Sender, question: Question, language: str
) -> Card | None:
    """None: the menu, the hours and the orders do not tell, or it is about somebody's health."""
    if len(question.words) > MOST_WORDS or any(stems(one) & _HEALTH for one in question.words):
        return None
    return _ANSWERS[question.kind](_Asked(site, menu, line, sender, question.words, language))


@dataclass(frozen=True)
class _Asked:
    site: Site
    menu: MenuNow
    line: Line
    sender: Sender
    words: tuple[str, ...]
    language: str

    def text(self, key: str, **values: str) -> str:
        return chat_text(self.language, key, **values)


def _asks(text: str, joined: str) -> bool:
    ends = any(one in joined for one in (" var mi ", " varmi ", " mi ", " mu ", " hangi "))
    starts = joined.startswith(
        (" is ", " are ", " do ", " does ", " have ", " any ", " which ", " what ")
    )
    return "?" in text or ends or starts


def _opening(asked: _Asked) -> Card:
    site = asked.site
    if sites.why_no_orders(site, now()):
        opens = cart_refusals.opening_text(site, asked.language)
        key = "closed" if sites.why_no_orders(site, now()) == "closed" else "paused"
        return Card(asked.text(key, opens=opens))
    closes = hours.closing_time(site.hours, site.time_zone, now(), site.special_days)
    if closes is None:
        return Card(asked.text("answer_open"))
    clock = format_time(closes, "short", locale=asked.language)
    return Card(asked.text("answer_open_until", time=clock))


def _status(asked: _Asked) -> Card:
    order = newest_open_order(asked.line.id, asked.sender.contact_id)
    if order is None:
        return order_buttons.menu_card(asked.site, asked.language, asked.text("answer_no_order"))
    state = chat_text(order.language, f"state_{order.state}")
    text = order_notifications.customer_text(order, "answer_order_state", state=state)
    return order_buttons.order_card(sites.of_order(order), order, text)


def _menu(asked: _Asked) -> Card:
    return order_buttons.menu_card(asked.site, asked.language, asked.text("answer_menu"))


def _price(asked: _Asked) -> Card | None:
    found = _named_items(asked)
    if not found:
        return None
    return Card("\n".join([asked.text("answer_price"), *_rows(asked, found)]))


def _find(asked: _Asked) -> Card | None:
    allergen, negated = _allergen(asked.words)
    diet = next((_DIETS[one] for one in _forms(asked.words) if one in _DIETS), "")
    if allergen:
        return _about_allergen(asked, allergen, negated=negated)
    if diet:
        return _about_diet(asked, diet)
    if any(stems(one) & {"alerjen", "allergen"} for one in asked.words):
        return _allergens_of(asked)
    found = _named_items(asked)
    if not found:
        return None if not _content_words(asked) else _not_found(asked)
    there = [one for one in found if one not in asked.menu.missing]
    gone = [one for one in found if one in asked.menu.missing]
    texts = []
    if there:
        texts.append("\n".join([asked.text("answer_found"), *_rows(asked, there)]))
    if gone:
        names = ", ".join(_name(asked, one) for one in gone[:MOST_SHOWN])
        texts.append(asked.text("words_sold_out", names=names))
    return Card("\n\n".join(texts))


def _not_found(asked: _Asked) -> Card:
    return order_buttons.menu_card(asked.site, asked.language, asked.text("answer_not_found"))


def _about_allergen(asked: _Asked, allergen: str, *, negated: bool) -> Card | None:
    items = asked.menu.words.items
    if not any(one["allergens"] for one in items.values()):
        return None  # this menu does not list allergens: nothing can be told
    named = _named_items(asked, without_allergens=True) or list(items)
    possible = [one for one in named if one not in asked.menu.missing]
    having = [one for one in possible if allergen in items[one]["allergens"]]
    lacking = [one for one in possible if one not in having]
    name = asked.text(f"allergen_{allergen}")
    if negated:
        key, shown = ("answer_without", lacking) if lacking else ("answer_none_without", having)
    else:
        key, shown = ("answer_with", having) if having else ("answer_without", lacking)
    if not shown:
        return None
    rows = [asked.text(key, allergen=name), *_rows(asked, shown)]
    return Card("\n\n".join(["\n".join(rows), asked.text("answer_allergens")]))


def _about_diet(asked: _Asked, diet: str) -> Card | None:
    items = asked.menu.words.items
    named = _named_items(asked) or list(items)
    shown = [one for one in named if diet in items[one]["diets"] and one not in asked.menu.missing]
    if not shown:
        return None  # not marked on the menu: a person answers
    rows = [asked.text("answer_diet", diet=asked.text(f"diet_{diet}")), *_rows(asked, shown)]
    return Card("\n".join(rows))


def _allergens_of(asked: _Asked) -> Card | None:
    items = asked.menu.words.items
    found = _named_items(asked)
    if len(found) != 1 or not any(one["allergens"] for one in items.values()):
        return None
    listed = items[found[0]]["allergens"]
    name = _name(asked, found[0])
    if listed:
        names = ", ".join(asked.text(f"allergen_{one}") for one in listed)
        text = asked.text("answer_contains", name=name, allergens=names)
    else:
        text = asked.text("answer_contains_nothing", name=name)
    return Card(f"{text}\n\n{asked.text('answer_allergens')}")


def _allergen(words: Sequence[str]) -> tuple[str, bool]:
    """The allergen that is asked about, and whether the guest wants none of it."""
    negated = bool(set(words) & _NEGATIONS)
    for word in words:
        if without(word) in _ALLERGENS:
            return _ALLERGENS[without(word)], True
    for form in _forms(words):
        if form in _ALLERGENS:
            return _ALLERGENS[form], negated
    return "", False


def _forms(words: Sequence[str]) -> list[str]:
    pairs = [f"{one} {two}" for one, two in pairwise(words)]
    return [*pairs, *(stem for word in words for stem in sorted(stems(word), key=len)[::-1])]


def _named_items(asked: _Asked, *, without_allergens: bool = False) -> list[str]:
    """The dishes that the question names, or those of a category that it names."""
    words = [
        one
        for one in _content_words(asked)
        if not (without_allergens and (set(_forms([one])) & _ALLERGENS.keys() or without(one)))
    ]
    found: dict[str, None] = {}
    place = 0
    while place < len(words):
        match = asked.menu.words.match_at(words, place, "itm")
        if match is not None:
            found |= dict.fromkeys(match.targets)
        place += match.length if match is not None else 1
    for category in asked.menu.words.content["categories"]:
        names = {word for text in category["texts"].values() for word in folded_words(text["name"])}
        if any(asked.menu.words.means(word, name) for word in words for name in names):
            found |= dict.fromkeys(item["id"] for item in category["items"])
    return list(found)


def _content_words(asked: _Asked) -> list[str]:
    asking = {word for listed in _PHRASES.values() for one in listed.split("|")
              for word in one.split()}  # fmt: skip
    return [
        one
        for one in asked.words
        if one not in KNOWN_WORDS and one not in asking and one not in _NEGATIONS and len(one) > 2
    ]


def _rows(asked: _Asked, found: Sequence[str]) -> list[str]:
    items, currency = asked.menu.words.items, asked.site.currency
    rows = []
    for one in found[:MOST_SHOWN]:
        price = format_money(Decimal(items[one]["price"]), currency, asked.language)
        rows.append(f"• {_name(asked, one)}: {price}")
    return [*rows, "…"] if len(found) > MOST_SHOWN else rows


def _name(asked: _Asked, item_id: str) -> str:
    content = asked.menu.words.content
    return PricedMenu(content).text(asked.menu.words.items[item_id], asked.language)


_ANSWERS: dict[str, Callable[[_Asked], Card | None]] = {
    OPEN: _opening,
    STATUS: _status,
    MENU: _menu,
    PRICE: _price,
    FIND: _find,
}
