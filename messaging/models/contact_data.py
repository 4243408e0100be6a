"""Data about contacts: search tokens, tags, custom fields, notes, consent, imports, erasures."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, Integer, Text, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key


class ContactToken(Base, TenantOwned):
    """One search token of one contact: the beginning of a word or a phone, a tag, a mark.

    The key is in the order of the results, so that a page costs the same for any number of
    contacts. There is no foreign key: its check would need a second index on the largest table
    here.
    """

    __tablename__ = "contact_tokens"

    token: Mapped[str] = mapped_column(Text(collation="C"), primary_key=True)
    contact_id: Mapped[str] = mapped_column(Id("con"), primary_key=True)


class ContactTag(Base, TenantOwned):
    """The tags that a tenant has used, to choose from."""

    __tablename__ = "contact_tags"

    key: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)


class ContactField(Base, TenantOwned):
    """A custom field. Removed fields stay, so that their values keep a name."""

    __tablename__ = "contact_fields"

    id: Mapped[str] = id_column("fld")
    name: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    choices: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    position: Mapped[int] = mapped_column(Integer, default=0)
    created_at: Mapped[datetime] = mapped_column(default=now)
    removed_at: Mapped[datetime | None]


class ContactNote(Base, TenantOwned):
    __tablename__ = "contact_notes"
    __table_args__ = (
        tenant_foreign_key(["contact_id"], "contacts", ["id"], ondelete="CASCADE"),
        Index("contact_notes_contact_idx", "tenant_id", "contact_id", "id"),
    )

    id: Mapped[str] = id_column("note")
    contact_id: Mapped[str] = mapped_column(Id("con"))
    text: Mapped[str] = mapped_column(Text)
    author: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(default=now)


class ConsentChange(Base, TenantOwned):
    """A contact's consent, opt-out or block with its time and source, kept as proof."""

    __tablename__ = "contact_wishes"
    __table_args__ = (
        tenant_foreign_key(["contact_id"], "contacts", ["id"], ondelete="CASCADE"),
        Index("contact_wishes_contact_idx", "tenant_id", "contact_id", "id"),
    )

    id: Mapped[str] = id_column("wish")
    contact_id: Mapped[str] = mapped_column(Id("con"))
    kind: Mapped[str] = mapped_column(Text)
    """consent, withdrawn, opted_out, opted_in, blocked or unblocked"""
    source: Mapped[str] = mapped_column(Text)
    author: Mapped[str] = mapped_column(Text, default="")
    at: Mapped[datetime] = mapped_column(default=now)


class BlockedPhone(Base, TenantOwned):
    """Phones and network ids of blocked contacts in every spelling; a small table, so that the
    lookup is cheap.
    """

    __tablename__ = "blocked_phones"

    phone: Mapped[str] = mapped_column(Text, primary_key=True)
    contact_id: Mapped[str] = mapped_column(Id("con"))


class ContactImport(Base, TenantOwned):
    """An import of contacts from a file. `position` is how many of its rows are processed."""

    __tablename__ = "contact_imports"

    id: Mapped[str] = id_column("imp")
    state: Mapped[str] = mapped_column(Text, default="uploaded")
    file_name: Mapped[str] = mapped_column(Text)
    blob: Mapped[str] = mapped_column(Text)
    size: Mapped[int] = mapped_column(BigInteger)
    encoding: Mapped[str] = mapped_column(Text)
    delimiter: Mapped[str] = mapped_column(Text)
    has_header: Mapped[bool] = mapped_column(default=True)
    columns: Mapped[dict[str, Any]]
    """The column names, the meaning of each column, and the first rows."""
    options: Mapped[dict[str, Any]]
    """Country, tags for all rows, source of the consent, whether to write at once."""
    total: Mapped[int] = mapped_column(default=0)
    position: Mapped[int] = mapped_column(default=0)
    created: Mapped[int] = mapped_column(default=0)
    updated: Mapped[int] = mapped_column(default=0)
    repeated: Mapped[int] = mapped_column(default=0)
    rejected: Mapped[int] = mapped_column(default=0)
    agreed: Mapped[int] = mapped_column(default=0, server_default="0")
    refused: Mapped[int] = mapped_column(default=0, server_default="0")
    unclear: Mapped[int] = mapped_column(default=0, server_default="0")
    """Of the written rows: consent given, refused, or unclear."""
    error: Mapped[str] = mapped_column(Text, default="")
    author: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)


class ContactImportPhone(Base, TenantOwned):
    """The phones of a file by line while it is processed, to find repeated numbers."""

    __tablename__ = "contact_import_phones"
    __table_args__ = (
        tenant_foreign_key(["import_id"], "contact_imports", ["id"], ondelete="CASCADE"),
    )

    import_id: Mapped[str] = mapped_column(Id("imp"), primary_key=True)
    phone: Mapped[str] = mapped_column(Text, primary_key=True)
    line: Mapped[int] = mapped_column(Integer)


class ContactImportReject(Base, TenantOwned):
    __tablename__ = "contact_import_rejects"
    __table_args__ = (
        tenant_foreign_key(["import_id"], "contact_imports", ["id"], ondelete="CASCADE"),
    )

    import_id: Mapped[str] = mapped_column(Id("imp"), primary_key=True)
    line: Mapped[int] = mapped_column(Integer, primary_key=True)
    field: Mapped[str] = mapped_column(Text)
    cause: Mapped[str] = mapped_column(Text)
    """A sentence with placeholders for `values`."""
    values: Mapped[dict[str, Any]] = mapped_column(default=dict)
    cells: Mapped[list[str]] = mapped_column(ARRAY(Text))


class ContactErasure(Base, TenantOwned):
    """A running erasure. What it looks for is deleted when it is done."""

    __tablename__ = "contact_erasures"
    __table_args__ = (
        Index(
            "contact_erasures_open_idx",
            "tenant_id",
            "id",
            postgresql_where=text("done_at IS NULL"),
        ),
    )

    id: Mapped[str] = id_column("era")
    contact_id: Mapped[str] = mapped_column(Id("con"))
    names: Mapped[dict[str, Any]]
    step: Mapped[str] = mapped_column(Text, default="")
    reached: Mapped[str] = mapped_column(Text, default="")
    """The last id that the current step has scanned."""
    found: Mapped[int] = mapped_column(default=0)
    author: Mapped[str] = mapped_column(Text)
    asked_at: Mapped[datetime] = mapped_column(default=now)
    done_at: Mapped[datetime | None]
