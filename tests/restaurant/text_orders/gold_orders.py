"""Generates orders as guests write them, with the cart that each of them means.

Independent of the code that reads orders: it has its own menu, number words, suffixes and typing
errors. The same seed gives the same orders.
"""

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

Line = tuple[str, frozenset[str]]
"""Dish and options, by key."""
Cart = Counter[Line]

DISHES: dict[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {
    "lahmacun": ("Lahmacun", "Lahmacun", ("heat", "onion"), ()),
    "adana": ("Adana Kebap", "Adana Kebab", ("heat", "onion"), ("adana",)),
    "urfa": ("Urfa Kebap", "Urfa Kebab", ("onion",), ("urfa",)),
    "iskender": ("İskender", "Iskender", (), ()),
    "doner": ("Et Döner", "Beef Doner", ("onion",), ()),
    "tavuk_durum": ("Tavuk Dürüm", "Chicken Wrap", ("heat", "onion"), ()),
    "hamburger": ("Hamburger", "Hamburger", ("extras",), ("burger",)),
    "cheeseburger": ("Cheeseburger", "Cheeseburger", ("extras",), ()),
    "pizza": ("Karışık Pizza", "Mixed Pizza", ("size", "extras"), ()),
    "margarita": ("Margarita Pizza", "Margherita Pizza", ("size",), ("margarita", "margherita")),
    "mercimek": ("Mercimek Çorbası", "Lentil Soup", (), ()),
    "ezogelin": ("Ezogelin Çorbası", "Ezogelin Soup", (), ()),
    "domates": ("Domates Çorbası", "Tomato Soup", (), ()),
    "menemen": ("Menemen", "Menemen", ("heat",), ()),
    "omlet": ("Kaşarlı Omlet", "Cheese Omelette", (), ()),
    "patates": ("Patates Kızartması", "French Fries", ("sauce",), ("patates", "fries", "chips")),
    "salata": ("Çoban Salata", "Shepherd Salad", ("onion",), ()),
    "sezar": ("Sezar Salata", "Caesar Salad", (), ()),
    "manti": ("Kayseri Mantısı", "Turkish Ravioli", (), ("mantı",)),
    "pide": ("Kıymalı Pide", "Minced Meat Pide", ("extras",), ()),
    "baklava": ("Baklava", "Baklava", (), ()),
    "kunefe": ("Künefe", "Kunefe", (), ()),
    "sutlac": ("Fırın Sütlaç", "Rice Pudding", (), ("sütlaç",)),
    "ayran": ("Ayran", "Ayran", (), ()),
    "kola": ("Kola", "Cola", (), ("coke", "coca cola")),
    "cay": ("Çay", "Tea", (), ()),
    "kahve": ("Türk Kahvesi", "Turkish Coffee", ("sugar",), ()),
    "su": ("Su", "Water", (), ()),
    "limonata": ("Limonata", "Lemonade", (), ()),
    "salgam": ("Şalgam", "Turnip Juice", (), ()),
}
GROUPS: dict[str, tuple[int, int, tuple[tuple[str, str, str, bool, bool], ...]]] = {
    # minimum, maximum, and key, Turkish, English, preset, removal of each option
    "heat": (1, 1, (("spicy", "Acılı", "Spicy", True, False),
                    ("mild", "Acısız", "Mild", False, False))),
    "onion": (0, 2, (("no_onion", "Soğansız", "No onions", False, True),
                     ("no_tomato", "Domatessiz", "No tomatoes", False, True))),
    "extras": (0, 3, (("cheese", "Ekstra peynir", "Extra cheese", False, False),
                      ("no_pickle", "Turşusuz", "No pickles", False, True),
                      ("mushroom", "Mantarlı", "Mushrooms", False, False))),
    "size": (1, 1, (("small", "Küçük", "Small", True, False),
                    ("large", "Büyük", "Large", False, False))),
    "sauce": (0, 2, (("ketchup", "Ketçap", "Ketchup", False, False),
                     ("mayo", "Mayonez", "Mayonnaise", False, False))),
    "sugar": (1, 1, (("plain", "Sade", "No sugar", False, False),
                     ("medium", "Orta", "Medium", True, False),
                     ("sweet", "Şekerli", "Sweet", False, False))),
}  # fmt: skip
SHORT_NAMES: dict[str, tuple[str, str]] = {
    "mercimek": ("mercimek", "lentil"), "ezogelin": ("ezogelin", "ezogelin"),
    "kahve": ("kahve", "coffee"), "sezar": ("sezar", "caesar"), "salata": ("çoban", "shepherd"),
    "omlet": ("omlet", "omelette"), "pide": ("kıymalı", "pide"), "doner": ("döner", "doner"),
    "tavuk_durum": ("dürüm", "wrap"), "pizza": ("karışık", "mixed"), "adana": ("adana", "adana"),
}  # fmt: skip
"""What people call a dish in short, where no other dish is called so."""
TURKISH_NUMBERS = ("", "bir", "iki", "üç", "dört", "beş", "altı")
ENGLISH_NUMBERS = ("", "one", "two", "three", "four", "five", "six")
OF_THEM = ("", "biri", "ikisi", "üçü", "dördü")
VOWELS = "aeıioöuü"
NEIGHBOURS = {"a": "s", "e": "r", "i": "o", "n": "m", "m": "n", "r": "t", "l": "k", "o": "p",
              "u": "y", "k": "l", "t": "r", "b": "v", "c": "v", "s": "d"}  # fmt: skip
PLAIN_LETTERS = str.maketrans("çğıöşüÇĞİÖŞÜ", "cgiosuCGIOSU")


@dataclass
class Wanted:
    dish: str
    quantity: int
    options: list[str] = field(default_factory=list)
    part: int = 0
    """So many of them have the options of `part_options` too."""
    part_options: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class GoldOrder:
    language: str
    messages: tuple[str, ...]
    """The order, and a correction in a later message if there is one."""
    cart: Cart
    table: str


def menu_content() -> dict[str, Any]:
    """A published menu as the database stores it. Ids are the keys with the usual prefix."""

    def texts(tr: str, en: str) -> dict[str, dict[str, str]]:
        return {"tr": {"name": tr}, "en": {"name": en}}

    items = [
        {
            "id": f"itm_{key}", "code": "", "texts": texts(tr, en), "price": "100", "tax": "10",
            "stations": ["kitchen"], "allergens": [], "diets": [], "photo": "", "available": {},
            "groups": list(groups), "synonyms": list(synonyms),
        }
        for key, (tr, en, groups, synonyms) in DISHES.items()
    ]  # fmt: skip
    groups = {
        name: {
            "texts": texts(name, name), "least": least, "most": most, "free": 0,
            "options": [
                {"id": f"opt_{key}", "texts": texts(tr, en), "price": "0", "preset": preset,
                 "removal": removal}
                for key, tr, en, preset, removal in options
            ],
        }
        for name, (least, most, options) in GROUPS.items()
    }  # fmt: skip
    category = {"id": "cat_1", "texts": texts("Menü", "Menu"), "available": {}, "items": items}
    return {"name": "Gold", "currency": "TRY", "languages": ["tr", "en"],
            "categories": [category], "groups": groups}  # fmt: skip


def generate(seed: int, count: int) -> list[GoldOrder]:
    random = Random(seed)
    return [_Writer(random, random.choice(("tr", "en"))).order() for _ in range(count)]


class _Writer:
    def __init__(self, random: Random, language: str) -> None:
        self.random, self.language = random, language
        self.turkish = language == "tr"
        self.digits = random.random() < 0.4
        self.typo_rate = random.choice((0.0, 0.0, 0.15, 0.3))

    def order(self) -> GoldOrder:
        random = self.random
        dishes = random.sample(sorted(DISHES), random.choice((1, 2, 2, 3, 3, 4)))
        wanted = [self._wanted(dish) for dish in dishes]
        text = self._sentence(wanted)
        messages = [text]
        if random.random() < 0.3:
            correction = self._correction(wanted)
            if random.random() < 0.5:
                messages[0] = f"{text}{random.choice((', ', '. '))}{correction}"
            else:
                messages.append(correction)
        table = str(random.randint(1, 14)) if random.random() < 0.5 else ""
        if table:
            messages[0] = self._with_table(messages[0], table)
        return GoldOrder(
            self.language, tuple(self._mistyped(one) for one in messages), _cart(wanted), table
        )

    def _wanted(self, dish: str) -> Wanted:
        random = self.random
        wanted = Wanted(dish, random.choice((1, 1, 2, 2, 3, 4)))
        groups = DISHES[dish][2]
        if groups and random.random() < 0.5:
            option = random.choice(GROUPS[random.choice(groups)][2])
            if wanted.quantity > 1 and random.random() < 0.4:
                wanted.part = random.randint(1, wanted.quantity - 1)
                wanted.part_options = [option[0]]
            else:
                wanted.options = [option[0]]
        return wanted

    def _sentence(self, wanted: list[Wanted]) -> str:
        random = self.random
        parts = [self._phrase(one) for one in wanted]
        if self.turkish:
            last = random.choice((" ve ", ", ", " bir de ")) if len(parts) > 1 else ""
            if last == " bir de " and self.digits:
                last = " ve "
            begin = random.choice(("", "", "Merhaba, ", "selam ", "iyi akşamlar, ", "bize "))
            end = random.choice(("", "", " lütfen", " alabilir miyim", " istiyorum", " alalım",
                                 " rica ediyorum"))  # fmt: skip
        else:
            last = random.choice((" and ", ", ", " and also ", " plus ")) if len(parts) > 1 else ""
            begin = random.choice(("", "", "Hi, ", "hello ", "I'd like ", "can I have ", "we want ",
                                   "could we get "))  # fmt: skip
            end = random.choice(("", "", " please", ", thanks", " pls"))
        head = random.choice((", ", "\n", ", ", " ")).join(parts[:-1])
        return f"{begin}{head}{last}{parts[-1]}{end}"

    def _phrase(self, one: Wanted) -> str:
        if self.turkish:
            return self._turkish_phrase(one)
        return self._english_phrase(one)

    def _turkish_phrase(self, one: Wanted) -> str:
        random = self.random
        name = self._name(one.dish, short=True)
        before, after = self._turkish_options(one.options)
        if not one.options and not one.part and random.random() < 0.2:
            return self._turkish_number_last(name, one.quantity)
        counter = random.choice(("", "", " tane", " adet", " porsiyon"))
        phrase = f"{self._number(one.quantity)}{counter} {before}{name}{after}"
        if one.part:
            how = f"{one.part}'{_of_them_suffix(one.part)}" if self.digits else OF_THEM[one.part]
            option = _option_name(one.part_options[0], 1).lower()
            phrase += f"{random.choice((' ', ', '))}{how} {option}{random.choice(('', ' olsun'))}"
        return phrase

    def _turkish_number_last(self, name: str, quantity: int) -> str:
        """`lahmacun 2`, `ayrandan iki tane`."""
        number = self._number(quantity)
        if self.random.random() < 0.5:
            return f"{_ablative(name)} {number} {self.random.choice(('tane', 'adet'))}"
        return f"{name} {number}{self.random.choice(('', ' tane', ' adet'))}"

    def _turkish_options(self, options: list[str]) -> tuple[str, str]:
        if not options:
            return "", ""
        random = self.random
        name = _option_name(options[0], 1).lower().replace("i̇", "i")
        if options[0].startswith("no_") and random.random() < 0.3:
            what = {"no_onion": "soğan", "no_tomato": "domates", "no_pickle": "turşu"}[options[0]]
            return "", f" {what} olmasın"
        if options[0] in ("cheese", "ketchup", "mayo"):
            return "", f" {name} ile" if random.random() < 0.5 else f" {name}"
        return (f"{name} ", "") if random.random() < 0.6 else ("", f" {name}")

    def _english_phrase(self, one: Wanted) -> str:
        random = self.random
        name = self._name(one.dish, short=True)
        if not one.options and not one.part and random.random() < 0.12:
            return f"{name} {random.choice(('', 'x '))}{self._number(one.quantity)}"
        if one.quantity > 1 and random.random() < 0.7:
            name = _plural(name)
        before, after = self._english_options(one.options)
        unit = random.choice(("", "", "", " portions of", " x")) if one.quantity > 1 else ""
        number = self._number(one.quantity)
        if one.quantity == 1 and not self.digits:
            number = random.choice(("a", "one"))
        phrase = f"{number}{unit} {before}{name}{after}"
        if one.part:
            count = str(one.part) if self.digits else ENGLISH_NUMBERS[one.part]
            how = f"{count} of them" if random.random() < 0.6 else count
            option = _option_name(one.part_options[0], 2).lower()
            phrase += f", {how} {'with ' if _needs_with(one.part_options[0]) else ''}{option}"
        return phrase

    def _english_options(self, options: list[str]) -> tuple[str, str]:
        if not options:
            return "", ""
        random = self.random
        name = _option_name(options[0], 2).lower()
        if options[0].startswith("no_"):
            what = name.removeprefix("no ")
            return "", f" {random.choice(('without', 'no', 'without any'))} {what}"
        if _needs_with(options[0]) or options[0] == "plain":
            return "", f" with {name}"
        return f"{name} ", ""

    def _correction(self, wanted: list[Wanted]) -> str:
        """Changes `wanted` to what the guest wants in the end."""
        random = self.random
        last = wanted[-1]
        kinds = ["number", "named"]
        kinds += ["drop"] if len(wanted) > 1 else []
        kinds += ["swap"]
        kind = random.choice(kinds)
        if kind == "number" and not last.part:
            last.quantity = random.choice([n for n in range(1, 6) if n != last.quantity])
            return self._number_correction(last.quantity)
        if kind == "drop":
            gone = wanted.pop(random.randrange(len(wanted)))
            return self._drop(gone.dish)
        changed = random.choice([one for one in wanted if not one.part] or wanted)
        if kind == "swap" and not changed.part:
            other = random.choice(sorted(set(DISHES) - {one.dish for one in wanted}))
            old, changed.dish, changed.options = changed.dish, other, []
            return self._swap(old, other)
        if changed.part:
            gone = wanted.pop(wanted.index(changed)) if len(wanted) > 1 else None
            return self._drop(gone.dish) if gone else self._nothing()
        changed.quantity = random.choice([n for n in range(1, 6) if n != changed.quantity])
        number = self._number(changed.quantity)
        if self.turkish:
            verb = random.choice(("yap", "yapın"))
            return f"{_accusative(self._name(changed.dish))} {number} {verb}"
        return f"make the {self._name(changed.dish)} {number}"

    def _number_correction(self, quantity: int) -> str:
        number = self._number(quantity)
        if self.turkish:
            start = self.random.choice(("hayır ", "pardon ", "yok, ", "aslında "))
            return f"{start}{number}{self.random.choice((' olsun', ' tane olsun'))}"
        start = self.random.choice(("no, ", "sorry, ", "actually ", "no wait, "))
        return f"{start}make it {number}"

    def _drop(self, dish: str) -> str:
        name = self._name(dish)
        if self.turkish:
            return self.random.choice(
                (f"{name} olmasın", f"{_accusative(name)} çıkar", f"{_accusative(name)} iptal edin")
            )
        return self.random.choice(
            (f"remove the {name}", f"cancel the {name}", f"I don't want the {name}")
        )

    def _swap(self, old: str, new: str) -> str:
        if self.turkish:
            return self.random.choice(
                (f"{self._name(old)} yerine {self._name(new)} olsun",
                 f"{self._name(old)} değil {self._name(new)}")
            )  # fmt: skip
        return f"{self._name(new)} instead of the {self._name(old)}"

    def _nothing(self) -> str:
        return "teşekkürler" if self.turkish else "thank you"

    def _with_table(self, text: str, table: str) -> str:
        if self.turkish:
            return text + self.random.choice(
                (f", masa {table}", f", {table} numara", f", {table} numaralı masa",
                 f". Masa {table}'deyiz")
            )  # fmt: skip
        return text + self.random.choice((f", table {table}", f". We are at table {table}"))

    def _number(self, number: int) -> str:
        if self.digits:
            return str(number)
        return (TURKISH_NUMBERS if self.turkish else ENGLISH_NUMBERS)[number]

    def _name(self, dish: str, *, short: bool = False) -> str:
        tr, en, _, synonyms = DISHES[dish]
        name = tr if self.turkish else en
        if short and dish in SHORT_NAMES and self.random.random() < 0.2:
            return self._typed(SHORT_NAMES[dish][0 if self.turkish else 1])
        if synonyms and self.random.random() < 0.2:
            name = self.random.choice(synonyms)
        name = name.replace("İ", "i").replace("I", "ı" if self.turkish else "I").lower()
        return " ".join(self._typed(word) for word in name.split())

    def _typed(self, word: str) -> str:
        """One typing error in some of the longer words."""
        random = self.random
        if len(word) < 5 or random.random() >= self.typo_rate:
            return word
        place = random.randrange(1, len(word) - 1)
        kind = random.choice(("drop", "swap", "double", "neighbour"))
        if kind == "drop":
            return word[:place] + word[place + 1 :]
        if kind == "swap":
            return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        if kind == "double":
            return word[:place] + word[place] + word[place:]
        return word[:place] + NEIGHBOURS.get(word[place], word[place]) + word[place + 1 :]

    def _mistyped(self, text: str) -> str:
        random = self.random
        if self.turkish and random.random() < 0.35:
            text = text.translate(PLAIN_LETTERS)
        if random.random() < 0.05:
            text = text.upper() if not self.turkish else text.replace("i", "İ").upper()
        return text


def _option_name(key: str, place: int) -> str:
    for _, _, options in GROUPS.values():
        for option in options:
            if option[0] == key:
                return str(option[place])
    raise KeyError(key)


def _needs_with(option: str) -> bool:
    return option in ("cheese", "mushroom", "ketchup", "mayo")


def _plural(name: str) -> str:
    words = name.split()
    last = words[-1]
    if last.endswith(("s", "ch")) or last in ("fries", "chips"):
        return name
    words[-1] = last[:-1] + "ies" if last.endswith("y") and last[-2] not in "aeiou" else last + "s"
    return " ".join(words)


def _accusative(name: str) -> str:
    """`ayran` becomes `ayranı`, `kola` becomes `kolayı`; compound names get an n."""
    vowel = next((one for one in reversed(name) if one in VOWELS), "i")
    ending = {"a": "ı", "ı": "ı", "e": "i", "i": "i", "o": "u", "u": "u", "ö": "ü", "ü": "ü"}[vowel]
    if name[-1] in VOWELS:
        compound = " " in name and name.endswith(("sı", "si", "su", "sü"))
        return f"{name}{'n' if compound else 'y'}{ending}"
    return f"{name}{ending}"


def _ablative(name: str) -> str:
    """`ayran` becomes `ayrandan`, `kebap` becomes `kebaptan`."""
    vowel = next((one for one in reversed(name) if one in VOWELS), "e")
    hard = name[-1] in "çfhkpsşt"
    return f"{name}{'t' if hard else 'd'}{'a' if vowel in 'aıou' else 'e'}n"


def _of_them_suffix(number: int) -> str:
    return {1: "i", 2: "si", 3: "ü", 4: "ü"}[number]


def _cart(wanted: list[Wanted]) -> Cart:
    cart: Cart = Counter()
    for one in wanted:
        plain = _with_presets(one.dish, one.options)
        cart[one.dish, plain] += one.quantity - one.part
        if one.part:
            cart[one.dish, _with_presets(one.dish, [*one.options, *one.part_options])] += one.part
    return +cart


def _with_presets(dish: str, options: list[str]) -> frozenset[str]:
    chosen = set(options)
    for name in DISHES[dish][2]:
        least, _, known = GROUPS[name]
        if least and not chosen & {one[0] for one in known}:
            chosen |= {one[0] for one in known if one[3]}
    return frozenset(chosen)
