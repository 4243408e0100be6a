"""Money is Decimal. The number of decimals comes from the currency's data."""

import re
from copy import copy
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import cache, lru_cache

from babel import Locale, UnknownLocaleError
from babel.numbers import get_currency_precision, is_currency

_AMOUNT = re.compile(r"-?(0|[1-9][0-9]{0,11})(?:\.([0-9]+))?")
_MICRO = Decimal("0.000001")
# Precise enough for any stored amount, whatever the caller's decimal context.
_EXACT = Context(prec=40, rounding=ROUND_HALF_UP)


class BadMoney(ValueError):
    code = "invalid_amount"


# ISO 4217 gives these currencies decimals that CLDR does not show, because their coins no longer
# exist. Card payments still use the decimals.
_ISO_PLACES = dict.fromkeys(
    ["AFN", "ALL", "IRR", "KPW", "LAK", "LBP", "MMK", "RSD", "SOS", "SYP", "YER"], 2
) | {"IQD": 3}


# Symbols that are known where the currency is used; CLDR shows a code in other locales.
_SIGNS = {
    "AZN": "₼", "GEL": "₾", "KZT": "₸", "NGN": "₦", "RUB": "₽", "TRY": "₺", "UAH": "₴",
}  # fmt: skip


@cache
def decimal_places(currency: str) -> int:
    """0 for JPY, 2 for TRY, 3 for KWD. Raises BadMoney for an unknown code."""
    if not re.fullmatch(r"[A-Z]{3}", currency) or not is_currency(currency):
        raise BadMoney(f"{currency!r} is not the code of a currency, such as TRY")
    return _ISO_PLACES.get(currency) or get_currency_precision(currency)


def quantize(amount: Decimal, currency: str) -> Decimal:
    """Round half up to the currency's decimals."""
    _finite(amount)
    return _round(amount, Decimal(1).scaleb(-decimal_places(currency)))


def parse_money(text: str, currency: str) -> Decimal:
    """Strict: ``12.50``. No sign but a minus, no grouping, no exponent, not too many decimals."""
    found = _AMOUNT.fullmatch(text)
    if found is None:
        raise BadMoney("an amount is digits with a dot before the decimals, such as 12.50")
    allowed = decimal_places(currency)
    if len((found[2] or "").rstrip("0")) > allowed:
        raise BadMoney(f"an amount in {currency} has at most {allowed} decimals")
    return quantize(Decimal(text), currency)


def format_money(amount: Decimal, currency: str, locale: str) -> str:
    """For people, in the format of their language: ``₺12,50``."""
    rounded = quantize(amount, currency)
    try:
        known = Locale.parse(locale.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        known = Locale("en")
    pattern = copy(known.currency_formats["standard"])
    pattern.frac_prec = (decimal_places(currency),) * 2
    shown = str(pattern.apply(rounded, known, currency=currency, currency_digits=False))
    return shown.replace(currency, _SIGNS[currency]) if currency in _SIGNS else shown


def usd(amount: Decimal) -> Decimal:
    """A cost in dollars, up to 6 decimals, without trailing zeros."""
    _finite(amount)
    return _trim(_round(amount, _MICRO))


def json_number(amount: Decimal) -> float | int:
    """For JSON: the number whose shortest form is the amount, exact to 6 decimals. Raises BadMoney
    if it is too large for that.
    """
    return _json_number(usd(amount))


@lru_cache(maxsize=4096)  # the prices of messages are few
def _json_number(rounded: Decimal) -> float | int:
    if rounded == rounded.to_integral_value():
        return int(rounded)
    number = float(rounded)
    if Decimal(repr(number)) != rounded:
        raise BadMoney("the amount is too large to be written exactly as a JSON number")
    return number


def _finite(amount: Decimal) -> None:
    if not amount.is_finite():
        raise BadMoney("the amount is not a number")


def _round(amount: Decimal, step: Decimal) -> Decimal:
    try:
        rounded = amount.quantize(step, context=_EXACT)
    except InvalidOperation:
        raise BadMoney("the amount is too large") from None
    return rounded or abs(rounded)  # no negative zero


def _trim(amount: Decimal) -> Decimal:
    whole = amount.to_integral_value()
    return _round(whole, Decimal(1)) if amount == whole else amount.normalize(_EXACT)
