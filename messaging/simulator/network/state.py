"""The state of the simulated network: lines, phones, chats, media and accepted messages."""

import base64
import hashlib
import os
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from messaging.simulator.network.behaviour import NetworkBehaviour
from messaging.simulator.network.people.person import People, Person
from messaging.simulator.network.templates.store import TemplateStore

CHAT_LENGTH = 200
MOST_CHATS = 20_000
MOST_REMEMBERED = 500_000
MEDIA_BYTES = 128 * 1024 * 1024


@dataclass
class SimulatedLine:
    phone_number_id: str
    phone: str
    app_secret: str = ""
    callback_url: str = ""
    tenant_id: int = 0
    account_id: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        self.account_id = self.account_id or f"9{self.phone_number_id}"

    @property
    def title(self) -> str:
        return self.name or f"+{self.phone}"


@dataclass(slots=True)
class ChatMessage:
    """One message as the phone shows it."""

    id: str
    from_business: bool
    kind: str
    text: str
    content: dict[str, Any]
    at: float
    state: str
    ours: str = ""
    pricing: dict[str, Any] = field(default_factory=dict)
    """As the receipts report it."""
    reaction: str = ""
    """The other side's emoji at this message."""
    reply_to: str = ""
    forwarded: bool = False
    by_id: bool = False
    """The business addressed the person by an id, not by the phone."""
    origin: str = ""
    """How the business wrote it: "" by the API, `phone` on its phone, `agent` by Meta's agent."""
    edited: bool = False
    deleted: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "direction": "received" if self.from_business else "sent",
            "kind": self.kind,
            "text": self.text,
            "content": self.content,
            "at": int(self.at),
            "state": self.state,
            "ours": self.ours,
            "reaction": self.reaction,
            "origin": self.origin,
            "edited": self.edited,
            "deleted": self.deleted,
        }


@dataclass
class Chat:
    phone: str
    line: SimulatedLine
    bubbles: deque[ChatMessage] = field(default_factory=lambda: deque(maxlen=CHAT_LENGTH))
    unread: int = 0
    blocked: bool = False
    reads: bool | None = None
    """Whether delivered messages are read; None uses the network's setting."""
    last_at: float = 0.0
    written_at: float | None = None
    """When the person last wrote, by the clock of their phone."""
    ad_at: float | None = None
    """When the person came from an ad."""
    held_by_agent: bool = False
    """Meta's agent has the conversation; the business only listens."""
    typing_until: float = 0.0
    """The business is shown as typing until then."""

    def find(self, network_id: str) -> ChatMessage | None:
        return next((one for one in reversed(self.bubbles) if one.id == network_id), None)


@dataclass(frozen=True)
class StoredMedia:
    id: str
    mime_type: str
    body: bytes
    filename: str = ""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.body).hexdigest()


class AcceptedMessages:
    """Accepted messages by the sender's own id; shows whether anything was sent twice."""

    def __init__(self) -> None:
        self.total = 0
        self.doubled: dict[str, int] = {}
        self._ids: dict[str, tuple[str, ...]] = {}

    def add(self, ours: str, network_id: str) -> None:
        self.total += 1
        if not ours:
            return
        known = self._ids.get(ours)
        if known is None:
            self._ids[ours] = (network_id,)
            if len(self._ids) > MOST_REMEMBERED:
                del self._ids[next(iter(self._ids))]
        else:
            self._ids[ours] = (*known, network_id)
            self.doubled[ours] = len(known) + 1

    def ids(self, ours: str) -> tuple[str, ...]:
        return self._ids.get(ours, ())

    @property
    def distinct(self) -> int:
        return len(self._ids)


class SimulatedNetwork:
    def __init__(self, conditions: NetworkBehaviour | None = None) -> None:
        self.conditions = conditions or NetworkBehaviour()
        self.lines: dict[str, SimulatedLine] = {}
        self.accepted = AcceptedMessages()
        self.refused: dict[int, int] = {}
        self.met: dict[tuple[str, str], int] = {}
        """How often a message got a temporary refusal."""
        self.service_sent: Counter[tuple[str, str]] = Counter()
        """Service messages by number and month, for the free allowance."""
        self.linked: dict[str, Callable[[dict[str, Any]], None]] = {}
        """Linked devices by number id: what delivers a frame to one of them."""
        self.people = People()
        self.started_at = timestamp()
        self.templates = TemplateStore()
        self.listeners: set[Callable[[Chat], None]] = set()
        self._chats: OrderedDict[tuple[str, str], Chat] = OrderedDict()
        self._media: OrderedDict[str, StoredMedia] = OrderedDict()
        self._media_bytes = 0

    def register(self, line: SimulatedLine) -> None:
        known = self.lines.get(line.phone_number_id)
        if known is None:
            self.lines[line.phone_number_id] = line
        else:  # chats keep a reference to their line
            known.__dict__.update(line.__dict__)

    def new_id(self, line: SimulatedLine) -> str:
        """Return a new message id; ids of linked phones have another format."""
        if line.phone_number_id in self.linked:
            return "3EB0" + os.urandom(9).hex().upper()
        return new_network_id()

    def lines_of(self, tenant_id: int | None) -> list[SimulatedLine]:
        """None means the lines of all tenants, for the service itself."""
        return [
            line for line in self.lines.values() if tenant_id is None or line.tenant_id == tenant_id
        ]

    def account(self, account_id: str) -> list[SimulatedLine]:
        return [line for line in self.lines.values() if line.account_id == account_id]

    def chat(self, phone: str, line: SimulatedLine) -> Chat:
        key = (phone, line.phone_number_id)
        chat = self._chats.get(key)
        if chat is None:
            chat = self._chats[key] = Chat(phone, line)
            if len(self._chats) > MOST_CHATS:
                self._chats.popitem(last=False)
        return chat

    def chats(self, phone: str | None = None, tenant_id: int | None = None) -> list[Chat]:
        """Return chats that are not empty, newest first."""
        found = [
            chat
            for chat in self._chats.values()
            if (phone is None or chat.phone == phone)
            and (tenant_id is None or chat.line.tenant_id == tenant_id)
            and (chat.bubbles or chat.blocked)
        ]
        return sorted(found, key=lambda chat: chat.last_at, reverse=True)

    def show(self, chat: Chat, bubble: ChatMessage) -> None:
        chat.bubbles.append(bubble)
        chat.last_at = bubble.at
        self._chats.move_to_end((chat.phone, chat.line.phone_number_id))
        if bubble.from_business:
            chat.unread += 1
        self.publish(chat)

    def reads(self, chat: Chat) -> bool:
        return self.conditions.auto_read if chat.reads is None else chat.reads

    def publish(self, chat: Chat) -> None:
        for listener in list(self.listeners):
            listener(chat)

    def counts_down(self, message: str, number: str, times: int) -> bool:
        """Return True for the first `times` attempts of this message."""
        met = self.met.get((message, number), 0)
        if met >= times:
            self.met.pop((message, number), None)
            return False
        self.met[message, number] = met + 1
        return True

    def store_media(self, mime_type: str, body: bytes, filename: str = "") -> StoredMedia:
        media = StoredMedia(str(int.from_bytes(os.urandom(7))), mime_type, body, filename)
        self._media[media.id] = media
        self._media_bytes += len(body)
        while self._media_bytes > MEDIA_BYTES and len(self._media) > 1:
            _, oldest = self._media.popitem(last=False)
            self._media_bytes -= len(oldest.body)
        return media

    def media(self, media_id: str) -> StoredMedia | None:
        return self._media.get(media_id)

    def person(self, chat: Chat) -> Person:
        return self.people.find(chat.phone, chat.line.tenant_id)

    def move_chats(self, person: Person, phone: str) -> list[Chat]:
        """Give the person another number; their chats move with them."""
        moved = [
            chat
            for chat in self._chats.values()
            if (chat.phone, chat.line.tenant_id) == (person.phone, person.tenant_id)
        ]
        for chat in moved:
            del self._chats[chat.phone, chat.line.phone_number_id]
            chat.phone = phone
            self._chats[phone, chat.line.phone_number_id] = chat
        self.people.move(person, phone)
        return moved

    def phones_of(self, tenant_id: int | None) -> list[str]:
        """Return phones with chats, newest first, then those that were only added."""
        active = (chat.phone for chat in self.chats(tenant_id=tenant_id))
        return list(dict.fromkeys([*active, *self.people.phones(tenant_id)]))

    def forget(self) -> None:
        """Reset counters and delete chats; lines and settings stay."""
        self.accepted = AcceptedMessages()
        self.refused.clear()
        self.met.clear()
        self._chats.clear()
        self.people.forget()


def new_network_id() -> str:
    return "wamid.HBg" + base64.b64encode(os.urandom(24)).decode()


def timestamp() -> float:
    return time.time()
