"""Runs of contacts: start, answer, continue after a waiting time.

One transaction locks the run, carries out its steps, accepts their messages and writes where the
run is. If it is killed, nothing of it has happened; if it commits, all of it has. The key of
`journey_run_steps` makes a visit impossible a second time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, text

from core import chaos
from core.clock import now, zone
from core.db import current_tenant_id, db, notify_workers, savepoint
from core.errors import DomainError
from core.ids import from_uuid, new_uuid, to_uuid
from core.queue import lanes
from core.values.reasons import encode_error
from messaging.journeys import effects, engine, reasons, repository
from messaging.journeys.definition import Definition, needs_menu, needs_orders
from messaging.journeys.engine import CALL, CALLING, FAILED, RUNNING, RunState, Visit
from messaging.journeys.repository import LiveJourney
from messaging.journeys.stops import publish_run_event
from messaging.models import JourneyRun, JourneyRunStep
from tenants import accounts

LANE = repository.LANE
TRIES = 5
BACK_OFF = (10, 60, 300, 900)
CALL_SECONDS = 60
"""A worker that has not written the response by then is dead; the call is not repeated."""

INSERT_RUN = text("""
INSERT INTO journey_runs (tenant_id, id, journey_id, version, contact_id, line_id, test, cause,
                          state, because, step, visit, waits, repeats, values, tries, due_at,
                          started_at, changed_at)
VALUES (:tenant_id, :id, :journey_id, :version, :contact_id, :line_id, :test, :cause,
        'running', '', :step, 0, '', 0, CAST(:values AS jsonb), 0, :due_at, :now, :now)
ON CONFLICT DO NOTHING RETURNING id
""")
CLAIM_DUE = text("""
SELECT id FROM journey_runs
 WHERE tenant_id = :tenant_id AND due_at <= :now AND state = 'running'
 ORDER BY due_at LIMIT :most FOR UPDATE SKIP LOCKED
""")


@dataclass(frozen=True)
class NewRun:
    """What a trigger gives. `test`: the line is the test line."""

    contact_id: str
    line_id: int
    cause: str
    values: Mapping[str, str]
    test: bool = False


def insert_run(journey: LiveJourney, new: NewRun) -> str | None:
    """Store a run. None: this cause has started one before, or the contact is in the journey."""
    moment = now()
    row = db.session.execute(
        INSERT_RUN,
        {
            "tenant_id": current_tenant_id(),
            "id": str(new_uuid()),
            "journey_id": str(to_uuid("jny", journey.id)),
            "version": journey.version,
            "contact_id": str(to_uuid("con", new.contact_id)),
            "line_id": new.line_id,
            "test": new.test,
            "cause": new.cause[:200],
            "step": journey.definition.steps[0].id,
            "values": effects.json_text(dict(new.values)),
            "due_at": moment,
            "now": moment,
        },
    ).first()
    if row is None:
        return None
    run_id = from_uuid("jrn", row.id)
    publish_run_event(
        "started",
        run_id=run_id,
        journey_id=journey.id,
        version=journey.version,
        contact_id=new.contact_id,
        line_id=new.line_id,
        test=new.test,
    )
    return run_id


def start_later(journey: LiveJourney, new: NewRun) -> str | None:
    """A worker carries out the first step."""
    run_id = insert_run(journey, new)
    if run_id is not None:
        wake_at(now())
    return run_id


def start_now(journey: LiveJourney, new: NewRun) -> str | None:
    """Carry out the first steps in the open transaction: the customer is waiting."""
    run_id = insert_run(journey, new)
    if run_id is not None:
        run = _locked(run_id)
        if run is not None and not _ended_with_journey(run):
            _advance_safely(run, journey.definition, None)
    return run_id


def waiting_for_reply(run_id: str) -> JourneyRun | None:
    """The run, locked; None if it does not wait for an answer any more."""
    run = _locked(run_id)
    waits = run is not None and run.state == RUNNING and run.waits == engine.REPLY
    return run if waits else None


def take_reply(run: JourneyRun, reply: engine.Reply) -> bool:
    """Carry out what follows from the customer's message, in the transaction that stored it.

    False: the journey was paused or deleted, so the message is for the team.
    """
    if _ended_with_journey(run):
        return False
    definition = repository.version_of_run(run)
    step = _last_step(run)
    if step is not None:
        step.answer = (reply.text or reply.kind)[: engine.LONGEST_ANSWER]
    _advance_safely(run, definition, reply)
    return True


def claim_due(most: int) -> list[str]:
    """Due runs. Their rows stay locked until the transaction ends."""
    params = {"tenant_id": current_tenant_id(), "now": now(), "most": most}
    return [from_uuid("jrn", row.id) for row in db.session.execute(CLAIM_DUE, params)]


def continue_run(run_id: str) -> str | None:
    """Carry out what is due. Returns the id if a call to another service is due: it is made
    outside of the transaction, which has then recorded that it is being made.
    """
    run = _locked(run_id)
    if run is None or run.state != RUNNING or _ended_with_journey(run):
        return None
    if run.waits == CALL:
        run.waits, run.due_at = CALLING, now() + timedelta(seconds=CALL_SECONDS)
        run.changed_at = now()
        db.session.flush()
        wake_at(run.due_at)
        return run.id
    definition = repository.version_of_run(run)
    if run.waits == CALLING:
        done = engine.CallDone(False, because=reasons.CALL_INTERRUPTED)
        settle_call(run, definition, done)
        return None
    chaos.fault_point("journey_claimed")
    _advance_safely(run, definition, engine.TimeOver() if run.waits else None)
    return None


def _ended_with_journey(run: JourneyRun) -> bool:
    """End the run if its journey was paused or deleted."""
    why = effects.obstacle(run)
    if why:
        _end(run, why)
    return bool(why)


def settle_call(run: JourneyRun, definition: Definition, done: engine.CallDone) -> None:
    if step := _last_step(run):
        step.note = "" if done.ok else done.because
        step.answer = done.text[: engine.LONGEST_ANSWER]
    _advance_safely(run, definition, done)


def called_run(run_id: str, visit: int) -> JourneyRun | None:
    """The run whose call has been made, locked; None if it ended or gave up meanwhile."""
    run = _locked(run_id)
    if run is None or run.state != RUNNING or run.waits != CALLING or run.visit != visit:
        return None
    return run


def retry_run(run_id: str) -> None:
    """After an unexpected error: again later, and after TRIES attempts the run fails."""
    run = _locked(run_id)
    if run is None or run.state != RUNNING:
        return
    run.tries += 1
    if run.tries >= TRIES:
        _end(run, reasons.INTERNAL_ERROR, FAILED)
    else:
        run.due_at = now() + timedelta(seconds=BACK_OFF[run.tries - 1])


def stop(run: JourneyRun, because: str) -> None:
    if run.state == RUNNING:
        _end(run, because)


def locked_run(run_id: str) -> JourneyRun | None:
    return _locked(run_id)


def next_due() -> datetime | None:
    return db.session.scalar(
        select(func.min(JourneyRun.due_at)).where(
            JourneyRun.tenant_id == current_tenant_id(), JourneyRun.due_at.is_not(None)
        )
    )


def wake_at(due_at: datetime) -> None:
    if lanes.mark_next(LANE, current_tenant_id(), due_at):
        notify_workers("jobs.journeys.drain")


def _locked(run_id: str) -> JourneyRun | None:
    return db.session.get(
        JourneyRun, (current_tenant_id(), run_id), with_for_update=True, populate_existing=True
    )


def _last_step(run: JourneyRun) -> JourneyRunStep | None:
    return db.session.get(JourneyRunStep, (current_tenant_id(), run.id, run.visit))


def _advance_safely(run: JourneyRun, definition: Definition, given: engine.Input) -> None:
    """A refusal (quota, closed window, blocked) undoes the steps since the last pause, and ends
    the run with its reason.
    """
    try:
        with savepoint():
            _advance(run, definition, given)
    except effects.CannotSend as error:
        db.session.refresh(run)
        _end(run, error.because, FAILED)
    except DomainError as error:
        db.session.refresh(run)
        _end(run, encode_error(error), FAILED)


def _advance(run: JourneyRun, definition: Definition, given: engine.Input) -> None:
    moment = now().astimezone(zone(accounts.account().time_zone))
    facts = effects.read_facts(
        run, moment, orders=needs_orders(definition), menu=needs_menu(definition)
    )
    state = RunState(
        run.step,
        run.visit,
        run.waits,
        run.due_at,
        {name: str(value) for name, value in run.values.items()},
        run.repeats,
    )
    visits = engine.advance(definition, state, given, facts.engine)
    for visit in visits:
        if run.test and isinstance(visit.effect, engine.ChangeTag):
            effects.keep_test_tag(state.values, visit.effect)
        _carry_out(run, visit, facts)
    _write(run, state)


def _carry_out(run: JourneyRun, visit: Visit, facts: effects.RunFacts) -> None:
    """Write the visit before its effect: its key refuses a second one."""
    row = JourneyRunStep(
        tenant_id=current_tenant_id(),
        run_id=run.id,
        visit=visit.number,
        step=visit.step_id,
        kind=visit.kind,
        note=visit.note,
        answer="",
        message_id=None,
        at=now(),
    )
    db.session.add(row)
    db.session.flush()
    row.message_id = effects.apply(run, visit, facts)
    chaos.fault_point("journey_accepted")


def _write(run: JourneyRun, state: RunState) -> None:
    run.step, run.visit, run.waits = state.step, state.visit, state.waits
    run.values, run.repeats, run.tries = dict(state.values), state.repeats, 0
    run.due_at, run.changed_at = state.until, now()
    if state.state != RUNNING:
        _end(run, state.because, state.state)
    db.session.flush()
    if run.due_at is not None:
        wake_at(run.due_at)


def _end(run: JourneyRun, because: str, how: str = engine.STOPPED) -> None:
    run.state, run.because, run.waits = how, because, ""
    run.due_at, run.ended_at, run.changed_at = None, now(), now()
    db.session.flush()
    publish_run_event(
        how,
        run_id=run.id,
        journey_id=run.journey_id,
        version=run.version,
        contact_id=run.contact_id,
        line_id=run.line_id,
        test=run.test,
        because=because,
    )
