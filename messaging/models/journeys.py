"""Journeys with their published versions, and the runs of contacts with every step."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Integer, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key


class Journey(Base, TenantOwned):
    """The draft, and which version is live. `version` is 0 until it is published first."""

    __tablename__ = "journeys"
    __table_args__ = (
        Index(
            "journeys_live_idx",
            "tenant_id",
            "trigger",
            postgresql_where=text("live AND removed_at IS NULL"),
        ),
    )

    id: Mapped[str] = id_column("jny")
    name: Mapped[str] = mapped_column(Text)
    draft: Mapped[dict[str, Any]]
    revision: Mapped[int] = mapped_column(Integer, default=1)
    """Counts changes of the draft, so that two editors do not overwrite each other."""
    version: Mapped[int] = mapped_column(Integer, default=0)
    published_revision: Mapped[int] = mapped_column(Integer, default=0)
    live: Mapped[bool] = mapped_column(default=False)
    """Whether the published version starts new runs; False while it is paused."""
    trigger: Mapped[str] = mapped_column(Text, default="")
    """The kind of the published version's trigger."""
    dates_run_on: Mapped[str] = mapped_column(Text, default="")
    """The local date up to which a journey with a date has been started."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    removed_at: Mapped[datetime | None]


class JourneyVersion(Base, TenantOwned):
    """A published definition. It never changes; runs keep the version that they began with."""

    __tablename__ = "journey_versions"
    __table_args__ = (tenant_foreign_key(["journey_id"], "journeys", ["id"], ondelete="CASCADE"),)

    journey_id: Mapped[str] = mapped_column(Id("jny"), primary_key=True)
    version: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    definition: Mapped[dict[str, Any]]
    published_at: Mapped[datetime] = mapped_column(default=now)
    published_by: Mapped[str] = mapped_column(Text, default="")


class JourneyRun(Base, TenantOwned):
    """One contact on the way through a version."""

    __tablename__ = "journey_runs"
    __table_args__ = (
        UniqueConstraint("tenant_id", "journey_id", "cause"),
        tenant_foreign_key(["journey_id"], "journeys", ["id"], ondelete="CASCADE"),
        Index("journey_runs_listed_idx", "tenant_id", "journey_id", "id"),
        Index("journey_runs_contact_idx", "tenant_id", "contact_id", "id"),
        Index(
            "journey_runs_active_idx",
            "tenant_id",
            "contact_id",
            "journey_id",
            "test",
            unique=True,
            postgresql_where=text("state = 'running'"),
        ),
        Index(
            "journey_runs_due_idx",
            "tenant_id",
            "due_at",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
    )

    id: Mapped[str] = id_column("jrn")
    journey_id: Mapped[str] = mapped_column(Id("jny"))
    version: Mapped[int] = mapped_column(Integer)
    contact_id: Mapped[str] = mapped_column(Id("con"))
    line_id: Mapped[int] = mapped_column(Integer)
    test: Mapped[bool] = mapped_column(default=False)
    """On the test line: its messages and events are of test mode, and the contact is not changed.
    """
    cause: Mapped[str] = mapped_column(Text)
    """What started it. Each cause starts one run of a journey."""
    state: Mapped[str] = mapped_column(Text, default="running")
    """running, completed, stopped or failed"""
    because: Mapped[str] = mapped_column(Text, default="")
    """Of messaging/journeys/reasons.py."""
    step: Mapped[str] = mapped_column(Text)
    visit: Mapped[int] = mapped_column(Integer, default=0)
    """How many steps have been carried out. It numbers the rows of `journey_run_steps`."""
    waits: Mapped[str] = mapped_column(Text, default="")
    """reply, time, call or calling; empty: the next step is carried out when it is due."""
    repeats: Mapped[int] = mapped_column(Integer, default=0)
    values: Mapped[dict[str, Any]] = mapped_column(default=dict)
    tries: Mapped[int] = mapped_column(Integer, default=0)
    due_at: Mapped[datetime | None]
    started_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    ended_at: Mapped[datetime | None]


class JourneyRunStep(Base, TenantOwned):
    """One step that a run has carried out. The key makes each visit happen once."""

    __tablename__ = "journey_run_steps"
    __table_args__ = (tenant_foreign_key(["run_id"], "journey_runs", ["id"], ondelete="CASCADE"),)

    run_id: Mapped[str] = mapped_column(Id("jrn"), primary_key=True)
    visit: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    step: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text, default="")
    """yes or no of a condition, repeated for a question that was asked again, or a stored reason
    of an error."""
    answer: Mapped[str] = mapped_column(Text, default="")
    message_id: Mapped[str | None] = mapped_column(Id("msg"))
    at: Mapped[datetime] = mapped_column(default=now)
