"""The network's error codes: the outcome and the sentence for each.

Used for send responses and for the errors inside receipts.
"""

from dataclasses import dataclass

from messaging import reasons, refusal_reasons
from messaging.lines.drivers.base import SendRefused, TryLater

DIRECT_SEND_UNAVAILABLE = "direct_send_unavailable"
TOKEN_EXPIRED, RESTRICTED = "token_expired", "restricted"
LINE_UNAVAILABLE = "line_unavailable"
PAIR_SECONDS = 6.0  # the network allows one message per recipient every 6 seconds
SECOND_LIMIT, HOUR_LIMIT, SPAM_LIMIT = 2.0, 300.0, 3600.0
SYNC_SECONDS = 600.0  # the network prepares a new template for at most ten minutes
"""How long to pause a line: limits per second, limits per hour, and the spam limit, which the
network counts in hours or days.
"""


@dataclass(frozen=True)
class ErrorMeaning:
    code: str
    reason: str
    later: bool = False
    scope: str = "message"
    after: float | None = None
    line_state: str = ""

    def outcome(self, network_code: str, after: float | None = None) -> TryLater | SendRefused:
        if self.later:
            return TryLater(self.code, self.reason, after or self.after, self.scope)
        return SendRefused(self.code, self.reason, network_code, self.line_state)


def _permanent(code: str, reason: str) -> ErrorMeaning:
    return ErrorMeaning(code, reason)


def _token_error(reason: str) -> ErrorMeaning:
    return ErrorMeaning(LINE_UNAVAILABLE, reason, line_state=TOKEN_EXPIRED)


def _line_error(reason: str) -> ErrorMeaning:
    return ErrorMeaning(LINE_UNAVAILABLE, reason, line_state=RESTRICTED)


def _rate_limited(reason: str, after: float) -> ErrorMeaning:
    return ErrorMeaning("rate_limited", reason, later=True, scope="line", after=after)


def _network_error(reason: str) -> ErrorMeaning:
    return ErrorMeaning("network_trouble", reason, later=True)


TOKEN_REJECTED = _token_error(reasons.TOKEN_REJECTED)
NO_PERMISSION = _token_error(reasons.NO_PERMISSION)
UNKNOWN_PHONE_NUMBER_ID = _line_error(reasons.UNKNOWN_PHONE_NUMBER_ID)
RATE_LIMITED = _rate_limited(reasons.LINE_SLOWED, SECOND_LIMIT)
NETWORK_DOWN = _network_error(reasons.NETWORK_DOWN)
BAD_PARAMETER = _permanent("invalid_parameter", reasons.BAD_PARAMETER)
TEMPLATE_UNUSABLE = _permanent("template_unusable", reasons.TEMPLATE_UNUSABLE)
REFUSED_BY_NETWORK = _permanent("refused_by_network", reasons.REFUSED)
_BAD_MEDIA = "media_unusable"
_NO_RECIPIENT = "recipient_unavailable"

MEANINGS: dict[int, ErrorMeaning] = {
    0: TOKEN_REJECTED,
    190: TOKEN_REJECTED,
    3: NO_PERMISSION,
    10: NO_PERMISSION,
    131005: NO_PERMISSION,
    368: _line_error(reasons.ACCOUNT_BLOCKED),
    131031: _line_error(reasons.ACCOUNT_LOCKED),
    131042: _line_error(reasons.PAYMENT_METHOD),
    131045: _line_error(reasons.NOT_REGISTERED),
    133010: _line_error(reasons.NOT_REGISTERED),
    4: _rate_limited(reasons.HOURLY_CALLS, HOUR_LIMIT),
    613: _rate_limited(reasons.HOURLY_CALLS, HOUR_LIMIT),
    80007: _rate_limited(reasons.HOURLY_ACCOUNT, HOUR_LIMIT),
    130429: RATE_LIMITED,
    131048: _rate_limited(
        reasons.REPORTED_OFTEN,
        SPAM_LIMIT,
    ),
    131057: _rate_limited(reasons.ACCOUNT_MAINTENANCE, HOUR_LIMIT),
    131056: ErrorMeaning(
        "pair_rate_limited",
        reasons.PAIR_LIMIT,
        later=True,
        scope="pair",
        after=PAIR_SECONDS,
    ),
    1: NETWORK_DOWN,
    2: NETWORK_DOWN,
    131000: NETWORK_DOWN,
    131016: NETWORK_DOWN,
    131026: _permanent(
        _NO_RECIPIENT,
        reasons.NO_WHATSAPP,
    ),
    131021: _permanent(_NO_RECIPIENT, reasons.OWN_NUMBER),
    131030: _permanent(_NO_RECIPIENT, reasons.NOT_ON_TEST_LIST),
    130497: _permanent(_NO_RECIPIENT, reasons.COUNTRY_BLOCKED),
    131047: _permanent(
        "window_closed",
        reasons.WINDOW_CLOSED,
    ),
    131050: _permanent("recipient_opted_out", reasons.OPTED_OUT),
    131049: _permanent(
        "marketing_limited",
        reasons.MARKETING_LIMIT,
    ),
    130472: _permanent(
        "marketing_limited",
        reasons.MARKETING_TRIAL,
    ),
    131052: _permanent(_BAD_MEDIA, reasons.MEDIA_NOT_FETCHED),
    131053: _permanent(_BAD_MEDIA, reasons.MEDIA_UNUSABLE),
    131051: _permanent("invalid_parameter", reasons.KIND_NOT_TAKEN),
    131008: _permanent("invalid_parameter", reasons.PART_MISSING),
    131009: BAD_PARAMETER,
    100: BAD_PARAMETER,
    135000: BAD_PARAMETER,
    33: UNKNOWN_PHONE_NUMBER_ID,
    132000: _permanent("template_unusable", reasons.TEMPLATE_PARAMETERS),
    132001: _permanent("template_unusable", reasons.TEMPLATE_UNKNOWN),
    132005: _permanent("template_unusable", reasons.TEMPLATE_TOO_LONG),
    132007: _permanent("template_unusable", reasons.TEMPLATE_POLICY),
    132012: _permanent("template_unusable", reasons.TEMPLATE_PARAMETER_FORM),
    132015: _permanent("template_unusable", reasons.TEMPLATE_PAUSED),
    132016: _permanent("template_unusable", reasons.TEMPLATE_OFF),
    132018: _permanent("template_unusable", reasons.TEMPLATE_PARAMETER_FORM),
    132068: _permanent("refused_by_network", refusal_reasons.FLOW_BLOCKED),
    132069: ErrorMeaning(
        "rate_limited", refusal_reasons.FLOW_THROTTLED, later=True, after=HOUR_LIMIT
    ),
    131037: _line_error(refusal_reasons.DISPLAY_NAME),
    131043: _permanent("refused_by_network", refusal_reasons.MESSAGE_EXPIRED),
    131044: _line_error(reasons.PAYMENT_METHOD),
    131055: REFUSED_BY_NETWORK,
    131058: _permanent("template_unusable", refusal_reasons.TEST_TEMPLATE),
    131060: _permanent("refused_by_network", refusal_reasons.MESSAGE_UNAVAILABLE),
    131062: _permanent("template_unusable", refusal_reasons.TEMPLATE_NEEDS_PHONE),
    131064: _permanent(DIRECT_SEND_UNAVAILABLE, refusal_reasons.DIRECT_SEND_LIMITED),
    139200: _permanent(DIRECT_SEND_UNAVAILABLE, refusal_reasons.DIRECT_SEND_BLOCKED),
    133000: _line_error(refusal_reasons.REGISTRATION_INCOMPLETE),
    133004: NETWORK_DOWN,
    133005: _line_error(refusal_reasons.PIN_MISMATCH),
    133006: _line_error(refusal_reasons.VERIFY_NUMBER),
    133008: _line_error(refusal_reasons.PIN_ATTEMPTS),
    133009: _line_error(refusal_reasons.PIN_ATTEMPTS),
    133015: _line_error(refusal_reasons.REGISTRATION_PAUSED),
    133016: _line_error(refusal_reasons.REGISTRATION_PAUSED),
    134011: _permanent("refused_by_network", refusal_reasons.PAYMENT_TERMS),
    134100: _permanent("template_unusable", refusal_reasons.MARKETING_ONLY),
    134101: ErrorMeaning(
        "template_unusable", refusal_reasons.TEMPLATE_SYNCING, later=True, after=SYNC_SECONDS
    ),
    134102: _permanent("template_unusable", refusal_reasons.TEMPLATE_UNAVAILABLE),
    139000: _permanent("refused_by_network", refusal_reasons.INTEGRITY),
    506: _permanent("refused_by_network", refusal_reasons.DUPLICATE_REQUEST),
}
_DIRECT_SEND_OFF = _permanent(DIRECT_SEND_UNAVAILABLE, refusal_reasons.DIRECT_SEND_NOT_ENABLED)


def error_meaning(code: int | None, subcode: int | None = None) -> ErrorMeaning | None:
    """Return the meaning, or None for an unknown code. The caller then uses the HTTP status."""
    if code is None:
        return None
    if code == 100 and subcode == 33:  # "object does not exist": the URL is wrong, not the body
        return UNKNOWN_PHONE_NUMBER_ID
    if code in MEANINGS:
        return MEANINGS[code]
    if 200 <= code <= 299:
        return NO_PERMISSION
    if 132000 <= code <= 132999:
        return TEMPLATE_UNUSABLE
    return None


def direct_send_meaning(code: int | None, subcode: int | None, details: str) -> ErrorMeaning | None:
    """The same for a message that was sent with Direct Send.

    An account without Direct Send gets 100, the code of any wrong parameter.
    """
    if code == 100 and subcode is None and "direct send" in details.casefold():
        return _DIRECT_SEND_OFF
    return error_meaning(code, subcode)


def status_meaning(status: int) -> ErrorMeaning:
    if status == 401:
        return TOKEN_REJECTED
    if status == 403:
        return NO_PERMISSION
    if status == 404:
        return UNKNOWN_PHONE_NUMBER_ID
    if status == 429:
        return RATE_LIMITED
    # A redirect is not a response of the API; 408 and 425 ask for a retry.
    if status >= 500 or status in (408, 425) or 300 <= status < 400:
        return NETWORK_DOWN
    return REFUSED_BY_NETWORK
