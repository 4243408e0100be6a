"""Why an automation sent nothing: codes, and the sentence of each."""

from core.i18n.catalogs import N_
from core.values.reasons import ReasonSentences, encode_reason

LONGEST_DETAIL = 400

NOT_PAID = "not_paid"
NO_TRACKING = "no_tracking"
TOO_SMALL = "too_small"
OTHER_COUNTRY = "other_country"
NO_CONSENT = "no_consent"
OTHER_BUTTON = "other_button"
RECIPIENT_LIMIT = "recipient_limit"
CONNECTION_LIMIT = "connection_limit"
SWITCHED_OFF = "switched_off"
DISCONNECTED = "disconnected"
ORDERED_BEFORE_REMINDER = "ordered_before_reminder"
CANCELLED_BEFORE_SENDING = "cancelled_before_sending"
OPTED_OUT = "opted_out"
BLOCKED = "blocked"
NO_OWNER_PHONE = "no_owner_phone"
EMPTY_MESSAGE = "empty_message"
NO_PHONE = "no_phone"
NO_PHONE_SENT = "no_phone_sent"
UNKNOWN_CONTACT = "unknown_contact"
CONTACT_NOT_ON_LINE = "contact_not_on_line"
INTERNAL_ERROR = "internal_error"
ERASED = "erased"

AUTOMATION_REASONS = ReasonSentences(
    {
        NOT_PAID: N_("The order is not paid yet."),
        NO_TRACKING: N_("There is no tracking number yet."),
        TOO_SMALL: N_("The total is below the limit."),
        OTHER_COUNTRY: N_("The address is in another country."),
        NO_CONSENT: N_("The customer has not given consent for these messages."),
        OTHER_BUTTON: N_("The customer tapped another button."),
        RECIPIENT_LIMIT: N_("The limit of form replies to this phone number has been reached."),
        CONNECTION_LIMIT: N_("The limit of replies to this form has been reached."),
        SWITCHED_OFF: N_("The automation was turned off."),
        DISCONNECTED: N_("The connection was deleted."),
        ORDERED_BEFORE_REMINDER: N_("The order was placed before the reminder was sent."),
        CANCELLED_BEFORE_SENDING: N_("The order was cancelled before the message was sent."),
        OPTED_OUT: N_("The customer has opted out of marketing messages."),
        BLOCKED: N_("The customer is blocked."),
        NO_OWNER_PHONE: N_("The automation has no phone number to notify."),
        EMPTY_MESSAGE: N_("The message would be empty."),
        NO_PHONE: N_("No usable phone number"),
        NO_PHONE_SENT: N_(
            "The store or form sent no phone number for this customer, so nobody was written to."
        ),
        UNKNOWN_CONTACT: N_(
            "The store named a contact that does not exist, so nobody was written to."
        ),
        CONTACT_NOT_ON_LINE: N_(
            "The contact has no phone number, and this line cannot write to their WhatsApp ID."
        ),
        INTERNAL_ERROR: N_("Something went wrong on our side. We tried several times."),
        ERASED: N_("The customer's data was erased."),
    },
    joint=" · ",
)


def with_detail(code: str, detail: str) -> str:
    return encode_reason(code, detail=detail.replace("\0", "")[:LONGEST_DETAIL])
