"""Why a received hook was not processed, or what of it was ignored: codes and their sentences.

`received_hooks.error` holds one reason in each line, in the form of core/values/reasons.py.
"""

from core.i18n.catalogs import N_
from core.values.reasons import ReasonSentences, encode_reason

LONGEST_VALUE = 120
_SENTENCES: dict[str, str] = {}


def _reason(code: str, sentence: str) -> str:
    _SENTENCES[code] = sentence
    return code


def with_values(code: str, **values: str) -> str:
    """The values come from the body, so they may be long."""
    return encode_reason(
        code, **{name: value.replace("\0", "")[:LONGEST_VALUE] for name, value in values.items()}
    )


# The body.
BODY_EMPTY = _reason("body_empty", N_("The body is empty."))
BODY_NOT_UTF8 = _reason("body_not_utf8", N_("The body is not UTF-8 text."))
BODY_NOT_JSON = _reason("body_not_json", N_("The body is not valid JSON."))
BODY_NOT_OBJECT = _reason("body_not_object", N_("The body is JSON but not an object."))
BODY_TOO_DEEP = _reason("body_too_deep", N_("The JSON in the body is nested too deeply."))
BODY_NOT_STORED = _reason("body_not_stored", N_("The body cannot be stored: {error}."))
NOT_MULTIPART = _reason("not_multipart", N_("The body is not a multipart form."))
NO_FIELDS = _reason("no_fields", N_("The form has no fields."))
TOO_MANY_FIELDS = _reason("too_many_fields", N_("The form has too many fields."))
RAW_REQUEST_NOT_JSON = _reason("raw_request_not_json", N_("The field rawRequest is not JSON."))
RAW_REQUEST_NOT_OBJECT = _reason(
    "raw_request_not_object", N_("The field rawRequest is JSON but not an object.")
)

# Stores.
UNKNOWN_EVENT = _reason(
    "unknown_event", N_("“event” must be one of {known}. The request contains “{event}”.")
)
ORDER_WITHOUT_ID = _reason("order_without_id", N_("An order needs “order.id”."))
CHECKOUT_WITHOUT_ID = _reason("checkout_without_id", N_("A checkout needs “checkout.id”."))
NOT_AN_ORDER = _reason("not_an_order", N_("The body is not an order: id is missing."))
NOT_A_CHECKOUT = _reason("not_a_checkout", N_("The body is not a checkout: id is missing."))
NOT_A_FULFILLMENT = _reason(
    "not_a_fulfillment", N_("The body is not a fulfillment: order_id is missing.")
)
TOPIC_MISSING = _reason("topic_missing", N_("The request has no topic. It was ignored."))
TOPIC_IGNORED = _reason("topic_ignored", N_("The topic {topic} is not used. It was ignored."))
STATUS_IGNORED = _reason(
    "status_ignored", N_("Orders with the status “{status}” are not used. It was ignored.")
)
TOPIC_NOT_ORDER = _reason(
    "topic_not_order", N_("The topic is {topic}, but the body is not an order.")
)
TOPIC_NOT_KIND = _reason(
    "topic_not_kind", N_("The topic is {topic}, but the body does not match it.")
)
TOPIC_NOT_STATUS = _reason(
    "topic_not_status", N_("The topic is order.created, but the status of the order is {status}.")
)
NOT_CANCELLED = _reason(
    "not_cancelled", N_("The topic is orders/cancelled, but the order is not cancelled.")
)

# Lines and payment providers.
UNKNOWN_KIND = _reason("unknown_kind", N_("Requests of the kind {kind} are not supported."))
NO_ENTRY = _reason("no_entry", N_("The body has no list named “entry”."))
NOT_PROVIDER_EVENT = _reason("not_provider_event", N_("The body is not an event of {provider}."))
UNKNOWN_NUMBER = _reason("unknown_number", N_("No line has the phone number ID {number}."))

# Parts of a body: a message, a receipt or an event.
PART_FAILED = _reason("part_failed", N_("{place} could not be processed ({error})."))
RECEIPT_UNMATCHED = _reason(
    "receipt_unmatched", N_("{place} does not match a message that was sent.")
)
PART_WITHOUT_ID = _reason("part_without_id", N_("{place} has no ID."))
PART_WITHOUT_SENDER = _reason("part_without_sender", N_("{place} has no sender."))
PART_OF_GROUP = _reason("part_of_group", N_("{place} belongs to a group chat."))
EDIT_WITHOUT_MESSAGE = _reason(
    "edit_without_message", N_("{place} does not name the message that it changes.")
)
CHANGE_WITHOUT_NUMBERS = _reason(
    "change_without_numbers", N_("{place} is a number change without both numbers.")
)
UNKNOWN_STATUS = _reason(
    "unknown_status", N_("{place} has the status “{status}”, which is not used.")
)
FROM_PHONE_APP = _reason(
    "from_phone_app", N_("{place} was sent from the phone app. It was ignored.")
)

HOOK_REASONS = ReasonSentences(_SENTENCES)
