"""Printed bills. A bill is not a fiscal document, and its text states that."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from babel import Locale, UnknownLocaleError
from babel.numbers import format_decimal

from core.clock import now
from core.values.money import decimal_places, format_money, quantize
from printing.rendering.document import (
    Band,
    Columns,
    Cut,
    Document,
    Heading,
    Item,
    Option,
    Part,
    Qr,
    Rule,
    Space,
    TextLine,
    Total,
)
from restaurant.models import Order, OrderItem, Site
from restaurant.orders.printing.kitchen_tickets import local_time, place_label
from restaurant.orders.printing.ticket_texts import ticket_text


def order_bill(
    site: Site, order: Order, items: Sequence[OrderItem], *, pay_url: str = ""
) -> Document:
    """`pay_url` is the page to pay on by phone; empty if that is not possible."""
    language = site.languages[0] if site.languages else "en"
    parts = (
        *([Band(ticket_text(language, "test"))] if order.test else []),
        *_header(site, order, language),
        *(part for item in items for part in _item_row(item, order.currency, language)),
        Rule(),
        *_sums(site, order.sums, order.total, order.currency, language),
        *_payment(site, order, language, pay_url),
        Space(),
        TextLine(ticket_text(language, "not_fiscal"), align="center"),
        Cut(),
    )
    return Document(f"{order.number} · {ticket_text(language, 'bill')}", parts, language)


def table_bill(
    site: Site,
    number: str,
    tabs: Sequence[tuple[Order, Sequence[OrderItem]]],
    *,
    pay_url: str = "",
    join_code: str = "",
) -> Document:
    """One bill for all open orders of a table, with the code of its tab."""
    language = site.languages[0] if site.languages else "en"
    currency = tabs[0][0].currency
    both = combine_totals([order for order, _ in tabs])
    parts = (
        *([Band(ticket_text(language, "test"))] if any(order.test for order, _ in tabs) else []),
        *_restaurant_header(site),
        Columns(
            ticket_text(language, "bill"), ticket_text(language, "table", table=number), bold=True
        ),
        TextLine(f"{local_time(site, now()):%d.%m.%Y %H:%M}"),
        *(part for order, items in tabs for part in _tab(site, order, items, language)),
        Rule(),
        *_sums(site, both.sums, both.total, currency, language),
        Rule(),
        *_paid(both, currency, language),
        *(_scan_to_pay(pay_url, join_code, language) if both.open > 0 else ()),
        Space(),
        TextLine(ticket_text(language, "not_fiscal"), align="center"),
        Cut(),
    )
    return Document(f"{number} · {ticket_text(language, 'bill')}", parts, language)


@dataclass(frozen=True)
class CombinedTotals:
    """Totals over several orders."""

    sums: dict[str, Any]
    total: Decimal
    paid: Decimal
    owed: Decimal
    """The sum of the open amounts. An overpaid order does not reduce it."""

    @property
    def open(self) -> Decimal:
        return self.total - self.paid


def combine_totals(orders: Sequence[Order]) -> CombinedTotals:
    sums: dict[str, Any] = {}
    taxes: dict[str, Decimal] = {}
    for order in orders:
        for name, amount in order.sums.items():
            if name != "taxes":
                sums[name] = str(Decimal(sums.get(name, "0")) + Decimal(amount))
        for percent, amount in order.sums.get("taxes", []):
            taxes[percent] = taxes.get(percent, Decimal(0)) + Decimal(amount)
    sums["taxes"] = [[percent, str(amount)] for percent, amount in sorted(taxes.items())]
    return CombinedTotals(
        sums,
        sum((order.total for order in orders), Decimal(0)),
        sum((order.paid_amount for order in orders), Decimal(0)),
        sum((max(order.open_amount, Decimal(0)) for order in orders), Decimal(0)),
    )


def _tab(site: Site, order: Order, items: Sequence[OrderItem], language: str) -> Iterator[Part]:
    yield Rule()
    at = local_time(site, order.placed_at)
    yield Columns(order.customer_name or order.number, f"{at:%H:%M}")
    for item in items:
        yield from _item_row(item, order.currency, language)


def _restaurant_header(site: Site) -> Iterator[Part]:
    yield Heading(site.name)
    if site.address:
        yield TextLine(site.address, align="center")
    if site.phone:
        yield TextLine(site.phone, align="center")
    yield Space()


def _header(site: Site, order: Order, language: str) -> Iterator[Part]:
    yield from _restaurant_header(site)
    at = local_time(site, order.placed_at)
    yield Columns(ticket_text(language, "bill"), place_label(site, order), bold=True)
    yield Columns(order.number, f"{at:%d.%m.%Y %H:%M}")
    if order.waiter:
        yield TextLine(ticket_text(language, "waiter", name=order.waiter))
    if order.order_type != "dine_in":
        yield from _customer(order, language)
    yield Rule()


def _customer(order: Order, language: str) -> Iterator[Part]:
    if order.customer_name:
        yield TextLine(ticket_text(language, "guest", name=order.customer_name))
    if order.customer_phone:
        yield TextLine(ticket_text(language, "phone", phone=f"+{order.customer_phone}"))
    if order.order_type == "delivery" and order.address.get("text"):
        yield TextLine(ticket_text(language, "address", address=order.address["text"]))


def _item_row(item: OrderItem, currency: str, language: str) -> Iterator[Part]:
    left = item.quantity - item.voided
    if left <= 0:
        return
    yield Item(left, item.name, _number(Decimal(item.unit_price) * left, currency, language))
    for option in item.options:
        if not option.get("removal"):
            yield Option(option["name"])


def _sums(
    site: Site, sums: Mapping[str, Any], total_amount: Decimal, currency: str, language: str
) -> Iterator[Part]:
    def shown(amount: object) -> str:
        return _number(Decimal(str(amount)), currency, language)

    yield Columns(ticket_text(language, "subtotal"), shown(sums.get("subtotal", "0")))
    if Decimal(sums.get("discount", "0")):
        yield Columns(ticket_text(language, "discount"), f"-{shown(sums['discount'])}")
    if Decimal(sums.get("service", "0")):
        percent = _percent(site.service_percent)
        yield Columns(ticket_text(language, "service", percent=percent), shown(sums["service"]))
    for name in ("delivery_fee", "tip"):
        if Decimal(sums.get(name, "0")):
            yield Columns(ticket_text(language, name), shown(sums[name]))
    word = "tax_inside" if site.tax_included else "tax_on_top"
    taxes: list[Part] = [
        Columns(ticket_text(language, word, percent=_percent(Decimal(percent))), shown(amount))
        for percent, amount in sums.get("taxes", [])
    ]
    total = Total(ticket_text(language, "total"), format_money(total_amount, currency, language))
    if site.tax_included:
        yield Rule()
        yield total
        yield from taxes
    else:
        yield from taxes
        yield Rule()
        yield total


def _payment(site: Site, order: Order, language: str, pay_url: str) -> Iterator[Part]:
    way = ticket_text(language, order.payment_method)
    yield Rule()
    if order.paid_at is not None:
        time = f"{local_time(site, order.paid_at):%H:%M}"
        yield Columns(ticket_text(language, "paid", time=time), way, bold=True)
        return
    yield Columns(ticket_text(language, "to_pay"), way, bold=True)
    if order.paid_amount:
        yield from _paid(combine_totals([order]), order.currency, language)
    yield from _scan_to_pay(pay_url, "", language)


def _scan_to_pay(pay_url: str, join_code: str, language: str) -> Iterator[Part]:
    if pay_url:
        yield Space()
        yield TextLine(ticket_text(language, "scan_to_pay"), align="center", bold=True)
        yield Qr(pay_url)
    if pay_url and join_code:
        text = ticket_text(language, "join_code", code=join_code)
        yield TextLine(text, align="center")


def _paid(both: CombinedTotals, currency: str, language: str) -> Iterator[Part]:
    if both.paid:
        yield Columns(ticket_text(language, "paid_so_far"), _number(both.paid, currency, language))
    left = format_money(both.open, currency, language)
    yield Columns(ticket_text(language, "left_to_pay"), left, bold=True)


def _percent(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _number(amount: Decimal, currency: str, language: str) -> str:
    """Without a currency sign, which only the total has."""
    try:
        known = Locale.parse(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        known = Locale("en")
    pattern = "#,##0" + ("." + "0" * decimal_places(currency) if decimal_places(currency) else "")
    return str(format_decimal(quantize(amount, currency), format=pattern, locale=known))
