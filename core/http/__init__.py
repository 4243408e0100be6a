"""Calls to servers that tenants name. No other code opens connections to them."""

from core.http.errors import BadUrl, ConnectFailed, OutboundError, RefusedAddress, Timeout, TooLarge
from core.http.guard import Policy, Resolver, check_url
from core.http.reply import Reply

__all__ = [
    "BadUrl",
    "ConnectFailed",
    "OutboundError",
    "Policy",
    "RefusedAddress",
    "Reply",
    "Resolver",
    "Timeout",
    "TooLarge",
    "check_url",
]
