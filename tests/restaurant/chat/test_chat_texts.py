"""Every code that is sent in a chat has a text, and numbers have plural forms."""

import pytest

from messaging.contacts.identities import OPT_OUT_WORDS
from printing.choices import ERROR_STATES
from restaurant.chat.loyalty_keywords import REDEEM_WORDS
from restaurant.chat_texts import CHAT_TEXTS, chat_languages, chat_text, unfilled_chat_text
from restaurant.couriers.dispatch import PROBLEMS
from restaurant.loyalty import programmes
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
        ("es", "tiene 1 punto.", "tiene 3 puntos.", "tiene 11 puntos."),
        ("fr", "vous avez 1 point.", "vous avez 3 points.", "vous avez 11 points."),
        ("pt", "tem 1 ponto.", "tem 3 pontos.", "tem 11 pontos."),
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


def test_an_unknown_name_leaves_no_comma():
    for language in chat_languages():
        for key in ("received", "waits", "pay", "paid", "share_location"):
            said = chat_text(language, key, name="", order="M-1", total="9")
            assert not [gap for gap in (",!", ", !", ",,", ", ,") if gap in said], said


def test_the_words_that_the_texts_tell_guests_to_send_are_understood():
    for language in chat_languages():
        loyalty = unfilled_chat_text(language, "loyalty_welcome")
        keywords = programmes.DEFAULT_KEYWORDS[language]
        assert any(word in loyalty.casefold() for word in keywords), language
        redeem = unfilled_chat_text(language, "reward_ready").casefold()
        assert any(word in redeem for word in REDEEM_WORDS), language
        stop = loyalty.rpartition("\n\n")[2].casefold()
        assert any(word in stop for words in OPT_OUT_WORDS.values() for word in words), language
