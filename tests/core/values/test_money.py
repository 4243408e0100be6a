import json
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.values.money import (
    BadMoney,
    decimal_places,
    format_money,
    json_number,
    parse_money,
    quantize,
    usd,
)


def test_places_of_a_currency():
    assert [decimal_places(code) for code in ("JPY", "CLP", "TRY", "EUR", "HUF", "KWD", "TND")] == [
        0, 0, 2, 2, 2, 3, 3,
    ]  # fmt: skip
    assert (decimal_places("RSD"), decimal_places("IQD")) == (2, 3)
    for wrong in ("", "try", "TL", "₺", "QQQ"):
        with pytest.raises(BadMoney):
            decimal_places(wrong)


@pytest.mark.parametrize(
    ("amount", "currency", "rounded"),
    [
        ("1.005", "TRY", "1.01"),
        ("1.004", "TRY", "1.00"),
        ("-1.005", "TRY", "-1.01"),
        ("0.5", "JPY", "1"),
        ("1", "KWD", "1.000"),
        ("12345678901234567890.125", "EUR", "12345678901234567890.13"),
    ],
)
def test_rounding_is_half_up(amount, currency, rounded):
    with localcontext() as narrow:
        narrow.prec = 4
        assert str(quantize(Decimal(amount), currency)) == rounded


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "-Infinity", "sNaN", "1E+60"])
def test_what_is_no_amount(amount):
    for use in (usd, json_number, lambda value: quantize(value, "TRY")):
        with pytest.raises(BadMoney):
            use(Decimal(amount))


@pytest.mark.parametrize(
    ("text", "currency", "amount"),
    [
        ("12.5", "TRY", "12.50"),
        ("12.500", "TRY", "12.50"),
        ("0", "TRY", "0.00"),
        ("-0", "TRY", "0.00"),
        ("-3.10", "TRY", "-3.10"),
        ("100", "JPY", "100"),
        ("1.234", "KWD", "1.234"),
        ("999999999999.99", "TRY", "999999999999.99"),
    ],
)
def test_amounts_are_read(text, currency, amount):
    assert str(parse_money(text, currency)) == amount


@pytest.mark.parametrize(
    "text",
    ["", " 1", "1 ", "+1", "1,50", "1.", ".5", "1.234", "01", "1e2", "NaN", "1_0", "١", "1.5.0",
     "1000000000000", "0x1", "--1", "1\n"],
)  # fmt: skip
def test_other_amounts_are_refused(text):
    with pytest.raises(BadMoney) as caught:
        parse_money(text, "TRY")
    assert caught.value.code == "invalid_amount"


def test_no_cents_in_a_currency_without_them():
    with pytest.raises(BadMoney, match="0 decimals"):
        parse_money("1.5", "JPY")


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2))
def test_what_is_written_is_read_again(amount):
    assert parse_money(f"{amount:f}" if amount else "0.00", "TRY") == amount


def test_amounts_for_people():
    assert format_money(Decimal("1234.5"), "TRY", "tr") == "₺1.234,50"
    assert format_money(Decimal("1234.5"), "TRY", "tr-TR") == "₺1.234,50"
    assert format_money(Decimal("1234.5"), "USD", "en") == "$1,234.50"
    assert format_money(Decimal("1234.5"), "JPY", "en") == "¥1,235"
    assert format_money(Decimal("1.5"), "KWD", "en").endswith("1.500")
    assert format_money(Decimal("150.5"), "RSD", "en").endswith("150.50")
    assert format_money(Decimal(-3), "USD", "en") == "-$3.00"
    assert format_money(Decimal(3), "USD", "nonsense") == "$3.00"


def test_dollars_keep_six_places():
    assert str(usd(Decimal("0.00340000"))) == "0.0034"
    assert str(usd(Decimal("0.0000005"))) == "0.000001"
    assert str(usd(Decimal(100))) == "100"
    assert str(usd(Decimal("-0.0000001"))) == "0"


def test_numbers_on_the_wire():
    assert json.dumps(json_number(Decimal("0.0034"))) == "0.0034"
    assert json.dumps(json_number(Decimal("12.50"))) == "12.5"
    assert json.dumps(json_number(Decimal("100.00"))) == "100"
    assert json.dumps(json_number(Decimal("0.1") + Decimal("0.2"))) == "0.3"
    assert isinstance(json_number(Decimal("3.000000")), int)
    with pytest.raises(BadMoney, match="too large"):
        json_number(Decimal("12345678901234567.123456"))


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=6))
def test_the_wire_is_exact_to_six_places(amount):
    assert json.loads(json.dumps(json_number(amount)), parse_float=Decimal) == amount
