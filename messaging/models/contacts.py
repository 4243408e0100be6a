"""Contacts and their identities."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    Index,
    Integer,
    Numeric,
    SmallInteger,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key


class Contact(Base, TenantOwned):
    """`named_by` is who gave the name: a name from the network does not replace a person's."""

    __tablename__ = "contacts"
    __table_args__ = (
        Index("contacts_seen_idx", "tenant_id", "last_seen_at", "id"),
        Index("contacts_name_idx", "tenant_id", "name_key", "id"),
        Index(
            "contacts_birthday_idx",
            "tenant_id",
            "birthday",
            "id",
            postgresql_where=text("birthday IS NOT NULL"),
        ),
    )

    id: Mapped[str] = id_column("con")
    name: Mapped[str] = mapped_column(Text, default="")
    name_key: Mapped[str] = mapped_column(Text(collation="C"), default="")
    """Lower case without accents, for sorting and searching; see contacts/search_tokens.py."""
    named_by: Mapped[str] = mapped_column(Text, default="network")
    profile_name: Mapped[str] = mapped_column(Text, default="")
    username: Mapped[str] = mapped_column(Text, default="", server_default="")
    """Their user name on the network, without @. It may change and then belong to someone else, so
    nobody is found by it alone."""
    language: Mapped[str] = mapped_column(Text, default="")
    tags: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    fields: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """Values of custom fields by ContactField id."""
    birthday: Mapped[int | None] = mapped_column(SmallInteger)
    """Month and day as one number: 423 is the 23rd of April."""
    birth_year: Mapped[int | None] = mapped_column(SmallInteger)
    consent_at: Mapped[datetime | None]
    consent_source: Mapped[str] = mapped_column(Text, default="")
    opted_out_at: Mapped[datetime | None]
    opted_out_source: Mapped[str] = mapped_column(Text, default="")
    blocked_at: Mapped[datetime | None]
    first_seen_at: Mapped[datetime | None]
    last_seen_at: Mapped[datetime | None]
    """When they last wrote to us; None if they never did."""
    orders: Mapped[int] = mapped_column(Integer, default=0)
    visits: Mapped[int] = mapped_column(Integer, default=0)
    spent: Mapped[Decimal] = mapped_column(Numeric(14, 2), default=Decimal(0))
    """In the account's currency. Only orders change these three."""
    last_order_at: Mapped[datetime | None]
    marketed_at: Mapped[datetime | None]
    """When they last got a marketing message; see messaging/contacts/marketing_eligibility.py."""


class Identity(Base, TenantOwned):
    """How a contact is found: by phone, or by the network's own id if there is no phone."""

    __tablename__ = "identities"
    __table_args__ = (
        tenant_foreign_key(["contact_id"], "contacts", ["id"], ondelete="CASCADE"),
        Index("identities_contact_idx", "tenant_id", "contact_id"),
    )

    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    value: Mapped[str] = mapped_column(Text, primary_key=True)
    contact_id: Mapped[str] = mapped_column(Id("con"))
    spelling: Mapped[str] = mapped_column(Text)
    """The network's own spelling, used for sending."""
    line_id: Mapped[int | None] = mapped_column(Integer)
    """The line on which the network last used it: an id is valid only in one business portfolio."""
    added_at: Mapped[datetime | None]
    """When the network first used it for this contact."""


class FormerIdentity(Base, TenantOwned):
    """An id or phone that the network has replaced. Nothing is sent to it; older messages that were
    stored with it stay with the contact.
    """

    __tablename__ = "former_identities"
    __table_args__ = (
        tenant_foreign_key(["contact_id"], "contacts", ["id"], ondelete="CASCADE"),
        Index("former_identities_value_idx", "tenant_id", "kind", "value"),
    )

    contact_id: Mapped[str] = mapped_column(Id("con"), primary_key=True)
    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    value: Mapped[str] = mapped_column(Text, primary_key=True)
    spelling: Mapped[str] = mapped_column(Text)
    ended_at: Mapped[datetime]
    """A phone may belong to someone else afterwards; an id never does."""


class PossibleDuplicate(Base, TenantOwned):
    """Two contacts that may be the same person, for a person to decide. `contact_id` is the older
    one.
    """

    __tablename__ = "possible_duplicates"
    __table_args__ = (
        tenant_foreign_key(["contact_id"], "contacts", ["id"], ondelete="CASCADE"),
        tenant_foreign_key(["other_id"], "contacts", ["id"], ondelete="CASCADE"),
        Index("possible_duplicates_other_idx", "tenant_id", "other_id"),
    )

    contact_id: Mapped[str] = mapped_column(Id("con"), primary_key=True)
    other_id: Mapped[str] = mapped_column(Id("con"), primary_key=True)
    reason: Mapped[str] = mapped_column(Text)
    """A code of messaging/contacts/duplicates.py."""
    found_at: Mapped[datetime]
    dismissed_at: Mapped[datetime | None]
