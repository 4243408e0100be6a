"""A client for the Comanda messaging API."""

from comanda.client import Comanda, Options
from comanda.errors import (
    ApiError,
    BadKey,
    BadSignature,
    ComandaError,
    Conflict,
    ConnectionFailed,
    InvalidRequest,
    NotAllowed,
    NotFound,
    OverLimit,
    RateLimited,
    Unavailable,
)
from comanda.shapes import Change, Contact, Event, Message, Sent, Template
from comanda.webhooks import verify_webhook

__all__ = [
    "ApiError",
    "BadKey",
    "BadSignature",
    "Change",
    "Comanda",
    "ComandaError",
    "Conflict",
    "ConnectionFailed",
    "Contact",
    "Event",
    "InvalidRequest",
    "Message",
    "NotAllowed",
    "NotFound",
    "Options",
    "OverLimit",
    "RateLimited",
    "Sent",
    "Template",
    "Unavailable",
    "verify_webhook",
]
