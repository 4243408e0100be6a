"""The network's refusals of a request: code, title and details."""

from messaging.simulator.network.magic_numbers import Refusal

TITLES = {
    100: "Invalid parameter",
    131008: "Required parameter is missing",
    131009: "Parameter value is not valid",
    131026: "Message undeliverable",
    131047: "Re-engagement message",
    131051: "Unsupported message type",
    131053: "Media upload error",
    131056: "(Business Account, Consumer Account) pair rate limit hit",
    131062: "Business-scoped User ID recipients are not supported for this message",
    131064: "Utility messages are limited because of wrong categories",
    130429: "Rate limit hit",
    132000: "Number of parameters does not match the expected number of params",
    132001: "Template name does not exist in the translation",
    132012: "Parameter format does not match format in the created template",
    132015: "Template is paused",
    132016: "Template is disabled",
    139200: "Messages without a template are blocked for this account",
}


def refuse(code: int, details: str = "") -> Refusal:
    return Refusal(code, 429 if code == 130429 else 400, TITLES[code], details=details)
