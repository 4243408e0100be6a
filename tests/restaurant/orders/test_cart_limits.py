"""The hourly limits on carts per table and per network address."""

import pytest

from core.errors import RateLimited
from tests.restaurant.bistro import open_bistro


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant, table_orders_per_hour=3, address_orders_per_hour=4)


def test_strangers_cannot_use_up_the_orders_of_a_table(bistro):
    for number in range(6):
        bistro.cart(token="wrong", visitor=f"198.51.100.{number}")
    for number in range(3):
        assert bistro.cart(visitor=f"203.0.113.{number}").seated
    with pytest.raises(RateLimited):
        bistro.cart(visitor="203.0.113.9")


def test_carts_without_a_table_code_count_against_their_address(bistro):
    for _ in range(4):
        bistro.cart(token="", visitor="198.51.100.7")
    with pytest.raises(RateLimited):
        bistro.cart(token="", visitor="198.51.100.7")
