"""Tables of lines, messages, contacts, conversations, campaigns, automations and costs."""

from messaging.models.approvals import (
    ApprovalChat,
    HeldMessage,
    SendPolicy,
    SendPolicyDay,
)
from messaging.models.automations import (
    Automation,
    AutomationRun,
    Connection,
    HookKey,
    StoreEvent,
    StoreLink,
)
from messaging.models.campaigns import Audience, Campaign, CampaignRecipient, ShortLink
from messaging.models.contact_data import (
    BlockedPhone,
    ConsentChange,
    ContactErasure,
    ContactField,
    ContactImport,
    ContactImportPhone,
    ContactImportReject,
    ContactNote,
    ContactTag,
    ContactToken,
)
from messaging.models.contacts import Contact, FormerIdentity, Identity, PossibleDuplicate
from messaging.models.conversations import (
    Conversation,
    ConversationNote,
    ConversationWord,
    QuickReply,
)
from messaging.models.costs import (
    FreeMessageDay,
    LedgerEntry,
    Rate,
    RateAllowance,
    RateOverride,
    RateTier,
    UsageDay,
    VolumeTier,
)
from messaging.models.journeys import Journey, JourneyRun, JourneyRunStep, JourneyVersion
from messaging.models.lines import Line, TestClock
from messaging.models.linked import LinkedDay, LinkedLine
from messaging.models.media import MediaFile, UploadedMedia
from messaging.models.messages import EarlyEdit, Message, MessageChange, NetworkId
from messaging.models.team_inbox import (
    ConversationCase,
    ConversationLabel,
    InboxSettings,
    Label,
    MemberTurn,
    ScheduledReply,
)
from messaging.models.templates import Template
from webhooks.inbound.models import ReceivedHook

__all__ = [
    "ApprovalChat",
    "Audience",
    "Automation",
    "AutomationRun",
    "BlockedPhone",
    "Campaign",
    "CampaignRecipient",
    "Connection",
    "ConsentChange",
    "Contact",
    "ContactErasure",
    "ContactField",
    "ContactImport",
    "ContactImportPhone",
    "ContactImportReject",
    "ContactNote",
    "ContactTag",
    "ContactToken",
    "Conversation",
    "ConversationCase",
    "ConversationLabel",
    "ConversationNote",
    "ConversationWord",
    "EarlyEdit",
    "FormerIdentity",
    "FreeMessageDay",
    "HeldMessage",
    "HookKey",
    "Identity",
    "InboxSettings",
    "Journey",
    "JourneyRun",
    "JourneyRunStep",
    "JourneyVersion",
    "Label",
    "LedgerEntry",
    "Line",
    "LinkedDay",
    "LinkedLine",
    "MediaFile",
    "MemberTurn",
    "Message",
    "MessageChange",
    "NetworkId",
    "PossibleDuplicate",
    "QuickReply",
    "Rate",
    "RateAllowance",
    "RateOverride",
    "RateTier",
    "ReceivedHook",
    "ScheduledReply",
    "SendPolicy",
    "SendPolicyDay",
    "ShortLink",
    "StoreEvent",
    "StoreLink",
    "Template",
    "TestClock",
    "UploadedMedia",
    "UsageDay",
    "VolumeTier",
]
