"""Why an order waits for confirmation, and why it changed: codes, and the sentence of each.

`orders.staff_note` and `order_changes.because` hold one reason in each line, in the form of
core/values/reasons.py; what a person wrote is stored under the code `other`.
"""

from core.i18n.catalogs import N_
from core.values.reasons import ReasonSentences, Translate, encode_other, encode_reason

NOT_SCANNED = "not_scanned"
NEW_CUSTOMER = "new_customer"
FREE_TEXT = "free_text"
NO_LOCATION = "no_location"
OUTSIDE_ZONES = "outside_zones"
BELOW_MINIMUM = "below_minimum"
LOCATION_MISMATCH = "location_mismatch"
MESSAGE_EDITED = "message_edited"
PAID_ALREADY = "paid_already"
PAID = "paid"
REFUND_REVIEW = "refund_review"
REFUNDED = "refunded"
MADE_AT_PROVIDER = "made_at_provider"
LINK_SENT = "link_sent"
PAYMENT_DECLINED = "payment_declined"
LINK_EXPIRED = "link_expired"
COUPON_RETURNED = "coupon_returned"
CANCELLED_BY_GUEST = "cancelled_by_guest"
CHANGED_BY_GUEST = "changed_by_guest"
REQUEST_DECLINED = "request_declined"
IN_OWN_WORDS = "in_own_words"

ORDER_REASONS = ReasonSentences(
    {
        NOT_SCANNED: N_("The table's code was not scanned."),
        NEW_CUSTOMER: N_("New guest with a large order."),
        FREE_TEXT: N_("Written manually, without a code."),
        NO_LOCATION: N_(
            "The address has no location yet, so the delivery zone and fee are not set."
        ),
        OUTSIDE_ZONES: N_("The shared location is outside all delivery zones."),
        BELOW_MINIMUM: N_("The order is below the minimum for its delivery zone."),
        LOCATION_MISMATCH: N_(
            "The shared location does not match the delivery fee of this order. Check it."
        ),
        MESSAGE_EDITED: N_("The guest changed the order message before sending it:"),
        PAID_ALREADY: N_("Already paid."),
        PAID: N_("paid"),
        REFUND_REVIEW: N_("A payment is in review."),
        REFUNDED: N_("The payment was refunded."),
        MADE_AT_PROVIDER: N_("Made in the provider's dashboard."),
        LINK_SENT: N_("The payment link was sent."),
        PAYMENT_DECLINED: N_("The payment was declined."),
        LINK_EXPIRED: N_("The payment link has expired."),
        COUPON_RETURNED: N_("The coupon can be used again."),
        CANCELLED_BY_GUEST: N_("The guest cancelled the order in the chat."),
        CHANGED_BY_GUEST: N_("The guest changed the order."),
        REQUEST_DECLINED: N_("The guest's request was declined."),
        # What a guest asks for after the kitchen began: `guest_asks_` and the request.
        "guest_asks_cancel": N_("The guest asks to cancel the order."),
        "guest_asks_change": N_("The guest asks to change the order:"),
        IN_OWN_WORDS: N_("The guest wrote the order in their own words:"),
        # A coupon that did not apply: `coupon_` and the refusal's own code.
        "coupon_unknown": N_("The coupon no longer exists. The discount was not applied."),
        "coupon_used": N_("The coupon was already used. The discount was not applied."),
        "coupon_expired": N_("The coupon has expired. The discount was not applied."),
        "coupon_cancelled": N_("The coupon was cancelled. The discount was not applied."),
        "coupon_other_site": N_(
            "The coupon is for another restaurant. The discount was not applied."
        ),
        "coupon_below_minimum": N_(
            "The order is below the coupon's minimum. The discount was not applied."
        ),
        "coupon_item_missing": N_(
            "The coupon's item is not in the order. The discount was not applied."
        ),
        "coupon_not_yours": N_(
            "The coupon belongs to another guest. The discount was not applied."
        ),
        "coupon_limit": N_("The guest has already used this reward. The discount was not applied."),
    }
)

NEEDS_CONFIRMATION = frozenset({NOT_SCANNED, NEW_CUSTOMER, FREE_TEXT})


def message_edited(text: str) -> str:
    return encode_reason(MESSAGE_EDITED, detail=text)


def guest_asks(what: str, wish: str) -> str:
    return encode_reason(f"guest_asks_{what}", detail=wish)


def in_own_words(text: str) -> str:
    return encode_reason(IN_OWN_WORDS, detail=text)


def coupon_refused(why: str, code: str) -> list[str]:
    """The reason, and the code that the guest gave."""
    return [f"coupon_{why}", encode_other(code)]


def order_reasons_text(stored: str, translate: Translate = str) -> str:
    """One sentence in each line."""
    return ORDER_REASONS.translated_lines(stored, translate)
