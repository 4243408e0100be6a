"""Printers, print agents and print jobs."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Integer, LargeBinary, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, deferred, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.security.encryption import EncryptedText
from core.sql.columns import id_column, tenant_foreign_key


class PrintAgent(Base, TenantOwned):
    """A small computer at a site. Its token is stored as a digest, and found through `lookups`."""

    __tablename__ = "print_agents"
    __table_args__ = (
        tenant_foreign_key(["site_id"], "sites", ["id"]),
        Index("print_agents_site_idx", "tenant_id", "site_id"),
    )

    id: Mapped[str] = id_column("agt")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    name: Mapped[str] = mapped_column(Text)
    version: Mapped[str] = mapped_column(Text, default="")
    token_hash: Mapped[str] = mapped_column(Text)
    turn: Mapped[int] = mapped_column(Integer, default=0)
    """Incremented by every poll: an older poll that is still open gets no jobs."""
    found: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, default=list)
    """Printers found on its network."""
    paired_at: Mapped[datetime] = mapped_column(default=now)
    seen_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class PairingCode(Base, TenantOwned):
    """Shown in the portal and entered at the site; valid once and for 15 minutes."""

    __tablename__ = "pairing_codes"
    __table_args__ = (tenant_foreign_key(["site_id"], "sites", ["id"]),)

    id: Mapped[str] = id_column("pco")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    code_hash: Mapped[str] = mapped_column(Text)
    code: Mapped[str | None] = mapped_column(EncryptedText("pairing_codes.code", per_tenant=True))
    """As it is shown, until it is used."""
    made_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    agent_id: Mapped[str | None] = mapped_column(Id("agt"))


class Printer(Base, TenantOwned):
    __tablename__ = "printers"
    __table_args__ = (
        tenant_foreign_key(["site_id"], "sites", ["id"]),
        tenant_foreign_key(["agent_id"], "print_agents", ["id"]),
        tenant_foreign_key(["fallback_id"], "printers", ["id"]),
        Index("printers_site_idx", "tenant_id", "site_id"),
        Index("printers_agent_idx", "tenant_id", "agent_id"),
    )

    id: Mapped[str] = id_column("prn")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    name: Mapped[str] = mapped_column(Text)
    way: Mapped[str] = mapped_column(Text)
    """agent, cloudprnt or server_direct"""
    agent_id: Mapped[str | None] = mapped_column(Id("agt"))
    output: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """For an agent: {"kind": "network", "host": …, "port": …}, usb, serial, file or demo."""
    language: Mapped[str] = mapped_column(Text, default="escpos")
    profile: Mapped[str] = mapped_column(Text, default="generic")
    width_mm: Mapped[int] = mapped_column(default=80)
    code_page: Mapped[str | None] = mapped_column(Text)
    checks: Mapped[bool] = mapped_column(default=True)
    """Whether the agent queries the status before and after a ticket."""
    stations: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    bills: Mapped[bool] = mapped_column(default=False)
    copies: Mapped[int] = mapped_column(default=1)
    fallback_id: Mapped[str | None] = mapped_column(Id("prn"))
    fallback_seconds: Mapped[int] = mapped_column(default=30)
    secret: Mapped[str | None] = mapped_column(EncryptedText("printers.secret", per_tenant=True))
    """Part of the address that a polling printer uses."""
    mac: Mapped[str] = mapped_column(Text, default="")
    """If not set, the first device that polls; other devices are refused."""
    state: Mapped[str] = mapped_column(Text, default="unknown")
    detail: Mapped[str] = mapped_column(Text, default="")
    """The reason for its state, of printing/reasons.py."""
    state_since: Mapped[datetime] = mapped_column(default=now)
    seen_at: Mapped[datetime | None]
    told_state: Mapped[str] = mapped_column(Text, default="")
    """The error state that people were notified of; empty if there is none."""
    enabled: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    removed_at: Mapped[datetime | None]


class PrintJob(Base, TenantOwned):
    """A ticket for one printer. Its content never changes after it is rendered."""

    __tablename__ = "print_jobs"
    __table_args__ = (
        UniqueConstraint("tenant_id", "dedupe"),
        tenant_foreign_key(["printer_id"], "printers", ["id"]),
        Index(
            "print_jobs_queue_idx",
            "tenant_id",
            "printer_id",
            "id",
            postgresql_where=text("state = 'queued'"),
        ),
        Index(
            "print_jobs_in_hand_idx",
            "tenant_id",
            "printer_id",
            unique=True,
            postgresql_where=text("state = 'claimed'"),
        ),
        Index(
            "print_jobs_bare_idx",
            "tenant_id",
            "id",
            postgresql_where=text("state = 'queued' AND data IS NULL"),
        ),
        Index(
            "print_jobs_fallback_idx",
            "tenant_id",
            "fallback_due_at",
            postgresql_where=text("fallback_due_at IS NOT NULL"),
        ),
        Index("print_jobs_letter_idx", "tenant_id", "site_id", postgresql_where=text("letter_due")),
        Index("print_jobs_state_idx", "tenant_id", "state", "id"),
        Index("print_jobs_printer_idx", "tenant_id", "printer_id", "id"),
        Index("print_jobs_order_idx", "tenant_id", "order_id", "id"),
        Index(
            "print_jobs_copy_idx",
            "tenant_id",
            "fallback_of",
            postgresql_where=text("fallback_of IS NOT NULL"),
        ),
    )

    id: Mapped[str] = id_column("pj")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    printer_id: Mapped[str] = mapped_column(Id("prn"))
    dedupe: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    """order, addition, void, moved, cancelled, bill, test or strip"""
    title: Mapped[str] = mapped_column(Text)
    order_id: Mapped[str | None] = mapped_column(Id("ord"))
    order_number: Mapped[str] = mapped_column(Text, default="")
    station: Mapped[str] = mapped_column(Text, default="")
    copy: Mapped[int] = mapped_column(default=1)
    document: Mapped[dict[str, Any]] = mapped_column(JSONB)
    time_zone: Mapped[str] = mapped_column(Text, default="UTC")
    media_type: Mapped[str] = mapped_column(Text, default="")
    data: Mapped[bytes | None] = deferred(mapped_column(LargeBinary))
    again: Mapped[bytes | None] = deferred(mapped_column(LargeBinary))
    """Printed before `data` by an agent that may have printed the job before."""
    state: Mapped[str] = mapped_column(Text, default="queued")
    detail: Mapped[str] = mapped_column(Text, default="")
    """The reason for its state, of printing/reasons.py."""
    fence: Mapped[int] = mapped_column(default=0)
    """Incremented by every claim: a result with an older fence is too late."""
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime] = mapped_column(default=now)
    claimed_by: Mapped[str] = mapped_column(Text, default="")
    """An agent's id, or the printer's own address."""
    claimed_at: Mapped[datetime | None]
    fetched_at: Mapped[datetime | None]
    leased_until: Mapped[datetime | None]
    fallback_due_at: Mapped[datetime | None]
    fallback_of: Mapped[str | None] = mapped_column(Id("pj"))
    reprint_of: Mapped[str | None] = mapped_column(Id("pj"))
    evidence: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, default=list)
    told: Mapped[bool] = mapped_column(default=False)
    """People were notified of it."""
    letter_due: Mapped[bool] = mapped_column(default=False)
    """The next e-mail about unprinted tickets includes it."""
    queued_at: Mapped[datetime] = mapped_column(default=now)
    settled_at: Mapped[datetime | None]


PRINTING_LANE = "prints"
