"""The network's error codes: the outcome and the sentence for each.

Used for send responses and for the errors inside receipts.
"""

from dataclasses import dataclass

from messaging.lines.drivers.base import SendRefused, TryLater

TOKEN_EXPIRED, RESTRICTED = "token_expired", "restricted"
LINE_UNAVAILABLE = "line_unavailable"
PAIR_SECONDS = 6.0  # the network allows one message per recipient every 6 seconds
SECOND_LIMIT, HOUR_LIMIT, SPAM_LIMIT = 2.0, 300.0, 3600.0
"""How long to pause a line: limits per second, limits per hour, and the spam limit, which the
network counts in hours or days.
"""


@dataclass(frozen=True)
class ErrorMeaning:
    code: str
    sentence: str
    later: bool = False
    scope: str = "message"
    after: float | None = None
    line_state: str = ""

    def outcome(self, network_code: str, after: float | None = None) -> TryLater | SendRefused:
        if self.later:
            return TryLater(self.code, self.sentence, after or self.after, self.scope)
        return SendRefused(self.code, self.sentence, network_code, self.line_state)


def _permanent(code: str, sentence: str) -> ErrorMeaning:
    return ErrorMeaning(code, sentence)


def _token_error(sentence: str) -> ErrorMeaning:
    return ErrorMeaning(LINE_UNAVAILABLE, sentence, line_state=TOKEN_EXPIRED)


def _line_error(sentence: str) -> ErrorMeaning:
    return ErrorMeaning(LINE_UNAVAILABLE, sentence, line_state=RESTRICTED)


def _rate_limited(sentence: str, after: float) -> ErrorMeaning:
    return ErrorMeaning("rate_limited", sentence, later=True, scope="line", after=after)


def _network_error(sentence: str) -> ErrorMeaning:
    return ErrorMeaning("network_trouble", sentence, later=True)


TOKEN_REJECTED = _token_error(
    "The line's access token has run out or was withdrawn; enter a new one."
)
NO_PERMISSION = _token_error(
    "The line's access token may not send from this number; make one with the permission"
    " whatsapp_business_messaging."
)
UNKNOWN_PHONE_NUMBER_ID = _line_error(
    "The network does not know this phone number ID, or the access token does not reach it."
)
RATE_LIMITED = _rate_limited("The network asks this line to slow down.", SECOND_LIMIT)
NETWORK_DOWN = _network_error("The network has trouble of its own; the message is tried again.")
BAD_PARAMETER = _permanent(
    "invalid_parameter", "The network refused a part of the message as wrong."
)
TEMPLATE_UNUSABLE = _permanent("template_unusable", "The network cannot use this template.")
REFUSED_BY_NETWORK = _permanent("refused_by_network", "The network refused the message.")
_BAD_MEDIA = "media_unusable"
_NO_RECIPIENT = "recipient_unavailable"

MEANINGS: dict[int, ErrorMeaning] = {
    0: TOKEN_REJECTED,
    190: TOKEN_REJECTED,
    3: NO_PERMISSION,
    10: NO_PERMISSION,
    131005: NO_PERMISSION,
    368: _line_error("The network has blocked this business account for breaking its policies."),
    131031: _line_error("The network has locked this business account."),
    131042: _line_error(
        "The business account's payment method does not work; see its billing page."
    ),
    131045: _line_error("The line's number is not registered with the network; register it again."),
    133010: _line_error("The line's number is not registered with the network; register it again."),
    4: _rate_limited("The network's hourly limit of calls is reached.", HOUR_LIMIT),
    613: _rate_limited("The network's hourly limit of calls is reached.", HOUR_LIMIT),
    80007: _rate_limited("The business account's hourly limit is reached.", HOUR_LIMIT),
    130429: RATE_LIMITED,
    131048: _rate_limited(
        "Recipients reported or blocked this line too often; the network lets little through.",
        SPAM_LIMIT,
    ),
    131057: _rate_limited("The network is maintaining this business account.", HOUR_LIMIT),
    131056: ErrorMeaning(
        "pair_rate_limited",
        "Too many messages to this recipient in a short time.",
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
        "The message cannot reach this number: it has no WhatsApp, an old version of it, or has"
        " not accepted its terms.",
    ),
    131021: _permanent(_NO_RECIPIENT, "The recipient is the line's own number."),
    131030: _permanent(
        _NO_RECIPIENT, "This line is a test number of the network, and the recipient is not listed."
    ),
    130497: _permanent(
        _NO_RECIPIENT, "The network does not let this business write to the recipient's country."
    ),
    131047: _permanent(
        "window_closed",
        "The recipient has not written for 24 hours; only an approved template can be sent.",
    ),
    131050: _permanent("recipient_opted_out", "The recipient has opted out of marketing messages."),
    131049: _permanent(
        "marketing_limited",
        "The network held this marketing message back: the recipient got enough of them lately.",
    ),
    130472: _permanent(
        "marketing_limited",
        "The network held this marketing message back: the recipient is in one of its trials.",
    ),
    131052: _permanent(
        _BAD_MEDIA, "The network could not fetch the media; see that its URL is open."
    ),
    131053: _permanent(
        _BAD_MEDIA, "The network cannot use this media: its type, its size or its URL is wrong."
    ),
    131051: _permanent("invalid_parameter", "The network does not take this kind of message."),
    131008: _permanent("invalid_parameter", "The network misses a part of the message."),
    131009: BAD_PARAMETER,
    100: BAD_PARAMETER,
    135000: BAD_PARAMETER,
    33: UNKNOWN_PHONE_NUMBER_ID,
    132000: _permanent(
        "template_unusable", "The template has another number of parameters than were given."
    ),
    132001: _permanent(
        "template_unusable", "There is no approved template of this name in this language."
    ),
    132005: _permanent("template_unusable", "The template is too long with these parameters."),
    132007: _permanent("template_unusable", "The template breaks a policy of the network."),
    132012: _permanent("template_unusable", "A parameter of the template has the wrong form."),
    132015: _permanent("template_unusable", "The network has paused the template for low quality."),
    132016: _permanent("template_unusable", "The network has switched the template off for good."),
}


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
