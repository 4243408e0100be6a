"""Tables of connected apps."""

from datetime import datetime

from sqlalchemy import Index, Text, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key


class OAuthClient(Base):
    """A program that asks people for access. Global: it registers before it knows a business."""

    __tablename__ = "oauth_clients"
    __table_args__ = (
        Index("oauth_clients_unused_idx", "created_at", postgresql_where=text("used_at IS NULL")),
    )

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    """Given at registration, or the address of the client's own metadata document."""
    name: Mapped[str] = mapped_column(Text)
    uri: Mapped[str] = mapped_column(Text)
    redirect_uris: Mapped[list[str]] = mapped_column(ARRAY(Text))
    auth_method: Mapped[str] = mapped_column(Text)
    secret_hash: Mapped[str | None] = mapped_column(Text)
    from_document: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(default=now)
    read_at: Mapped[datetime] = mapped_column(default=now)
    used_at: Mapped[datetime | None]


class AppGrant(Base, TenantOwned):
    """A person's permission for an app. Its rights and its revocation are in its API key."""

    __tablename__ = "app_grants"
    __table_args__ = (Index("app_grants_person_idx", "tenant_id", "person_id"),)

    id: Mapped[str] = id_column("grt")
    client_id: Mapped[str] = mapped_column(Text)
    app_name: Mapped[str] = mapped_column(Text)
    person_id: Mapped[str] = mapped_column(Id("per"))
    key_id: Mapped[str] = mapped_column(Id("key"))
    resource: Mapped[str] = mapped_column(Text)
    """mcp, api, or empty for both."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    connected_at: Mapped[datetime | None]


class AppToken(Base, TenantOwned):
    """A code, an access token or a refresh token, stored as its hash."""

    __tablename__ = "app_tokens"
    __table_args__ = (
        tenant_foreign_key(["grant_id"], "app_grants", ["id"], ondelete="CASCADE"),
        Index("app_tokens_grant_idx", "tenant_id", "grant_id"),
        Index("app_tokens_expires_idx", "tenant_id", "expires_at"),
    )

    token_hash: Mapped[str] = mapped_column(Text, primary_key=True)
    grant_id: Mapped[str] = mapped_column(Id("grt"))
    kind: Mapped[str] = mapped_column(Text)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    redirect_uri: Mapped[str] = mapped_column(Text, default="")
    challenge: Mapped[str] = mapped_column(Text, default="")
