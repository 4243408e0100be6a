"""Lines, messages, the people on the other side, and what it all costs."""

from messaging.models.hooks import ReceivedHook
from messaging.models.lines import Line
from messaging.models.messages import Message, MessageChange, NetworkId
from messaging.models.money import LedgerEntry, Rate, RateOverride, UsageDay
from messaging.models.people import Contact, Conversation, Identity
from messaging.models.stores import (
    Automation,
    AutomationRun,
    Connection,
    HookKey,
    StoreEvent,
    StoreLink,
)

__all__ = [
    "Automation",
    "AutomationRun",
    "Connection",
    "Contact",
    "Conversation",
    "HookKey",
    "Identity",
    "LedgerEntry",
    "Line",
    "Message",
    "MessageChange",
    "NetworkId",
    "Rate",
    "RateOverride",
    "ReceivedHook",
    "StoreEvent",
    "StoreLink",
    "UsageDay",
]
