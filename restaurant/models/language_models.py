"""The tenant's own language model, and the messages that wait for its answer."""

from datetime import date, datetime

from sqlalchemy import Index, Integer, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.security.encryption import EncryptedText
from core.sql.columns import tenant_foreign_key


class LanguageModel(Base, TenantOwned):
    """A server that speaks the OpenAI protocol, with the tenant's own address and key."""

    __tablename__ = "language_models"

    url: Mapped[str] = mapped_column(Text)
    """The address before `/chat/completions`."""
    key: Mapped[str] = mapped_column(EncryptedText("language_models.key", per_tenant=True))
    model: Mapped[str] = mapped_column(Text)
    transcription_model: Mapped[str] = mapped_column(Text, default="", server_default="")
    """For voice notes; empty: voice notes are not transcribed."""
    enabled: Mapped[bool] = mapped_column(default=True, server_default="true")
    timeout_seconds: Mapped[int] = mapped_column(default=8)
    daily_requests: Mapped[int] = mapped_column(default=500)
    used_on: Mapped[date | None]
    used: Mapped[int] = mapped_column(default=0, server_default="0")
    """Requests on the day `used_on`, in UTC."""
    changed_at: Mapped[datetime] = mapped_column(default=now)


class ModelRequest(Base, TenantOwned):
    """A message that waits for the model. Deleted as soon as it is answered."""

    __tablename__ = "model_requests"
    __table_args__ = (
        tenant_foreign_key(["contact_id"], "contacts", ["id"], ondelete="CASCADE"),
        Index("model_requests_due_idx", "tenant_id", "due_at"),
        Index("model_requests_contact_idx", "tenant_id", "contact_id"),
    )

    message_id: Mapped[str] = mapped_column(Id("msg"), primary_key=True)
    line_id: Mapped[int] = mapped_column(Integer)
    contact_id: Mapped[str] = mapped_column(Id("con"))
    kind: Mapped[str] = mapped_column(Text)
    """order or voice"""
    text: Mapped[str] = mapped_column(Text, default="")
    tries: Mapped[int] = mapped_column(default=0, server_default="0")
    due_at: Mapped[datetime] = mapped_column(default=now)
    created_at: Mapped[datetime] = mapped_column(default=now)
