"""Why a payment provider did not do something: codes, and the sentence of each.

Gateways raise these reasons, in the form of core/values/reasons.py. They are stored with accounts,
links, refunds and provider events.
"""

from core.i18n.catalogs import N_
from core.values.reasons import ReasonSentences, encode_reason

LONGEST_VALUE = 200
_SENTENCES: dict[str, str] = {}


def _reason(code: str, sentence: str) -> str:
    _SENTENCES[code] = sentence
    return code


def with_values(code: str, **values: object) -> str:
    """The values may come from the provider, so they may be long."""
    short = {name: f"{value}".replace("\0", "")[:LONGEST_VALUE] for name, value in values.items()}
    return encode_reason(code, **short)


# The connection to the provider.
UNREACHABLE = _reason("unreachable", N_("The provider could not be reached: {error}."))
RETRY_LATER = _reason(
    "retry_later", N_("The provider responded with {status}. The request is repeated later.")
)
REDIRECTED = _reason(
    "redirected", N_("The provider's address redirects elsewhere. Check the address setting.")
)
REPLY_NOT_JSON = _reason("reply_not_json", N_("The provider's response is not JSON."))
REPLY_NOT_OBJECT = _reason("reply_not_object", N_("The provider's response is not a JSON object."))
LINK_WITHOUT_URL = _reason("link_without_url", N_("{provider} returned a link without a URL."))
NO_SIMULATOR = _reason("no_simulator", N_("There is no simulated network in this environment."))

# What the provider refused.
KEY_REJECTED = _reason("key_rejected", N_("{provider} rejected this key."))
KEYS_REJECTED = _reason(
    "keys_rejected", N_("{provider} rejected these keys. Check the API key and the secret key.")
)
PAYMENTS_NOT_ENABLED = _reason(
    "payments_not_enabled", N_("{provider} has not enabled payments for this account yet.")
)
CURRENCY_NOT_ACCEPTED = _reason(
    "currency_not_accepted", N_("{provider} does not accept payments in {currency}.")
)
NO_FRACTIONS = _reason("no_fractions", N_("{provider} does not accept fractions in {currency}."))
STEPS_OF_TEN = _reason(
    "steps_of_ten", N_("{provider} accepts amounts in {currency} only in steps of 0.010.")
)
REFUND_FAILED = _reason("refund_failed", N_("{provider} could not refund the payment."))
PROVIDER_MESSAGE = _reason("provider_message", N_("Response from {provider}:"))
PROVIDER_STATUS = _reason("provider_status", N_("{provider} responded with the status {status}."))

# What is not certain yet.
REFUND_UNKNOWN = _reason("refund_unknown", N_("It is not known whether the refund was made."))
NOT_CONFIRMED_YET = _reason(
    "not_confirmed_yet", N_("The provider has not confirmed the payment yet.")
)

# Why an event was rejected.
NO_SECRET = _reason("no_secret", N_("No signing secret is saved, so the event cannot be verified."))
NOT_SIGNED = _reason("not_signed", N_("The event is not signed."))
SIGNATURE_TOO_OLD = _reason(
    "signature_too_old", N_("The signature is too old. The event may be a replay.")
)
SIGNATURE_WRONG = _reason("signature_wrong", N_("The signature does not match."))

PAYMENT_REASONS = ReasonSentences(_SENTENCES)


def refusal(provider: str, message: str, status: int) -> str:
    """What the provider answered: its own message, or else its status."""
    if message:
        return with_values(PROVIDER_MESSAGE, provider=provider, detail=message)
    return with_values(PROVIDER_STATUS, provider=provider, status=status)
