"""Every code that is sent in a chat has a text, and numbers have plural forms."""

import pytest

from printing.choices import ERROR_STATES
from restaurant.chat_texts import CHAT_TEXTS, chat_languages, chat_text, unfilled_chat_text
from restaurant.couriers.dispatch import PROBLEMS
from restaurant.loyalty.coupons import REFUSAL_TEXTS
from restaurant.loyalty.triggers import TRIGGERS
from restaurant.models.order_states import ORDER_TYPES, PAYMENT_METHODS


def test_every_code_has_a_text():
    codes = {*ORDER_TYPES} - {"dine_in"}
    codes |= {f"payment_{way}" for way in PAYMENT_METHODS if way != "pos_at_table"}
    codes |= {f"problem_{kind}" for kind in PROBLEMS}
    codes |= {f"coupon_{why}" for why in REFUSAL_TEXTS}
    codes |= {f"loyalty_{trigger}" for trigger in TRIGGERS}
    codes |= {f"printer_{state}" for state in ERROR_STATES}
    assert codes <= set(CHAT_TEXTS)


@pytest.mark.parametrize(
    ("language", "one", "three", "eleven"),
    [
        ("en", "you have 1 point.", "you have 3 points.", "you have 11 points."),
        ("de", "Sie haben 1 Punkt.", "Sie haben 3 Punkte.", "Sie haben 11 Punkte."),
        ("tr", "1 puanınız var.", "3 puanınız var.", "11 puanınız var."),
        ("ar", "لديك 1 نقطة.", "لديك 3 نقاط.", "لديك 11 نقطة."),
    ],
)
def test_points_are_counted(language, one, three, eleven):
    said = [chat_text(language, "points_balance", site="", balance=many) for many in (1, 3, 11)]
    assert said == [f": {one}", f": {three}", f": {eleven}"]


def test_the_texts_of_automatic_messages_keep_their_placeholders():
    for language in chat_languages():
        assert "{{loyalty.balance}}" in unfilled_chat_text(language, "loyalty_welcome")
