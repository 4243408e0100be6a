"""Runs as people and programs read them: lists, one run with its steps, counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, func, select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound
from core.ids import BadId, canonical_id
from messaging.contacts import cards as contact_cards
from messaging.journeys import runs
from messaging.journeys.definition import Definition
from messaging.journeys.repository import version_of_run
from messaging.models import Contact, Journey, JourneyRun, JourneyRunStep, Message

RUN_RETENTION = timedelta(days=180)
STATES = ("running", "completed", "stopped", "failed")


@dataclass(frozen=True)
class RunSummary:
    run: JourneyRun
    contact_name: str


@dataclass(frozen=True)
class StepSummary:
    row: JourneyRunStep
    step: Any
    """Of the definition; None if it is not there."""
    message_state: str
    message_text: str


@dataclass(frozen=True)
class RunDetail:
    run: JourneyRun
    journey: Journey
    definition: Definition
    contact_name: str
    steps: Sequence[StepSummary]


def list_runs(
    journey_id: str = "",
    *,
    state: str = "",
    contact_id: str = "",
    test: bool | None = None,
    after: str | None,
    limit: int,
) -> list[RunSummary]:
    """Newest first; with `test`, only those of this mode."""
    tenant_id = current_tenant_id()
    query = (
        select(JourneyRun)
        .where(JourneyRun.tenant_id == tenant_id)
        .order_by(JourneyRun.id.desc())
        .limit(limit)
    )
    if journey_id:
        query = query.where(JourneyRun.journey_id == journey_id)
    if contact_id:
        query = query.where(JourneyRun.contact_id == contact_id)
    if state:
        query = query.where(JourneyRun.state == state)
    if test is not None:
        query = query.where(JourneyRun.test == test)
    if after:
        query = query.where(JourneyRun.id < after)
    found = list(db.session.scalars(query))
    ids = {run.contact_id for run in found}
    rows = db.session.execute(
        select(Contact.id, Contact.name).where(Contact.tenant_id == tenant_id, Contact.id.in_(ids))
    )
    names = {row.id: row.name for row in rows}
    return [RunSummary(run, names.get(run.contact_id, "")) for run in found]


def get_run(run_id: str) -> JourneyRun:
    try:
        known = canonical_id("jrn", run_id)
    except BadId:
        raise NotFound() from None
    run = db.session.get(JourneyRun, (current_tenant_id(), known))
    if run is None:
        raise NotFound()
    return run


def run_detail(run_id: str) -> RunDetail:
    run, tenant_id = get_run(run_id), current_tenant_id()
    journey = db.session.get(Journey, (tenant_id, run.journey_id))
    if journey is None:
        raise NotFound()
    definition = version_of_run(run)
    rows = db.session.scalars(
        select(JourneyRunStep)
        .where(JourneyRunStep.tenant_id == tenant_id, JourneyRunStep.run_id == run.id)
        .order_by(JourneyRunStep.visit)
    ).all()
    message_ids = [row.message_id for row in rows if row.message_id]
    messages = {
        row.id: row
        for row in db.session.execute(
            select(Message.id, Message.state, Message.text).where(
                Message.tenant_id == tenant_id, Message.id.in_(message_ids)
            )
        )
    }
    try:
        name = contact_cards.get(run.contact_id).title
    except NotFound:
        name = ""
    steps = []
    for row in rows:
        message = messages.get(row.message_id or "")
        state, text = (message.state, message.text) if message is not None else ("", "")
        steps.append(StepSummary(row, definition.get(row.step), state, text))
    return RunDetail(run, journey, definition, name, steps)


def stop_run(run_id: str, because: str) -> JourneyRun:
    """Stop a run. One that has ended stays as it is."""
    run = runs.locked_run(get_run(run_id).id)
    if run is None:
        raise NotFound()
    runs.stop(run, because)
    return run


def count_by_state(journey_ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """Runs of the last 30 days by journey and state, without those of test mode."""
    rows = db.session.execute(
        select(JourneyRun.journey_id, JourneyRun.state, func.count())
        .where(
            JourneyRun.tenant_id == current_tenant_id(),
            JourneyRun.journey_id.in_(journey_ids),
            JourneyRun.test.is_(False),
            JourneyRun.started_at >= now() - timedelta(days=30),
        )
        .group_by(JourneyRun.journey_id, JourneyRun.state)
    )
    found: dict[str, dict[str, int]] = {}
    for journey_id, state, count in rows:
        found.setdefault(journey_id, {})[state] = count
    return found


def delete_old_runs() -> int:
    deleted = db.session.execute(
        delete(JourneyRun)
        .where(
            JourneyRun.tenant_id == current_tenant_id(),
            JourneyRun.state != "running",
            JourneyRun.ended_at < now() - RUN_RETENTION,
        )
        .returning(JourneyRun.id)
    ).all()
    return len(deleted)
