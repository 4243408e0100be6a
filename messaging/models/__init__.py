"""Lines, messages, the people on the other side, and what it all costs."""

from messaging.models.hooks import ReceivedHook
from messaging.models.lines import Line
from messaging.models.messages import Message, MessageChange, NetworkId
from messaging.models.money import LedgerEntry, Rate, RateOverride, UsageDay
from messaging.models.people import Contact, Identity
from messaging.models.talks import Conversation, ConversationNote, ConversationWord, QuickReply

__all__ = [
    "Contact",
    "Conversation",
    "ConversationNote",
    "ConversationWord",
    "Identity",
    "LedgerEntry",
    "Line",
    "Message",
    "MessageChange",
    "NetworkId",
    "QuickReply",
    "Rate",
    "RateOverride",
    "ReceivedHook",
    "UsageDay",
]
