"""What a message kind defines. The registry lists the kinds by the code in `messages.kind`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.linked.client import MediaFileBody
from messaging.messages.kinds.fields import KindFields

MB = 1024 * 1024


@dataclass(frozen=True)
class OutgoingFile:
    """The file of a media message that a linked phone sends: fetched and checked before."""

    max_bytes: int
    timeout_seconds: float
    too_large: str
    types: frozenset[str] = frozenset()
    """Empty: any type, and the file keeps its name."""
    wrong_type: str = ""


@dataclass(frozen=True)
class FileRules:
    """The file that belongs to a message of a media kind."""

    received_bytes: int
    received_types: tuple[str, ...] = ()
    """How its MIME type begins. Empty: any type; the file is never run."""
    upload_bytes: int = 0
    """For members. Zero: they cannot upload it."""
    outgoing: OutgoingFile | None = None
    sent_types: tuple[str, ...] = ()
    """How the MIME type of an uploaded file that programs send begins."""


@dataclass(frozen=True)
class Choice:
    """A button or a row of a list that the recipient can choose."""

    id: str
    title: str
    description: str = ""


@dataclass(frozen=True)
class MessageKind:
    title: str
    icon: str = ""
    """In the list of conversations."""
    fields: type[KindFields] | None = None
    """What a program gives to send it. None: programs cannot send it."""
    category: str = "service"
    """The price category; a template's own category replaces it."""
    has_fallback: bool = True
    """A template may be sent instead when the reply window is closed."""
    file: FileRules | None = None
    is_picture: bool = False
    is_written: bool = False
    """The sender typed or chose the text, so keywords in it count."""
    event_text: Literal["always", "given", "never"] = "given"
    """Whether the event of a received message has the field `text`."""
    cloud_part: Callable[[Envelope], Any] | None = None
    """Its part of a cloud API request. None: cloud lines do not send it."""
    cloud_type: str = ""
    """The cloud API's name of the kind, if it is not its code."""
    linked_part: (
        Callable[[Envelope, MediaFileBody | None], tuple[str, dict[str, Any], str]] | None
    ) = None
    """The field of the library's message, its contents and the kind of the upload. None: linked
    phones do not send it, or send its plain text."""
    plain_text: Callable[[Mapping[str, Any]], str] | None = None
    """The content as a text, for lines without such messages. Choices are numbered."""
    linked_media: tuple[str, str] | None = None
    """For media: the field and the kind of the upload."""
    choices: Callable[[Mapping[str, Any]], list[Choice]] | None = None
    """What the recipient can choose, given the content."""
    public_content: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
    """What events and the API show beside the text."""
    public_field: str = ""
    """The field with `public_content`, if it is not the kind's code."""
