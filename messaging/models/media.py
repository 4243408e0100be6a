"""Media files of messages."""

from datetime import datetime

from sqlalchemy import Index, Integer, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column


class UploadedMedia(Base, TenantOwned):
    """A file that a program uploaded, for any number of messages."""

    __tablename__ = "uploaded_media"

    id: Mapped[str] = id_column("med")
    kind: Mapped[str] = mapped_column(Text)
    mime_type: Mapped[str] = mapped_column(Text)
    filename: Mapped[str] = mapped_column(Text)
    size: Mapped[int] = mapped_column(Integer)
    blob_key: Mapped[str] = mapped_column(Text)
    test: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=now)


class MediaFile(Base, TenantOwned):
    """The file of one message. `source` is the network's media id, or the URL of a file we sent."""

    __tablename__ = "media_files"
    __table_args__ = (
        Index(
            "media_files_due_idx",
            "tenant_id",
            "due_at",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
    )

    message_id: Mapped[str] = mapped_column(Id("msg"), primary_key=True)
    source: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    mime_type: Mapped[str] = mapped_column(Text, default="")
    filename: Mapped[str] = mapped_column(Text, default="")
    sha256: Mapped[str] = mapped_column(Text, default="")
    size: Mapped[int | None]
    blob_key: Mapped[str | None] = mapped_column(Text)
    preview_blob_key: Mapped[str | None] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text, default="waiting")
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    kept_at: Mapped[datetime | None]
