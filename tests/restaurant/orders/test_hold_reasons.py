"""Reasons of an order are stored as codes; texts that people wrote are stored unchanged."""

from flask_babel import force_locale, gettext

from core.values.reasons import encode_other, join_reasons
from restaurant.loyalty.coupons import REFUSAL_TEXTS
from restaurant.orders import hold_reasons
from restaurant.orders.hold_reasons import ORDER_REASONS, order_reasons_text


def test_a_note_is_shown_line_by_line_in_the_readers_language(app):
    stored = join_reasons(
        [hold_reasons.NOT_SCANNED, hold_reasons.message_edited("Two\nlines"), encode_other("paid")]
    )
    assert order_reasons_text(stored) == (
        f"{ORDER_REASONS[hold_reasons.NOT_SCANNED]}\n"
        f"{ORDER_REASONS[hold_reasons.MESSAGE_EDITED]} Two\nlines\n"
        "paid"
    )
    with app.test_request_context("/"), force_locale("tr"):
        turkish = order_reasons_text(stored, gettext)
    assert turkish.endswith(" Two\nlines\npaid")
    assert ORDER_REASONS[hold_reasons.NOT_SCANNED] not in turkish


def test_every_refusal_of_a_coupon_has_a_reason():
    for why in REFUSAL_TEXTS:
        reason, code = hold_reasons.coupon_refused(why, "ABC")
        assert reason in ORDER_REASONS
        assert order_reasons_text(code) == "ABC"
