"""Every code that the diner's pages and scripts show has a text."""

import re

from portal.diner.cart_views import MESSAGE_KEYS
from portal.diner.texts import SCRIPT_KEYS, TEXTS, diner_text, script_texts
from restaurant.loyalty.coupons import REFUSAL_TEXTS
from restaurant.menus.validation import ALLERGENS, DIETS
from restaurant.models.order_states import ORDER_TYPES, PAYMENT_METHODS, STATES
from tests.conftest import ROOT


def scripts() -> str:
    files = sorted((ROOT / "portal/static/diner").glob("*.js"))
    return "\n".join(file.read_text() for file in files)


def test_every_code_has_a_text():
    codes = {*ALLERGENS, *DIETS, *ORDER_TYPES, *PAYMENT_METHODS, *MESSAGE_KEYS.values()}
    codes |= {f"order_{state}" for state in STATES}
    codes |= {f"coupon_{why}" for why in REFUSAL_TEXTS}
    assert codes <= set(TEXTS)


def test_the_page_gives_its_scripts_the_texts_that_they_use():
    called = re.findall(r"\btranslate\(([^,{)]+)", scripts())
    used = {key for call in called for key in re.findall(r'"(\w+)"', call)}
    assert len(used) > 20
    assert used <= set(SCRIPT_KEYS)
    # A code that is first put into a variable is found by its text alone.
    quoted = {key for key in re.findall(r'"(\w+)"', scripts()) if "_" in key and key in TEXTS}
    assert quoted <= {*SCRIPT_KEYS, *ORDER_TYPES, "coupon_unknown"}  # values of the interface
    assert not [key for key in SCRIPT_KEYS if f'"{key}"' not in scripts()]


def test_scripts_fill_in_the_values_themselves():
    assert script_texts("en")["order_number"] == "Order {number}"
    assert set(script_texts("ar")) == set(SCRIPT_KEYS)
    assert diner_text("en", "order_number", number="7") == "Order 7"
