"""What a line's driver is: it turns an envelope into one of four answers, and decides nothing.

Adding a network means adding a module beside `cloud.py` that has these functions.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Envelope:
    """One message as a driver gets it: no row, no session, nothing to change."""

    message_id: str
    attempt: int
    tenant_id: int
    line_id: int
    phone: str
    """Digits, as the network spells them."""
    kind: str
    """text, image, document, video, audio, location, template"""
    text: str
    """The text itself, or a media message's caption."""
    content: dict[str, Any]
    """For media url and filename; for a location latitude, longitude, name and address; for a
    template name, language and parameters; reply_to: a network id."""


@dataclass(frozen=True)
class LineFacts:
    """What a driver must know of a line. Secrets are in the clear here: never log one."""

    tenant_id: int
    id: int
    kind: str
    phone_number_id: str = ""
    token: str = ""
    app_secret: str = ""


@dataclass(frozen=True)
class SendAccepted:
    """The network took it and named it."""

    network_id: str
    recipient: str = ""
    """The network's own spelling of the recipient, when it told one."""


@dataclass(frozen=True)
class TryLater:
    """Not now. `pair` and `line` say how much has to wait: this recipient, or the whole line."""

    code: str
    reason: str
    """Of messaging/reasons.py, as are all reasons here."""
    after: float | None = None
    scope: str = "message"
    """message, pair or line"""


@dataclass(frozen=True)
class SendRefused:
    """Never. `line_state` is set when the cause is the line itself: token_expired, restricted."""

    code: str
    reason: str
    network_code: str = ""
    line_state: str = ""


@dataclass(frozen=True)
class SendUnknown:
    """Bytes left and no answer came: only the network's own receipt can tell."""

    reason: str


SendOutcome = SendAccepted | TryLater | SendRefused | SendUnknown


@dataclass(frozen=True)
class InboundMessage:
    """What a customer wrote, in our words. `sender_phone` is empty when there is none."""

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


@dataclass(frozen=True)
class Receipt:
    """The network's word on something we sent."""

    network_id: str
    state: str
    """sent, delivered, read or failed"""
    at: int
    our_id: str = ""
    """Our message id, echoed: settles a message whose answer was lost."""
    recipient: str = ""
    category: str = ""
    billable: bool | None = None
    error_code: str = ""
    error_reason: str = ""


@dataclass(frozen=True)
class LineUpdate:
    """The network's word on the line: quality, restrictions, template states."""

    kind: str
    detail: dict[str, Any]


@dataclass(frozen=True)
class ParsedWebhook:
    """Everything one body of the network's webhook held, for one line."""

    phone_number_id: str
    messages: list[InboundMessage] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    news: list[LineUpdate] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """What was not taken, and why, for the people who look at the hook."""
