"""Run automations: an event starts runs, and a run sends one message or records why not.

If an order arrives while its reminder is being sent, the lock on the run's row decides: the second
transaction sees what the first one did. A reminder that is accepted but not sent is cancelled; one
that is already with the network is not.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, text, update

from core.clock import now
from core.db import current_tenant_id, db, notify_workers, savepoint
from core.errors import Conflict, DomainError
from core.ids import from_uuid, new_uuid, to_uuid
from core.queue import lanes
from core.values.reasons import encode_error
from messaging.automations import form_limits, reasons, store_events
from messaging.automations import recipients as automation_recipients
from messaging.automations.conditions import unmet_condition
from messaging.automations.reasons import with_detail
from messaging.automations.recipes import (
    BUTTON_TAPPED,
    RECIPES,
    TRIGGERS_BY_EVENT,
    Recipe,
    recipes_started_by,
)
from messaging.inbox import composed
from messaging.lines import repository as line_repository
from messaging.messages import accept as message_accept
from messaging.messages import queries as message_queries
from messaging.messages.accept import BULK, TRANSACTIONAL, MessageDraft
from messaging.models import Automation, AutomationRun, Connection, StoreEvent
from messaging.templates.placeholders import event_values, fill_placeholders
from tenants import accounts
from tenants.plans.catalog import current_tenant_facts

LANE = "automations"
TRIES = 5
BACK_OFF = (10, 60, 300, 900)

INSERT_RUN = text("""
INSERT INTO automation_runs (tenant_id, id, automation_id, connection_id, event_id, subject,
                             cause, state, because, phone, tries, due_at, created_at)
VALUES (:tenant_id, :id, :automation_id, :connection_id, :event_id, :subject, :cause, 'waiting',
        '', '', 0, :due_at, :now)
ON CONFLICT (tenant_id, automation_id, connection_id, cause) DO UPDATE
   SET event_id = EXCLUDED.event_id, state = 'waiting', because = '', tries = 0,
       due_at = EXCLUDED.due_at, ended_at = NULL
 WHERE automation_runs.state = 'skipped'
    OR (automation_runs.state = 'waiting' AND :moves)
RETURNING id
""")
REOPEN_RUN = text("""
UPDATE automation_runs SET event_id = :event_id, state = 'waiting', because = '', tries = 0,
       due_at = :due_at, ended_at = NULL
 WHERE tenant_id = :tenant_id AND connection_id = :connection_id AND subject = :subject
   AND state = 'skipped' AND automation_id = ANY(CAST(:automation_ids AS uuid[]))
RETURNING id
""")
CLAIM_RUNS = text("""
SELECT id FROM automation_runs
 WHERE tenant_id = :tenant_id AND due_at <= :now AND state = 'waiting'
 ORDER BY due_at LIMIT :most FOR UPDATE SKIP LOCKED
""")
# Waits for a worker that holds the run, and then reads its result.
LOCK_RUNS = text("""
SELECT id, state, message_id FROM automation_runs
 WHERE tenant_id = :tenant_id AND connection_id = :connection_id
   AND subject = ANY(CAST(:subjects AS text[]))
   AND automation_id = ANY(CAST(:automation_ids AS uuid[]))
   AND state IN ('waiting', 'sent')
 ORDER BY id FOR UPDATE
""")


@dataclass(frozen=True)
class RunOutcome:
    state: str
    because: str = ""
    phone: str = ""
    message_id: str | None = None


def start_runs(event: StoreEvent) -> int:
    """Handle a new event: cancel runs that it makes outdated, and start new ones.

    Returns how many runs were started.
    """
    cancel_outdated_runs(event)
    trigger = TRIGGERS_BY_EVENT.get(event.kind)
    moment, started = now(), 0
    if event.kind == "order.updated":
        return _reopen_skipped_runs(event, moment)
    if trigger is None or event.data.get("over"):
        return 0
    for automation in _enabled_automations(trigger, event.connection_id):
        if trigger == BUTTON_TAPPED and unmet_condition(automation.conditions, event):
            continue
        due_at = moment + timedelta(minutes=automation.delay_minutes)
        row = db.session.execute(
            INSERT_RUN,
            {
                "tenant_id": current_tenant_id(),
                "id": str(new_uuid()),
                "automation_id": str(to_uuid("aut", automation.id)),
                "connection_id": str(to_uuid("cnx", event.connection_id)),
                "event_id": str(to_uuid("sev", event.id)),
                "subject": event.subject,
                "cause": event.cause,
                "due_at": due_at,
                "now": moment,
                # A cart that is still being filled is not abandoned yet.
                "moves": trigger == "checkout.created",
            },
        ).first()
        if row is not None:
            started += 1
            _wake_at(due_at)
    return started


def matches_any(event: StoreEvent) -> bool:
    """Whether a tap is one that an automation waits for."""
    return any(
        not unmet_condition(automation.conditions, event)
        for automation in _enabled_automations(event.kind, event.connection_id)
    )


def cancel_outdated_runs(event: StoreEvent) -> int:
    """Cancel what has not been sent, such as the reminder of a cart that was bought."""
    if event.kind == "order.cancelled":
        later = ("order.created", "order.fulfilled")
        return _cancel_runs(
            event.connection_id, [event.subject], later, reasons.CANCELLED_BEFORE_SENDING
        )
    if event.kind == "order.created":
        subjects = store_events.checkouts_of(event)
    elif event.data.get("over"):
        subjects = [event.subject]
    else:
        return 0
    return _cancel_runs(
        event.connection_id, subjects, ("checkout.created",), reasons.ORDERED_BEFORE_REMINDER
    )


def claim_runs(most: int) -> list[str]:
    """Claim due runs and return their ids. Their rows stay locked until the transaction ends."""
    params = {"tenant_id": current_tenant_id(), "now": now(), "most": most}
    return [from_uuid("run", row.id) for row in db.session.execute(CLAIM_RUNS, params)]


def execute_run(run_id: str) -> RunOutcome:
    """Send the message or record why not, in the transaction that claimed the run."""
    run = db.session.get(AutomationRun, (current_tenant_id(), run_id))
    if run is None:
        raise RuntimeError("a claimed run is gone")
    try:
        # A refusal may come after the message was written, because the quota is counted last.
        with savepoint():
            outcome = _outcome(run)
    except DomainError as error:
        outcome = RunOutcome("failed", encode_error(error))
    _settle(run, outcome)
    return outcome


def retry_run(run_id: str, error: str) -> None:
    """Retry a run after a temporary error; after TRIES attempts it fails."""
    run = db.session.get(AutomationRun, (current_tenant_id(), run_id))
    if run is None or run.state != "waiting":
        return
    run.tries += 1
    if run.tries >= TRIES:
        _settle(run, RunOutcome("failed", with_detail(reasons.INTERNAL_ERROR, error)))
    else:
        run.due_at = now() + timedelta(seconds=BACK_OFF[run.tries - 1])


def next_due() -> datetime | None:
    return db.session.scalar(
        select(func.min(AutomationRun.due_at)).where(
            AutomationRun.tenant_id == current_tenant_id(), AutomationRun.due_at.is_not(None)
        )
    )


def compose_message(
    automation: Automation, event: StoreEvent
) -> tuple[MessageDraft, tuple[str, ...]]:
    """Return the message for this event, and the placeholders that had no value."""
    recipe, facts = RECIPES[automation.recipe], current_tenant_facts()
    values = event_values(event.data, event.phone, facts.name, accounts.account().locale)
    if _is_form_reply(recipe):
        values = form_limits.sanitized_values(values)
    blank = MessageDraft(
        "text",
        automation.to_phone if recipe.to_owner else event.phone,
        reference=event.subject[:64],
        priority=BULK if recipe.marketing else TRANSACTIONAL,
    )
    if not automation.template:
        filled = fill_placeholders(automation.text, values)
        card = composed.read_json(automation.card)
        missing = filled.missing
        if card is not None:
            address = fill_placeholders(card.link_url, values)
            card = replace(card, link_url=address.text)
            missing = tuple(dict.fromkeys((*missing, *address.missing)))
        kind, text, content = composed.message_of(card, filled.text)
        return replace(blank, kind=kind, text=text, content=content), missing
    parts = [fill_placeholders(one, values) for one in automation.template.get("parameters", [])]
    content = {
        "name": automation.template["name"],
        "language": automation.template["language"],
        "parameters": [one.text or "–" for one in parts],
    }
    category = "marketing" if recipe.marketing else "utility"
    missing = tuple(dict.fromkeys(name for one in parts for name in one.missing))
    return replace(blank, kind="template", content=content, category=category), missing


def _outcome(run: AutomationRun) -> RunOutcome:
    tenant_id = current_tenant_id()
    automation = db.session.get(Automation, (tenant_id, run.automation_id))
    event = db.session.get(StoreEvent, (tenant_id, run.event_id))
    if automation is None or event is None or not automation.enabled or automation.removed_at:
        return RunOutcome("cancelled", reasons.SWITCHED_OFF)
    shop = db.session.get(Connection, (tenant_id, run.connection_id))
    if shop is None or shop.removed_at is not None:
        return RunOutcome("cancelled", reasons.DISCONNECTED)
    recipe = RECIPES[automation.recipe]
    if recipe.trigger == "checkout.created" and store_events.has_order(event):
        return RunOutcome("cancelled", reasons.ORDERED_BEFORE_REMINDER)
    if why := unmet_condition(automation.conditions, event):
        return RunOutcome("skipped", why)
    if recipe.to_owner and not automation.to_phone:
        return RunOutcome("skipped", reasons.NO_OWNER_PHONE)
    # A tap is answered on the line that it came to.
    line_id = event.data.get("line_id") if recipe.trigger == BUTTON_TAPPED else automation.line_id
    address = event.phone
    if not recipe.to_owner and not address:
        address, why = automation_recipients.contact_address(event, line_id)
        if not address:
            return RunOutcome("skipped", why)
    if why := automation_recipients.marketing_obstacle(recipe, address):
        return RunOutcome("skipped", why, address)
    if _is_form_reply(recipe) and (why := form_limits.exceeded_limit(automation, run, address)):
        return RunOutcome("skipped", why, address)
    draft, _ = compose_message(automation, event)
    if not recipe.to_owner:
        draft = replace(draft, phone=address)
    if draft.kind == "text" and not draft.text:
        return RunOutcome("skipped", reasons.EMPTY_MESSAGE, draft.phone)
    line = line_repository.route_for(line_id, test=False, allowed=None)
    accepted = message_accept.accept_message(draft, line, current_tenant_facts())
    return RunOutcome("sent", "", draft.phone, accepted.id)


def _is_form_reply(recipe: Recipe) -> bool:
    """Anyone may fill in a form, with anyone's phone."""
    return recipe.trigger == "form.submitted" and not recipe.to_owner


def _settle(run: AutomationRun, outcome: RunOutcome) -> None:
    run.state, run.because = outcome.state, outcome.because
    run.phone, run.message_id = outcome.phone, outcome.message_id
    run.due_at, run.ended_at = None, now()
    db.session.flush()


def _cancel_runs(
    connection_id: str, subjects: list[str], triggers: tuple[str, ...], because: str
) -> int:
    automation_ids = [
        str(to_uuid("aut", one))
        for trigger in triggers
        for one in _automations_with_trigger(trigger)
    ]
    rows = db.session.execute(
        LOCK_RUNS,
        {
            "tenant_id": current_tenant_id(),
            "connection_id": str(to_uuid("cnx", connection_id)),
            "subjects": subjects,
            "automation_ids": automation_ids,
        },
    ).all()
    return sum(_cancel_run(row, because) for row in rows)


def _cancel_run(row: Any, because: str) -> bool:
    was_sent = row.state == "sent"
    if was_sent and (
        row.message_id is None or not _cancel_message(from_uuid("msg", row.message_id))
    ):
        return False
    db.session.execute(
        update(AutomationRun)
        .where(
            AutomationRun.tenant_id == current_tenant_id(),
            AutomationRun.id == from_uuid("run", row.id),
        )
        .values(state="cancelled", because=because, due_at=None, ended_at=now())
    )
    return True


def _cancel_message(message_id: str) -> bool:
    """Return True if it was cancelled, which is possible until it is sent."""
    try:
        message_queries.cancel_message(message_id)
    except Conflict:
        return False
    return True


def _reopen_skipped_runs(event: StoreEvent, moment: datetime) -> int:
    """Retry skipped runs of an order that was changed, because their conditions may hold now."""
    automation_ids = [
        str(to_uuid("aut", one)) for one in _automations_with_trigger("order.created")
    ]
    rows = db.session.execute(
        REOPEN_RUN,
        {
            "tenant_id": current_tenant_id(),
            "connection_id": str(to_uuid("cnx", event.connection_id)),
            "event_id": str(to_uuid("sev", event.id)),
            "subject": event.subject,
            "automation_ids": automation_ids,
            "due_at": moment,
        },
    ).all()
    if rows:
        _wake_at(moment)
    return len(rows)


def _enabled_automations(trigger: str, connection_id: str) -> list[Automation]:
    return list(
        db.session.scalars(
            select(Automation).where(
                Automation.tenant_id == current_tenant_id(),
                Automation.recipe.in_(recipes_started_by(trigger)),
                Automation.enabled,
                Automation.removed_at.is_(None),
                (Automation.connection_id.is_(None)) | (Automation.connection_id == connection_id),
            )
        )
    )


def _automations_with_trigger(trigger: str) -> list[str]:
    return list(
        db.session.scalars(
            select(Automation.id).where(
                Automation.tenant_id == current_tenant_id(),
                Automation.recipe.in_(recipes_started_by(trigger)),
            )
        )
    )


def _wake_at(due_at: datetime) -> None:
    if lanes.mark_next(LANE, current_tenant_id(), due_at):
        notify_workers("jobs.automations.drain")
