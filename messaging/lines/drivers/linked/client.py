"""The client of a linked phone: the protocol, and the events that it yields.

A client is opened for one session. `events()` connects and yields events until the connection ends.
An event counts as handled when the next one is requested, so that a network that repeats unhandled
events can do so. Clients report; the host decides.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from messaging.lines.drivers.base import (
    Envelope,
    InboundMessage,
    LineUpdate,
    Receipt,
    SendOutcome,
)

LINKED_KIND = "linked"
"""The kind of linked lines, and of the leases on their sessions."""


@dataclass(frozen=True)
class LinkedSession:
    """The line of a session and its linked device; without one, a phone has to be linked first."""

    tenant_id: int
    line_id: int
    name: str
    device: str = ""


@dataclass(frozen=True)
class MediaFileBody:
    """A file that was fetched for a message and checked."""

    body: bytes
    mime_type: str
    filename: str = ""


@dataclass(frozen=True)
class QrCodeShown:
    code: str
    until: datetime


@dataclass(frozen=True)
class PairingCodeShown:
    """A code to type into the phone instead of scanning a QR code."""

    code: str
    until: datetime


@dataclass(frozen=True)
class PairingTimedOut:
    """No code was scanned in time; the session has to be started again."""


@dataclass(frozen=True)
class DevicePaired:
    """Store the device: with it the session reconnects without a new code."""

    device: str
    phone: str
    name: str


@dataclass(frozen=True)
class ClientConnected:
    pass


@dataclass(frozen=True)
class ClientDisconnected:
    because: str


@dataclass(frozen=True)
class DeviceLoggedOut:
    """Unlinked, on the phone or by the network; the stored device is no longer valid."""

    because: str


@dataclass(frozen=True)
class NumberRestricted:
    because: str
    until: datetime | None = None


@dataclass(frozen=True)
class MessageReceived:
    message: InboundMessage


@dataclass(frozen=True)
class ReceiptReceived:
    receipt: Receipt


@dataclass(frozen=True)
class EchoReceived:
    """A message that this number sent: by us with its response lost, or by hand on the phone."""

    network_id: str
    phone: str
    """Of the recipient; or the network's own id."""
    kind: str
    text: str
    at: int
    content: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MessageChanged:
    """A message was edited or deleted, by the customer or on the phone itself."""

    update: LineUpdate


ClientEvent = (
    QrCodeShown
    | PairingCodeShown
    | PairingTimedOut
    | DevicePaired
    | ClientConnected
    | ClientDisconnected
    | DeviceLoggedOut
    | NumberRestricted
    | MessageReceived
    | ReceiptReceived
    | EchoReceived
    | MessageChanged
)


class LinkedClient(Protocol):
    def events(self, code_phone: str = "") -> AsyncGenerator[ClientEvent, None]:
        """Connect and yield events. With `code_phone`, request a code to type, not QR codes."""

    async def send(self, envelope: Envelope, media: MediaFileBody | None) -> SendOutcome:
        """Send one message. The outcome has the network's id; our own id is not transmitted."""

    async def mark_read(self, phone: str, network_id: str, *, typing: bool) -> None:
        """Mark a received message as read; with `typing`, also show that somebody types."""

    async def fetch(self, source: str, most: int) -> bytes:
        """Fetch the file of a message by the id in its content. Raises MediaNotFetched."""

    async def log_out(self) -> None:
        """Unlink this device, so that it disappears from the phone's list."""

    async def close(self) -> None:
        """Close the connection; the device stays linked."""


class ClientUnavailable(Exception):
    """Raised when no client can be created here; the message is a stored reason."""
