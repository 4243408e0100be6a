"""Why a webhook delivery failed or was cancelled: codes, and the English sentence of each.

The API publishes the sentence; the portal has its own, shorter ones (portal/webhooks).
"""

from core.http import OutboundError
from core.values.reasons import ReasonSentences, encode_reason

GONE = "gone"
REDIRECT = "redirect"
RETRY_LATER = "retry_later"
ANSWERED = "answered"
EVENT_EXPIRED = "event_expired"
SWITCHED_OFF = "switched_off"
REMOVED = "removed"
NOT_REACHED = "not_reached"

DELIVERY_REASONS = ReasonSentences(
    {
        GONE: "The endpoint answered 410: it is gone and wants no more events.",
        REDIRECT: "The endpoint answered {status}, a redirect; those are not followed.",
        RETRY_LATER: "The endpoint answered {status}: it asks to be left alone for a while.",
        ANSWERED: "The endpoint answered {status}.",
        EVENT_EXPIRED: "The event is no longer stored.",
        SWITCHED_OFF: "The endpoint was turned off.",
        REMOVED: "The endpoint was deleted.",
        NOT_REACHED: "{said}.",
    }
)


def not_reached(error: OutboundError) -> str:
    """`problem` is one of core/http/errors.py, `said` the client's own words."""
    message = str(error)
    return encode_reason(
        NOT_REACHED, problem=error.problem, said=f"{message[:1].upper()}{message[1:]}"
    )
