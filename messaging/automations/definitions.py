"""A tenant's automations: create, change, preview, and list their runs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound, invalid
from core.ids import new_id
from core.values.phone import normalize_phone
from messaging.automations import connections as store_connections
from messaging.automations import runs as automation_runs
from messaging.automations import store_events
from messaging.automations.conditions import checked_conditions
from messaging.automations.recipes import RECIPES
from messaging.inbox.composed import ComposedCard, stored_card
from messaging.lines import repository as line_repository
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages.accept import MessageDraft
from messaging.models import Automation, AutomationRun, Message, StoreEvent
from messaging.templates.components import check_template_name
from messaging.templates.placeholders import check_placeholders, clean_text
from tenants import accounts, audit
from tenants.people import clean_name

LONGEST_DELAY = 30 * 24 * 60
MOST_PARAMETERS = 20
RUN_RETENTION = timedelta(days=180)


@dataclass(frozen=True)
class AutomationInput:
    """An automation from a form."""

    name: str
    text: str = ""
    template: dict[str, Any] = field(default_factory=dict)
    delay_minutes: int = 0
    conditions: dict[str, Any] = field(default_factory=dict)
    connection_id: str | None = None
    line_id: int | None = None
    to_phone: str = ""
    card: ComposedCard | None = None


@dataclass(frozen=True)
class AutomationPreview:
    """The message for the last real event; empty if there is no event yet."""

    event: StoreEvent | None
    draft: MessageDraft | None
    missing: tuple[str, ...]


@dataclass(frozen=True)
class RunSummary:
    run: AutomationRun
    event: StoreEvent | None
    message_state: str


def list_automations() -> list[Automation]:
    """List in the order of the recipes, then by age."""
    order = {code: at for at, code in enumerate(RECIPES)}
    found = db.session.scalars(
        select(Automation).where(
            Automation.tenant_id == current_tenant_id(), Automation.removed_at.is_(None)
        )
    )
    return sorted(found, key=lambda one: (order.get(one.recipe, 99), one.created_at, one.id))


def automation_names() -> dict[str, str]:
    """Return the names of all automations, also removed ones, for lists of runs."""
    rows = db.session.execute(
        select(Automation.id, Automation.name).where(Automation.tenant_id == current_tenant_id())
    )
    return {row.id: row.name for row in rows}


def automation_page(after: str | None, limit: int) -> list[Automation]:
    """Return one page for the API, newest first."""
    query = (
        select(Automation)
        .where(Automation.tenant_id == current_tenant_id(), Automation.removed_at.is_(None))
        .order_by(Automation.id.desc())
        .limit(limit)
    )
    if after:
        query = query.where(Automation.id < after)
    return list(db.session.scalars(query))


def get(automation_id: str) -> Automation:
    found = db.session.get(Automation, (current_tenant_id(), automation_id))
    if found is None or found.removed_at is not None:
        raise NotFound()
    return found


def unsaved_automation(recipe: str) -> Automation:
    """Return a recipe's automation with its default values; it is not stored."""
    if recipe not in RECIPES:
        raise NotFound()
    ready = RECIPES[recipe]
    account = accounts.account()
    return Automation(
        tenant_id=current_tenant_id(),
        id=new_id("aut"),
        recipe=recipe,
        name=recipe,
        enabled=True,
        connection_id=None,
        line_id=None,
        conditions=dict(ready.conditions),
        delay_minutes=ready.delay_minutes,
        to_phone="",
        text=ready.text(account.locale),
        template={},
        card={},
    )


def add(recipe: str, name: str, to_phone: str = "") -> Automation:
    """Create an automation from a recipe."""
    automation = unsaved_automation(recipe)
    automation.name = clean_name(name)
    automation.to_phone = _own_phone(to_phone) if RECIPES[recipe].to_owner else ""
    db.session.add(automation)
    audit.record("automations.added", automation.name, recipe=recipe)
    return automation


def change(automation_id: str, values: AutomationInput) -> Automation:
    automation = get(automation_id)
    before = audit.snapshot(automation)
    write_input(automation, values)
    automation.changed_at = now()
    audit.record_change("automations.changed", automation.name, before, automation)
    return automation


def write_input(automation: Automation, values: AutomationInput) -> None:
    """Check the input, then write it; also used for an unsaved preview."""
    recipe = RECIPES[automation.recipe]
    template = _template(values.template)
    text = "" if template else _text(values.text)
    card = None if template else values.card
    address = card.link_url if card is not None else ""
    check_placeholders([text, address, *template.get("parameters", [])], recipe.trigger)
    delay = values.delay_minutes
    if not recipe.shortest_delay <= delay <= LONGEST_DELAY:
        raise invalid(
            "delay",
            "invalid_delay",
            "The delay must be between {least} minutes and 30 days.",
            least=recipe.shortest_delay,
        )
    automation.to_phone = _own_phone(values.to_phone) if recipe.to_owner else ""
    automation.conditions = checked_conditions(values.conditions, recipe.trigger)
    automation.connection_id = _connection(values.connection_id)
    automation.line_id = _line(values.line_id, bool(template))
    automation.name, automation.delay_minutes = clean_name(values.name), delay
    automation.text, automation.template = text, template
    automation.card = stored_card(card, text)


def set_enabled(automation_id: str, enabled: bool) -> Automation:
    automation = get(automation_id)
    if automation.enabled != enabled:
        automation.enabled, automation.changed_at = enabled, now()
        act = "automations.enabled" if enabled else "automations.disabled"
        audit.record(act, automation.name)
    return automation


def remove(automation_id: str) -> None:
    """Remove an automation. Its runs stay listed; waiting ones are cancelled when they are due."""
    automation = get(automation_id)
    automation.removed_at, automation.enabled = now(), False
    audit.record("automations.removed", automation.name)


def preview_automation(automation: Automation) -> AutomationPreview:
    trigger = RECIPES[automation.recipe].trigger
    kinds = ("checkout.created", "checkout.updated") if trigger.startswith("check") else (trigger,)
    event = store_events.last_event(kinds, automation.connection_id)
    if event is None:
        return AutomationPreview(None, None, ())
    draft, missing = automation_runs.compose_message(automation, event)
    return AutomationPreview(event, draft, missing)


def list_runs(
    automation_id: str, after: str | None, limit: int, state: str = ""
) -> list[RunSummary]:
    """List runs, newest first, each with its event and the state of its message."""
    query = (
        select(AutomationRun)
        .where(
            AutomationRun.tenant_id == current_tenant_id(),
            AutomationRun.automation_id == automation_id,
        )
        .order_by(AutomationRun.id.desc())
        .limit(limit)
    )
    if state:
        query = query.where(AutomationRun.state == state)
    if after:
        query = query.where(AutomationRun.id < after)
    return _run_summaries(list(db.session.scalars(query)))


def runs_of_events(event_ids: Sequence[str]) -> list[AutomationRun]:
    """Return the runs that these events started."""
    return list(
        db.session.scalars(
            select(AutomationRun)
            .where(
                AutomationRun.tenant_id == current_tenant_id(),
                AutomationRun.event_id.in_(event_ids),
            )
            .order_by(AutomationRun.id)
        )
    )


def last_run(automation_id: str) -> datetime | None:
    return db.session.scalar(
        select(AutomationRun.created_at)
        .where(
            AutomationRun.tenant_id == current_tenant_id(),
            AutomationRun.automation_id == automation_id,
        )
        .order_by(AutomationRun.id.desc())
        .limit(1)
    )


def delete_old_runs() -> int:
    """Delete ended runs and events older than RUN_RETENTION. Returns how many runs."""
    tenant_id, before = current_tenant_id(), now() - RUN_RETENTION
    deleted = db.session.execute(
        delete(AutomationRun)
        .where(
            AutomationRun.tenant_id == tenant_id,
            AutomationRun.ended_at < before,
            AutomationRun.due_at.is_(None),
        )
        .returning(AutomationRun.id)
    ).all()
    db.session.execute(
        delete(StoreEvent).where(StoreEvent.tenant_id == tenant_id, StoreEvent.at < before)
    )
    return len(deleted)


def _run_summaries(found: list[AutomationRun]) -> list[RunSummary]:
    tenant_id = current_tenant_id()
    events = {
        one.id: one
        for one in db.session.scalars(
            select(StoreEvent).where(
                StoreEvent.tenant_id == tenant_id,
                StoreEvent.id.in_([run.event_id for run in found]),
            )
        )
    }
    message_ids = [run.message_id for run in found if run.message_id]
    rows = db.session.execute(
        select(Message.id, Message.state).where(
            Message.tenant_id == tenant_id, Message.id.in_(message_ids)
        )
    )
    states = {row.id: row.state for row in rows}
    return [
        RunSummary(run, events.get(run.event_id), states.get(run.message_id or "", ""))
        for run in found
    ]


def _text(written: str) -> str:
    text = clean_text(written)
    if not text:
        raise invalid("text", "empty_text", "Fill in this field.")
    return text


def _template(given: dict[str, Any]) -> dict[str, Any]:
    name, language = str(given.get("name") or "").strip(), str(given.get("language") or "").strip()
    if not name:
        return {}
    check_template_name(name, language, "template_name", "template_language")
    parameters = [_text(one) for one in given.get("parameters", []) if str(one).strip()]
    if len(parameters) > MOST_PARAMETERS:
        raise invalid("parameters", "too_many", "A template can have at most 20 values.")
    return {"name": name, "language": language, "parameters": parameters}


def _own_phone(written: str) -> str:
    if not written.strip():
        raise invalid("to_phone", "invalid_phone", "Enter the phone number to notify.")
    phone = normalize_phone(written, accounts.account().country or None)
    if phone is None:
        raise invalid(
            "to_phone",
            "invalid_phone",
            "This is not a valid phone number. Enter it with its country code, "
            "such as 905321112233.",
        )
    return phone


def _connection(connection_id: str | None) -> str | None:
    return store_connections.get(connection_id).id if connection_id else None


def _line(line_id: int | None, template: bool) -> int | None:
    line = line_repository.get(line_id) if line_id else line_repository.default_line(test=False)
    if template and line is not None and not DRIVERS[line.kind].has_templates:
        raise invalid(
            "line_id", "not_cloud", "Templates can only be sent from a WhatsApp Cloud API line."
        )
    return line.id if line_id and line is not None else None
