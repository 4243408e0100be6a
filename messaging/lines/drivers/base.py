"""What a line's driver is: it turns an envelope into one of four answers, and decides nothing."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from core.http.client import HttpClient
from core.settings import Settings
from core.values.network_address import PHONE

Capability = Literal["yes", "as_text", "no"]
"""Whether a line sends a message kind: as it is, as a text that shows the same, or not at all."""


@dataclass(frozen=True)
class Envelope:
    """One message as a driver gets it: plain values, no database row and no session."""

    message_id: str
    attempt: int
    tenant_id: int
    line_id: int
    phone: str
    """Digits as the network spells them, or the network's id of a person without a phone."""
    kind: str
    """A code of messaging/messages/kinds/registry.py."""
    text: str
    """The text, or the caption of a media message."""
    content: dict[str, Any]
    """For media: url and filename. For a location: latitude, longitude, name and address. For a
    template: name, language and parameters. For a reply: reply_to, a network id.
    """


@dataclass(frozen=True)
class LineFacts:
    """The fields of a line that a driver needs. Secrets are in plain text: never log them."""

    tenant_id: int
    id: int
    kind: str
    phone_number_id: str = ""
    token: str = ""
    app_secret: str = ""


@dataclass(frozen=True)
class SendAccepted:
    """The network accepted the message and gave it an id."""

    network_id: str
    recipient: str = ""
    """The network's spelling of the recipient; may be empty."""


@dataclass(frozen=True)
class TryLater:
    """Send later. `scope` is what must wait: the message, its recipient (`pair`) or the `line`."""

    code: str
    reason: str
    """Of messaging/reasons.py, as are all reasons here."""
    after: float | None = None
    scope: str = "message"
    """message, pair or line"""


@dataclass(frozen=True)
class SendRefused:
    """Do not retry. `line_state` is set if the line is the cause: token_expired or restricted."""

    code: str
    reason: str
    network_code: str = ""
    line_state: str = ""


@dataclass(frozen=True)
class SendUnknown:
    """The request was sent but no response came: only a receipt can tell what happened."""

    reason: str


SendOutcome = SendAccepted | TryLater | SendRefused | SendUnknown


@dataclass(frozen=True)
class InboundMessage:
    """A message from a customer. `sender_phone` is empty if the network did not send one."""

    network_id: str
    sender_phone: str
    sender_network_id: str
    sender_name: str
    at: int
    """Whole seconds since 1970, UTC."""
    kind: str
    text: str = ""
    content: dict[str, Any] = field(default_factory=dict)
    """media: {id, mime_type, sha256, filename, caption, voice}; location; contacts; …"""
    sender_username: str = ""
    sender_parent_id: str = ""
    """The id of the sender for all portfolios of the business; "" if it has only one."""


SENT_FROM_PHONE, META_AGENT = "phone", "meta_agent"
"""Where a message came from that we did not send: staff with the phone, or the network's agent.

Conversations use the second one too, for the agent that holds them.
"""


@dataclass(frozen=True)
class EchoedMessage:
    """A message that this number sent without us. The person is the one who received it."""

    network_id: str
    phone: str
    recipient_network_id: str
    at: int
    """Whole seconds since 1970, UTC."""
    kind: str
    text: str = ""
    content: dict[str, Any] = field(default_factory=dict)
    sent_from: str = SENT_FROM_PHONE


@dataclass(frozen=True)
class Receipt:
    """The network's report about a message that we sent."""

    network_id: str
    state: str
    """sent, delivered, read or failed"""
    at: int
    our_id: str = ""
    """Our message id, echoed by the network. Settles a message whose send response was lost."""
    recipient: str = ""
    category: str = ""
    billable: bool | None = None
    pricing_type: str = ""
    """regular, free_customer_service or free_entry_point"""
    error_code: str = ""
    error_reason: str = ""


@dataclass(frozen=True)
class LineUpdate:
    """The network's report about the line: quality, restrictions, template states.

    Also about a message or a conversation: edited, deleted, handover.
    """

    kind: str
    detail: dict[str, Any]


@dataclass(frozen=True)
class ParsedWebhook:
    """The parts of one webhook body that concern one line."""

    phone_number_id: str
    messages: list[InboundMessage] = field(default_factory=list)
    echoes: list[EchoedMessage] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    updates: list[LineUpdate] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """The stored reasons of the parts that were not used, for the people who debug the hook."""


@dataclass(frozen=True)
class LineDriver:
    """What an adapter defines. The registry lists the adapters by the code in `lines.kind`."""

    title: str
    simulated_title: str
    """The title of a line on the simulated network."""
    send: Callable[[HttpClient, Settings, str, LineFacts, Envelope], Awaitable[SendOutcome]] | None
    """(client, settings, the line's network, line, message). None: the host of the line's session
    sends."""
    request_body: Callable[[Envelope], dict[str, Any]] | None = None
    """What `send` posts to the network, for previews. None: its requests cannot be shown."""
    parse_webhook: Callable[[bytes], list[ParsedWebhook]] | None = None
    """Raises UnreadableWebhook. None: nothing is posted to us for such a line."""
    has_templates: bool = False
    has_reply_window: bool = False
    """Free text reaches only people who wrote within the last day."""
    has_read_receipts: bool = False
    """The network is told when staff have read a message."""
    has_access_token: bool = False
    """Staff enter a number's id and token; both can be checked at any time."""
    has_sessions: bool = False
    """A phone is paired, and a host holds its session."""
    address_kinds: frozenset[str] = frozenset({PHONE})
    """The identities of contacts that it can send to."""
    has_price_list: bool = False
    """The network publishes prices, which the rate card must follow."""
    capability: Callable[[Any], Capability] = lambda _kind: "yes"
    """What the line does with a MessageKind. Kinds import this module, so it cannot name them."""
