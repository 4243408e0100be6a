"""Further reasons for which the network refuses or delays a message: codes and their sentences.

They belong to the table of messaging/reasons.py, which shows and translates them.
"""

from core.i18n.catalogs import N_

SENTENCES: dict[str, str] = {}


def _reason(code: str, sentence: str) -> str:
    SENTENCES[code] = sentence
    return code


DIRECT_SEND_NOT_ENABLED = _reason(
    "direct_send_not_enabled", N_("WhatsApp has not enabled Direct Send for this account.")
)
DIRECT_SEND_BLOCKED = _reason(
    "direct_send_blocked", N_("WhatsApp has blocked Direct Send for this account.")
)
DIRECT_SEND_LIMITED = _reason(
    "direct_send_limited",
    N_(
        "WhatsApp has limited Direct Send for this account because messages were not of the "
        "category that they were sent with."
    ),
)
SENT_DIRECTLY = _reason(
    "sent_directly", N_("The 24-hour window is closed. Sending the message with Direct Send.")
)
RECIPIENT_LIMIT = _reason(
    "recipient_limit",
    N_(
        "The account has written to as many new people as WhatsApp allows in 24 hours. The message "
        "waits until the next one is allowed."
    ),
)
DISPLAY_NAME = _reason(
    "display_name",
    N_("WhatsApp must approve the display name of the line before it can send."),
)
MESSAGE_EXPIRED = _reason(
    "message_expired", N_("WhatsApp could not deliver the message before it expired.")
)
TEST_TEMPLATE = _reason(
    "test_template", N_("This template can only be sent from test numbers of WhatsApp.")
)
MESSAGE_UNAVAILABLE = _reason(
    "message_unavailable", N_("WhatsApp does not show this message to businesses.")
)
TEMPLATE_NEEDS_PHONE = _reason(
    "template_needs_phone",
    N_("WhatsApp sends templates with a one-time code only to phone numbers."),
)
FLOW_BLOCKED = _reason("flow_blocked", N_("WhatsApp has blocked the Flow of this message."))
FLOW_THROTTLED = _reason(
    "flow_throttled", N_("WhatsApp has limited how often the Flow of this message can be sent.")
)
REGISTRATION_INCOMPLETE = _reason(
    "registration_incomplete",
    N_("The number was not fully unregistered. Unregister it again, then register it."),
)
PIN_MISMATCH = _reason(
    "pin_mismatch", N_("The two-step verification PIN of the number is not correct.")
)
VERIFY_NUMBER = _reason(
    "verify_number", N_("The number must be verified before it can be registered.")
)
PIN_ATTEMPTS = _reason(
    "pin_attempts", N_("The PIN of the number was entered too often. Wait before you try again.")
)
REGISTRATION_PAUSED = _reason(
    "registration_paused",
    N_("The number was registered or unregistered a short time ago. Wait before you try again."),
)
PAYMENT_TERMS = _reason(
    "payment_terms", N_("The business has not accepted the terms of WhatsApp Payments.")
)
MARKETING_ONLY = _reason(
    "marketing_only", N_("This way of sending is only for marketing templates.")
)
TEMPLATE_SYNCING = _reason(
    "template_syncing", N_("WhatsApp is still preparing the template. It will be sent again.")
)
TEMPLATE_UNAVAILABLE = _reason(
    "template_unavailable", N_("The template is not available at the moment.")
)
INTEGRITY = _reason("integrity", N_("WhatsApp blocked the action to protect its users."))
DUPLICATE_REQUEST = _reason(
    "duplicate_request", N_("WhatsApp received the same request a short time ago.")
)
