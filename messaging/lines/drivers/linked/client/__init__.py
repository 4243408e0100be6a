"""A phone's own app as a line: the port to its network, and what comes through it.

A client is opened for one session. `events()` connects and tells what happens until the
connection ends; an event counts as taken when the next one is asked for, so that a client whose
network repeats what was not taken can do so. Adapters tell; the host decides.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from messaging.lines.drivers.base import Envelope, InboundMessage, Receipt, SendOutcome

LINKED_KIND = "linked"
"""Of lines, and of the leases on their sessions."""


@dataclass(frozen=True)
class LinkedSession:
    """Whose session it is, and the device it was linked as; no device: it has to be linked."""

    tenant_id: int
    line_id: int
    name: str
    device: str = ""


@dataclass(frozen=True)
class MediaFileBody:
    """A file that was fetched for a message and found to be what it should be."""

    body: bytes
    mime_type: str
    filename: str = ""


@dataclass(frozen=True)
class QrCodeShown:
    code: str
    until: datetime


@dataclass(frozen=True)
class PairingCodeShown:
    """To be typed into the phone, in place of a QR code."""

    code: str
    until: datetime


@dataclass(frozen=True)
class PairingTimedOut:
    """Nobody scanned any of the codes; the session has to be started again."""


@dataclass(frozen=True)
class DevicePaired:
    """The device has to be kept: with it the session goes on without a new code."""

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
    """Unlinked, on the phone or by the network; its device is worth nothing any more."""

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
    """Something this number sent: from here with its answer lost, or by hand on the phone."""

    network_id: str
    phone: str
    kind: str
    text: str
    at: int


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
)


class LinkedClient(Protocol):
    def events(self, code_phone: str = "") -> AsyncGenerator[ClientEvent, None]:
        """Connect, and tell. With `code_phone`, ask for a code to type instead of QR codes."""

    async def send(self, envelope: Envelope, media: MediaFileBody | None) -> SendOutcome:
        """The network's id comes with the answer; there is none of ours in what leaves."""

    async def fetch(self, source: str, most: int) -> bytes:
        """The file that came with a message, by the id its content has. Raises NotFetched."""

    async def log_out(self) -> None:
        """Unlink this device, so that it disappears from the phone's list."""

    async def close(self) -> None:
        """Let go of the connection; the device stays linked."""


class ClientUnavailable(Exception):
    """The client cannot be made here, in a sentence for people."""
