"""Messages with a file: pictures, films, recordings, documents, stickers."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar

from pydantic import Field

from core.i18n.catalogs import N_
from core.values.field_checks import optional_text
from messaging import reasons
from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.linked.client import MediaFileBody
from messaging.messages.kinds.base import MB, FileRules, MessageKind, OutgoingFile
from messaging.messages.kinds.fields import FileReference, KindFields, ResolveFile

LONGEST_CAPTION, LONGEST_FILENAME = 1024, 240
LinkedPart = Callable[[Envelope, MediaFileBody | None], tuple[str, dict[str, Any], str]]


class FileFields(FileReference, KindFields):
    """A file without a caption: audio, voice messages, stickers."""

    file_kind: ClassVar[str] = "audio"

    def message_content(self, resolve_file: ResolveFile) -> dict[str, Any]:
        return resolve_file(self, "", self.file_kind)


class StickerFields(FileFields):
    file_kind = "sticker"


class CaptionedFields(FileFields):
    caption: Annotated[str | None, optional_text("caption", LONGEST_CAPTION)] = Field(
        None, description="1024 characters at most."
    )

    def message_text(self) -> str:
        return self.caption or ""


class ImageFields(CaptionedFields):
    file_kind = "image"


class VideoFields(CaptionedFields):
    file_kind = "video"


class DocumentFields(CaptionedFields):
    file_kind = "document"
    filename: Annotated[str | None, optional_text("filename", LONGEST_FILENAME)] = Field(
        None, max_length=LONGEST_FILENAME
    )

    def message_content(self, resolve_file: ResolveFile) -> dict[str, Any]:
        content = super().message_content(resolve_file)
        return {**content, "filename": self.filename} if self.filename else content


class VoiceFields(FileFields):
    file_kind = "voice"

    def message_content(self, resolve_file: ResolveFile) -> dict[str, Any]:
        return {**super().message_content(resolve_file), "voice": True}


def _cloud_part(envelope: Envelope) -> dict[str, Any]:
    part = {"link": envelope.content["url"]}
    if envelope.text:
        part["caption"] = envelope.text
    return part


def _cloud_file(envelope: Envelope) -> dict[str, Any]:
    return {"link": envelope.content["url"]}


def _cloud_voice(envelope: Envelope) -> dict[str, Any]:
    return {"link": envelope.content["url"], "voice": True}


def _cloud_document(envelope: Envelope) -> dict[str, Any]:
    part = _cloud_part(envelope)
    if envelope.content.get("filename"):
        part["filename"] = envelope.content["filename"]
    return part


def _linked_voice(
    envelope: Envelope, media: MediaFileBody | None
) -> tuple[str, dict[str, Any], str]:
    field, _, upload = _linked_part("audioMessage", "MediaAudio", captioned=False)(envelope, media)
    return field, {"mimetype": "audio/ogg; codecs=opus", "PTT": True}, upload


def _linked_part(
    field: str, upload: str, *, captioned: bool = True, named: bool = False
) -> LinkedPart:
    def part(envelope: Envelope, media: MediaFileBody | None) -> tuple[str, dict[str, Any], str]:
        if media is None:
            raise ValueError(f"a linked phone sends no {envelope.kind} without its file")
        facts = {"mimetype": media.mime_type}
        if captioned and envelope.text:
            facts["caption"] = envelope.text
        if named:
            facts |= {"fileName": media.filename, "title": media.filename}
        return field, facts, upload

    return part


IMAGE = MessageKind(
    N_("Image"),
    fields=ImageFields,
    icon="image",
    file=FileRules(
        received_bytes=5 * MB,
        sent_types=("image/jpeg", "image/png"),
        received_types=("image/",),
        upload_bytes=15 * MB,  # before it is made smaller
        outgoing=OutgoingFile(
            max_bytes=5 * MB,
            timeout_seconds=20.0,
            too_large=reasons.IMAGE_TOO_LARGE,
            types=frozenset({"image/jpeg", "image/png", "image/webp"}),
            wrong_type=reasons.IMAGE_WRONG_TYPE,
        ),
    ),
    is_picture=True,
    cloud_part=_cloud_part,
    linked_part=_linked_part("imageMessage", "MediaImage"),
    linked_media=("imageMessage", "MediaImage"),
)
VIDEO = MessageKind(
    N_("Video"),
    fields=VideoFields,
    icon="film",
    file=FileRules(
        received_bytes=16 * MB,
        sent_types=("video/",),
        received_types=("video/",),
        upload_bytes=16 * MB,
        outgoing=OutgoingFile(
            max_bytes=16 * MB,
            timeout_seconds=40.0,
            too_large=reasons.VIDEO_TOO_LARGE,
            types=frozenset({"video/mp4", "video/3gpp"}),
            wrong_type=reasons.VIDEO_WRONG_TYPE,
        ),
    ),
    cloud_part=_cloud_part,
    linked_part=_linked_part("videoMessage", "MediaVideo"),
    linked_media=("videoMessage", "MediaVideo"),
)
AUDIO = MessageKind(
    N_("Audio"),
    fields=FileFields,
    icon="mic",
    file=FileRules(
        received_bytes=16 * MB,
        sent_types=("audio/",),
        received_types=("audio/", "video/"),
        upload_bytes=16 * MB,
        outgoing=OutgoingFile(
            max_bytes=16 * MB,
            timeout_seconds=40.0,
            too_large=reasons.AUDIO_TOO_LARGE,
            types=frozenset({"audio/ogg", "audio/mpeg", "audio/aac", "audio/amr", "audio/mp4"}),
            wrong_type=reasons.AUDIO_WRONG_TYPE,
        ),
    ),
    cloud_part=_cloud_file,
    linked_part=_linked_part("audioMessage", "MediaAudio", captioned=False),
    linked_media=("audioMessage", "MediaAudio"),
)
VOICE = MessageKind(
    N_("Voice message"),
    icon="mic",
    fields=VoiceFields,
    file=FileRules(
        received_bytes=16 * MB,
        received_types=("audio/",),
        sent_types=("audio/ogg",),
        outgoing=OutgoingFile(
            max_bytes=16 * MB,
            timeout_seconds=40.0,
            too_large=reasons.AUDIO_TOO_LARGE,
            types=frozenset({"audio/ogg"}),
            wrong_type=reasons.VOICE_WRONG_TYPE,
        ),
    ),
    cloud_part=_cloud_voice,
    cloud_type="audio",
    linked_part=_linked_voice,
)
DOCUMENT = MessageKind(
    N_("Document"),
    fields=DocumentFields,
    icon="file",
    file=FileRules(
        received_bytes=100 * MB,
        sent_types=("",),
        upload_bytes=25 * MB,
        outgoing=OutgoingFile(
            max_bytes=100 * MB,
            timeout_seconds=120.0,
            too_large=reasons.DOCUMENT_TOO_LARGE,
        ),
    ),
    cloud_part=_cloud_document,
    linked_part=_linked_part("documentMessage", "MediaDocument", named=True),
    linked_media=("documentMessage", "MediaDocument"),
)
STICKER = MessageKind(
    N_("Sticker"),
    icon="image",
    fields=StickerFields,
    file=FileRules(
        received_bytes=MB,
        received_types=("image/",),
        sent_types=("image/webp",),
        outgoing=OutgoingFile(
            max_bytes=MB,
            timeout_seconds=20.0,
            too_large=reasons.STICKER_TOO_LARGE,
            types=frozenset({"image/webp"}),
            wrong_type=reasons.STICKER_WRONG_TYPE,
        ),
    ),
    is_picture=True,
    cloud_part=_cloud_file,
    linked_part=_linked_part("stickerMessage", "MediaImage", captioned=False),
)
