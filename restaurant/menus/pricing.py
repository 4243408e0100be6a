"""Prices carts: ids and quantities in, lines and totals out. Pure; never accepts outside prices.

Each amount is rounded to the currency when it is calculated, so that the amounts shown add up.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from core.errors import Invalid
from core.i18n.catalogs import N_
from core.values.money import quantize
from core.values.text import one_line

MAX_ITEMS = 60
MAX_QUANTITY = 99
LONGEST_NOTE = 200
ZERO = Decimal(0)


@dataclass(frozen=True)
class RequestedItem:
    """One line of a cart or order as the diner requested it."""

    item_id: str
    quantity: int
    options: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class ChosenOption:
    id: str
    name: str
    said: str
    price: Decimal
    """Surcharge for one piece; 0 if it is one of the free options."""
    removal: bool = False
    item_id: str = ""
    """The dish of a set menu that was chosen."""


TICKET_MARKS = ("pork",)
"""Diets that the kitchen's tickets show, because the dish is prepared apart from others."""


@dataclass(frozen=True)
class PricedItem:
    item_id: str
    name: str
    said: str
    quantity: int
    unit_price: Decimal
    tax_percent: Decimal
    stations: tuple[str, ...]
    options: tuple[ChosenOption, ...] = ()
    note: str = ""
    marks: tuple[str, ...] = ()
    """Of TICKET_MARKS."""
    regular_price: Decimal | None = None
    """What one piece costs outside the happy hour; None: no happy hour applies."""
    offer: str = ""
    """The name of the happy hour, in the restaurant's main language."""
    course: int = 0
    """Of the dish's category; 0 if the kitchen makes it at once."""

    @property
    def amount(self) -> Decimal:
        return self.unit_price * self.quantity


@dataclass(frozen=True)
class PricingTerms:
    """The site's pricing rules plus the discount, delivery fee and tip of one order."""

    currency: str
    tax_included: bool = True
    service_percent: Decimal = ZERO
    discount: Decimal = ZERO
    delivery_fee: Decimal = ZERO
    tip: Decimal = ZERO


@dataclass(frozen=True)
class OrderTotals:
    subtotal: Decimal
    discount: Decimal
    service: Decimal
    delivery_fee: Decimal
    tip: Decimal
    taxes: tuple[tuple[Decimal, Decimal], ...]
    """(percent, amount) pairs, included in the prices or added to them (`tax_included`)."""
    total: Decimal

    def as_json(self) -> dict[str, Any]:
        return {
            "subtotal": str(self.subtotal),
            "discount": str(self.discount),
            "service": str(self.service),
            "delivery_fee": str(self.delivery_fee),
            "tip": str(self.tip),
            "taxes": [[f"{percent.normalize():f}", str(amount)] for percent, amount in self.taxes],
            "total": str(self.total),
        }


class NotOnMenu(Invalid):
    """Part of the cart is not available; `thing` is the id to remove."""

    def __init__(self, code: str, message: str, thing: str, /, **values: object) -> None:
        super().__init__(code, message, **values)
        self.more = {"thing": thing}


class NotEnoughLeft(Invalid):
    """The cart has more pieces of an item than there are left."""

    def __init__(self, item_id: str, name: str, left: int) -> None:
        super().__init__("not_enough_left", N_("{name}: only {left} left."), name=name, left=left)
        self.more = {"item": item_id, "left": left}


@dataclass(frozen=True)
class ItemPrice:
    price: Decimal
    tax_percent: Decimal
    regular: Decimal
    """Without a happy hour."""
    offer: Mapping[str, Any] | None = None
    """The happy hour that applies."""


@dataclass
class PricedMenu:
    """A published menu, indexed by item id."""

    content: Mapping[str, Any]
    missing: frozenset[str] = frozenset()
    """Ids that are sold out or not served at this time."""
    left: Mapping[str, int] = field(default_factory=dict)
    """Pieces left of the items that are counted."""
    order_type: str = "dine_in"
    rules: Sequence[Mapping[str, Any]] = ()
    """The happy hours that apply at this time."""
    _items: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _category_of: dict[str, str] = field(default_factory=dict)
    _courses: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for category in self.content["categories"]:
            for item in category["items"]:
                self._items[item["id"]] = item
                self._category_of[item["id"]] = category.get("id", "")
                self._courses[item["id"]] = category.get("course", 0)

    def item(self, item_id: str) -> Mapping[str, Any]:
        item = self._items.get(item_id)
        if item is None:
            raise NotOnMenu(
                "not_on_menu", "The menu has changed. Please check your order again.", item_id
            )
        return item

    def price_of(self, item: Mapping[str, Any]) -> ItemPrice:
        """The price of an item for this type of order at this time, without its options."""
        other = item.get("prices", {}).get(self.order_type, {})
        regular = Decimal(other.get("price") or item["price"])
        tax = Decimal(other.get("tax") or item["tax"])
        best, offer = regular, None
        for rule in self.rules:
            if self._applies(rule, item["id"]):
                price = self._reduced(rule, regular)
                if price < best:
                    best, offer = price, rule
        return ItemPrice(best, tax, regular, offer)

    def _applies(self, rule: Mapping[str, Any], item_id: str) -> bool:
        chosen = item_id in rule["items"] or self._category_of[item_id] in rule["categories"]
        return chosen and self.order_type in rule["order_types"]

    def _reduced(self, rule: Mapping[str, Any], regular: Decimal) -> Decimal:
        if "price" in rule:
            return Decimal(rule["price"])
        less = regular * (100 - Decimal(rule["percent"])) / 100
        return quantize(less, self.content["currency"])

    def course(self, item_id: str) -> int:
        return self._courses.get(item_id, 0)

    def text(self, thing: Mapping[str, Any], language: str) -> str:
        return text_in(thing["texts"], language, self.content["languages"])


def text_in(texts: Mapping[str, Any], language: str, languages: Sequence[str]) -> str:
    """The name in `language`, else in English, else in the first menu language that has one."""
    for code in (language, language.partition("-")[0], "en", *languages):
        name = (texts.get(code) or {}).get("name")
        if name:
            return str(name)
    return ""


def price_items(
    priced_menu: PricedMenu, requested: Sequence[RequestedItem], language: str
) -> list[PricedItem]:
    """Raises Invalid with a message for the diner."""
    if not requested:
        raise Invalid("empty_cart", "The cart is empty.")
    if len(requested) > MAX_ITEMS:
        raise Invalid("too_many_lines", "A cart can have at most {most} items.", most=MAX_ITEMS)
    items = [_price_item(priced_menu, requested_item, language) for requested_item in requested]
    _check_left(priced_menu, items)
    return items


def pieces_of(item: PricedItem) -> Counter[str]:
    """Pieces of every dish in an order line: the item itself and the dishes of a set menu."""
    pieces = Counter({item.item_id: item.quantity})
    for option in item.options:
        if option.item_id:
            pieces[option.item_id] += item.quantity
    return pieces


def _check_left(priced_menu: PricedMenu, items: Sequence[PricedItem]) -> None:
    if not priced_menu.left:
        return
    wanted: Counter[str] = sum((pieces_of(item) for item in items), Counter())
    for item in items:
        names = {item.item_id: item.said} | {one.item_id: one.said for one in item.options}
        for item_id, name in names.items():
            left = priced_menu.left.get(item_id)
            if left is not None and left < wanted[item_id]:
                raise NotEnoughLeft(item_id, name, left)


def _price_item(
    priced_menu: PricedMenu, requested_item: RequestedItem, language: str
) -> PricedItem:
    item = priced_menu.item(requested_item.item_id)
    texts = priced_menu.text(item, language)
    if requested_item.item_id in priced_menu.missing:
        raise NotOnMenu("sold_out", "{name} is sold out.", requested_item.item_id, name=texts)
    if not 1 <= requested_item.quantity <= MAX_QUANTITY:
        raise Invalid(
            "invalid_quantity", "{name}: order between 1 and {most}.", name=texts, most=MAX_QUANTITY
        )
    options = _options(priced_menu, item, requested_item, language)
    home = priced_menu.content["languages"][0]
    price, extras = priced_menu.price_of(item), sum((one.price for one in options), ZERO)
    dishes = _chosen_dishes(priced_menu, item, requested_item)
    diets = {diet for dish in (item, *dishes) for diet in dish.get("diets", ())}
    made_at = [station for dish in dishes for station in dish["stations"]]
    return PricedItem(
        item_id=requested_item.item_id,
        name=priced_menu.text(item, home),
        said=texts,
        quantity=requested_item.quantity,
        unit_price=price.price + extras,
        tax_percent=price.tax_percent,
        stations=tuple(dict.fromkeys(made_at or item["stations"])),
        options=tuple(options),
        note=one_line(requested_item.note, LONGEST_NOTE),
        marks=tuple(one for one in TICKET_MARKS if one in diets),
        regular_price=price.regular + extras if price.offer else None,
        offer=priced_menu.text(price.offer, home) if price.offer else "",
        course=priced_menu.course(requested_item.item_id),
    )


def _chosen_dishes(
    priced_menu: PricedMenu, item: Mapping[str, Any], requested_item: RequestedItem
) -> list[Mapping[str, Any]]:
    """The dishes of a set menu that the guest chose."""
    return [
        option
        for group_id in item["groups"]
        for option in priced_menu.content["groups"][group_id]["options"]
        if option["id"] in requested_item.options and option.get("item_id")
    ]


def _options(
    priced_menu: PricedMenu, item: Mapping[str, Any], requested_item: RequestedItem, language: str
) -> list[ChosenOption]:
    option_ids = list(requested_item.options)
    chosen: list[ChosenOption] = []
    home = priced_menu.content["languages"][0]
    for group_id in item["groups"]:
        group = priced_menu.content["groups"][group_id]
        of_group = {option["id"]: option for option in group["options"]}
        of_this_group = [option_id for option_id in option_ids if option_id in of_group]
        option_ids = [option_id for option_id in option_ids if option_id not in of_group]
        name = priced_menu.text(group, language)
        for option_id in of_this_group:
            if {option_id, of_group[option_id].get("item_id")} & priced_menu.missing:
                gone = priced_menu.text(of_group[option_id], language)
                raise NotOnMenu("sold_out", "{name} is sold out.", option_id, name=gone)
        if (
            len(set(of_this_group)) != len(of_this_group)
            or not group["least"] <= len(of_this_group) <= group["most"]
        ):
            values = {
                "item": priced_menu.text(item, language),
                "group": name,
                "least": group["least"],
                "most": group["most"],
            }
            if group["least"] == group["most"]:
                raise NotOnMenu(
                    "wrong_options",
                    "{item}: choose {least} from “{group}”.",
                    requested_item.item_id,
                    **values,
                )
            raise NotOnMenu(
                "wrong_options",
                "{item}: choose {least} to {most} from “{group}”.",
                requested_item.item_id,
                **values,
            )
        free = set(
            sorted(of_this_group, key=lambda one: -Decimal(of_group[one]["price"]))[: group["free"]]
        )
        chosen += [
            ChosenOption(
                id=option_id,
                name=priced_menu.text(of_group[option_id], home),
                said=priced_menu.text(of_group[option_id], language),
                price=ZERO if option_id in free else Decimal(of_group[option_id]["price"]),
                removal=bool(of_group[option_id].get("removal")),
                item_id=of_group[option_id].get("item_id", ""),
            )
            for option_id in of_this_group
        ]
    if option_ids:
        raise NotOnMenu(
            "not_on_menu", "The menu has changed. Please check your order again.", option_ids[0]
        )
    return chosen


def calculate_totals(items: Iterable[PricedItem], terms: PricingTerms) -> OrderTotals:
    """Subtotal, discount, service, delivery fee, tip, taxes by rate, and total."""
    by_rate: dict[Decimal, Decimal] = {}
    for item in items:
        by_rate[item.tax_percent] = by_rate.get(item.tax_percent, ZERO) + item.amount
    currency = terms.currency
    subtotal = quantize(sum(by_rate.values(), ZERO), currency)
    discount = quantize(min(max(terms.discount, ZERO), subtotal), currency)
    service = quantize((subtotal - discount) * terms.service_percent / 100, currency)
    fee, tip = quantize(terms.delivery_fee, currency), quantize(terms.tip, currency)
    taxes = tuple(
        (percent, _tax(amount, percent, terms.tax_included, currency))
        for percent, amount in _spread_discount(by_rate, discount, currency)
        if percent
    )
    on_top = ZERO if terms.tax_included else sum((amount for _, amount in taxes), ZERO)
    total = subtotal - discount + service + fee + tip + on_top
    return OrderTotals(subtotal, discount, service, fee, tip, taxes, quantize(total, currency))


def _spread_discount(
    by_rate: Mapping[Decimal, Decimal], discount: Decimal, currency: str
) -> list[tuple[Decimal, Decimal]]:
    """Split the discount over the tax rates by share; the last one gets the rounding remainder."""
    rates = sorted(by_rate.items())
    whole = sum((amount for _, amount in rates), ZERO)
    left, less = discount, []
    for number, (percent, amount) in enumerate(rates, 1):
        last = number == len(rates)
        share = left if last or not whole else quantize(discount * amount / whole, currency)
        share = min(share, left, amount)
        left -= share
        less.append((percent, amount - share))
    return less


def _tax(amount: Decimal, percent: Decimal, included: bool, currency: str) -> Decimal:
    base = percent + 100 if included else Decimal(100)
    return quantize(amount * percent / base, currency)
