"""What a table pays, on paper. Never a fiscal document, and it says so."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from babel import Locale, UnknownLocaleError
from babel.numbers import format_decimal

from core.clock import now
from core.money import format_money, places, quantize
from printing.document import (
    Band,
    Columns,
    Cut,
    Document,
    Heading,
    Item,
    Line,
    Option,
    Part,
    Qr,
    Rule,
    Space,
    Total,
)
from restaurant.models import Order, OrderLine, Site
from restaurant.receipts import local, place, say


def bill(site: Site, order: Order, lines: Sequence[OrderLine], *, pay_url: str = "") -> Document:
    """`pay_url` is where the guest pays with the phone, where that is possible."""
    language = site.languages[0] if site.languages else "en"
    parts = (
        *([Band(say(language, "test"))] if order.test else []),
        *_head(site, order, language),
        *(part for line in lines for part in _line(line, order.currency, language)),
        Rule(),
        *_sums(site, order.sums, order.total, order.currency, language),
        *_payment(site, order, language, pay_url),
        Space(),
        Line(say(language, "not_fiscal"), align="center"),
        Cut(),
    )
    return Document(f"{order.number} · {say(language, 'bill')}", parts, language)


def of_table(
    site: Site, number: str, tabs: Sequence[tuple[Order, Sequence[OrderLine]]]
) -> Document:
    """One bill for all open orders of a table."""
    language = site.languages[0] if site.languages else "en"
    currency = tabs[0][0].currency
    both = together([order for order, _ in tabs])
    parts = (
        *([Band(say(language, "test"))] if any(order.test for order, _ in tabs) else []),
        *_shop(site),
        Columns(say(language, "bill"), say(language, "table", table=number), bold=True),
        Line(f"{local(site, now()):%d.%m.%Y %H:%M}"),
        *(part for order, lines in tabs for part in _tab(site, order, lines, language)),
        Rule(),
        *_sums(site, both.sums, both.total, currency, language),
        Rule(),
        *_paid(both, currency, language),
        Space(),
        Line(say(language, "not_fiscal"), align="center"),
        Cut(),
    )
    return Document(f"{number} · {say(language, 'bill')}", parts, language)


@dataclass(frozen=True)
class Together:
    """The sums of several orders."""

    sums: dict[str, Any]
    total: Decimal
    paid: Decimal
    owed: Decimal
    """The open amounts, without what was paid too much for another order."""

    @property
    def open(self) -> Decimal:
        return self.total - self.paid


def together(orders: Sequence[Order]) -> Together:
    sums: dict[str, Any] = {}
    taxes: dict[str, Decimal] = {}
    for order in orders:
        for name, amount in order.sums.items():
            if name != "taxes":
                sums[name] = str(Decimal(sums.get(name, "0")) + Decimal(amount))
        for percent, amount in order.sums.get("taxes", []):
            taxes[percent] = taxes.get(percent, Decimal(0)) + Decimal(amount)
    sums["taxes"] = [[percent, str(amount)] for percent, amount in sorted(taxes.items())]
    return Together(
        sums,
        sum((order.total for order in orders), Decimal(0)),
        sum((order.paid_amount for order in orders), Decimal(0)),
        sum((max(order.open_amount, Decimal(0)) for order in orders), Decimal(0)),
    )


def _tab(site: Site, order: Order, lines: Sequence[OrderLine], language: str) -> Iterator[Part]:
    yield Rule()
    at = local(site, order.placed_at)
    yield Columns(order.customer_name or order.number, f"{at:%H:%M}")
    for line in lines:
        yield from _line(line, order.currency, language)


def _shop(site: Site) -> Iterator[Part]:
    yield Heading(site.name)
    if site.address:
        yield Line(site.address, align="center")
    if site.phone:
        yield Line(site.phone, align="center")
    yield Space()


def _head(site: Site, order: Order, language: str) -> Iterator[Part]:
    yield from _shop(site)
    at = local(site, order.placed_at)
    yield Columns(say(language, "bill"), place(site, order), bold=True)
    yield Columns(order.number, f"{at:%d.%m.%Y %H:%M}")
    if order.waiter:
        yield Line(say(language, "waiter", name=order.waiter))
    if order.order_type != "dine_in":
        yield from _customer(order, language)
    yield Rule()


def _customer(order: Order, language: str) -> Iterator[Part]:
    if order.customer_name:
        yield Line(say(language, "guest", name=order.customer_name))
    if order.customer_phone:
        yield Line(say(language, "phone", phone=f"+{order.customer_phone}"))
    if order.order_type == "delivery" and order.address.get("text"):
        yield Line(say(language, "address", address=order.address["text"]))


def _line(line: OrderLine, currency: str, language: str) -> Iterator[Part]:
    left = line.quantity - line.voided
    if left <= 0:
        return
    yield Item(left, line.name, _number(Decimal(line.unit_price) * left, currency, language))
    for option in line.options:
        if not option.get("removal"):
            yield Option(option["name"])


def _sums(
    site: Site, sums: Mapping[str, Any], total_amount: Decimal, currency: str, language: str
) -> Iterator[Part]:
    def shown(amount: object) -> str:
        return _number(Decimal(str(amount)), currency, language)

    yield Columns(say(language, "subtotal"), shown(sums.get("subtotal", "0")))
    if Decimal(sums.get("discount", "0")):
        yield Columns(say(language, "discount"), f"-{shown(sums['discount'])}")
    if Decimal(sums.get("service", "0")):
        percent = _percent(site.service_percent)
        yield Columns(say(language, "service", percent=percent), shown(sums["service"]))
    for name in ("delivery_fee", "tip"):
        if Decimal(sums.get(name, "0")):
            yield Columns(say(language, name), shown(sums[name]))
    word = "tax_inside" if site.tax_included else "tax_on_top"
    taxes: list[Part] = [
        Columns(say(language, word, percent=_percent(Decimal(percent))), shown(amount))
        for percent, amount in sums.get("taxes", [])
    ]
    total = Total(say(language, "total"), format_money(total_amount, currency, language))
    if site.tax_included:
        yield Rule()
        yield total
        yield from taxes
    else:
        yield from taxes
        yield Rule()
        yield total


def _payment(site: Site, order: Order, language: str, pay_url: str) -> Iterator[Part]:
    way = say(language, order.payment_method)
    yield Rule()
    if order.paid_at is not None:
        time = f"{local(site, order.paid_at):%H:%M}"
        yield Columns(say(language, "paid", time=time), way, bold=True)
        return
    yield Columns(say(language, "to_pay"), way, bold=True)
    if order.paid_amount:
        yield from _paid(together([order]), order.currency, language)
    if pay_url:
        yield Space()
        yield Line(say(language, "scan_to_pay"), align="center", bold=True)
        yield Qr(pay_url)


def _paid(both: Together, currency: str, language: str) -> Iterator[Part]:
    if both.paid:
        yield Columns(say(language, "paid_so_far"), _number(both.paid, currency, language))
    left = format_money(both.open, currency, language)
    yield Columns(say(language, "left_to_pay"), left, bold=True)


def _percent(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _number(amount: Decimal, currency: str, language: str) -> str:
    """Without the sign of the money, which stands at the total."""
    try:
        known = Locale.parse(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        known = Locale("en")
    pattern = "#,##0" + ("." + "0" * places(currency) if places(currency) else "")
    return str(format_decimal(quantize(amount, currency), format=pattern, locale=known))
