"""Lines, messages, the people on the other side, and what it all costs."""

from messaging.models.campaigns import Audience, Campaign, CampaignRecipient
from messaging.models.crm import (
    BlockedPhone,
    ContactErasure,
    ContactField,
    ContactImport,
    ContactImportPhone,
    ContactImportReject,
    ContactNote,
    ContactTag,
    ContactToken,
    ContactWish,
)
from messaging.models.hooks import ReceivedHook
from messaging.models.lines import Line
from messaging.models.linked import LinkedDay, LinkedLine
from messaging.models.media import MediaFile
from messaging.models.messages import Message, MessageChange, NetworkId
from messaging.models.money import LedgerEntry, Rate, RateOverride, UsageDay
from messaging.models.people import Contact, Identity
from messaging.models.stores import (
    Automation,
    AutomationRun,
    Connection,
    HookKey,
    StoreEvent,
    StoreLink,
)
from messaging.models.talks import Conversation, ConversationNote, ConversationWord, QuickReply
from messaging.models.templates import Template

__all__ = [
    "Audience",
    "Automation",
    "AutomationRun",
    "BlockedPhone",
    "Campaign",
    "CampaignRecipient",
    "Connection",
    "Contact",
    "ContactErasure",
    "ContactField",
    "ContactImport",
    "ContactImportPhone",
    "ContactImportReject",
    "ContactNote",
    "ContactTag",
    "ContactToken",
    "ContactWish",
    "Conversation",
    "ConversationNote",
    "ConversationWord",
    "HookKey",
    "Identity",
    "LedgerEntry",
    "Line",
    "LinkedDay",
    "LinkedLine",
    "MediaFile",
    "Message",
    "MessageChange",
    "NetworkId",
    "QuickReply",
    "Rate",
    "RateOverride",
    "ReceivedHook",
    "StoreEvent",
    "StoreLink",
    "Template",
    "UsageDay",
]
