"""Journeys that begin on a contact's date: a birthday, or some days after the last order.

Each day they are started once, at their hour in the account's time zone.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, text

from core.clock import now, zone
from core.db import current_tenant_id, db
from core.errors import DomainError
from core.ids import from_uuid, to_uuid
from messaging.automations import store_orders
from messaging.journeys import ports, repository, runs
from messaging.journeys.definition import When
from messaging.journeys.runs import NewRun
from messaging.lines import repository as line_repository
from messaging.models import Journey
from tenants import accounts

BATCH = 500

FIND_CONTACTS = text("""
SELECT contacts.id FROM contacts
 WHERE contacts.tenant_id = :tenant_id AND contacts.opted_out_at IS NULL
   AND contacts.blocked_at IS NULL
   AND (contacts.birthday = ANY(CAST(:birthdays AS smallint[]))
        OR contacts.id = ANY(CAST(:ids AS uuid[])))
   AND NOT EXISTS (
       SELECT FROM journey_runs
        WHERE journey_runs.tenant_id = :tenant_id AND journey_runs.journey_id = :journey_id
          AND journey_runs.contact_id = contacts.id
          AND (journey_runs.state = 'running' OR journey_runs.started_at >= :today))
 ORDER BY contacts.id LIMIT :most
""")


def start_due() -> int:
    """Start the next batch of runs whose date is today. Returns how many; 0: nothing is due."""
    moment = _local_now()
    for row in _journeys():
        journey = repository.live_journey(row.id)
        if not _is_due(row, journey.definition.when, moment):
            continue
        contact_ids = _contacts(row.id, journey.definition.when, moment)
        try:
            line_id = line_repository.route_for(
                journey.definition.line_id, test=False, allowed=None
            ).id
        except DomainError:
            contact_ids, line_id = [], 0
        for contact_id in contact_ids:
            cause = f"date:{contact_id}:{moment.date().isoformat()}"
            runs.start_later(journey, NewRun(contact_id, line_id, cause, {}))
        if len(contact_ids) < BATCH:
            row.dates_run_on = moment.date().isoformat()
            db.session.flush()
        return len(contact_ids) or 1
    return 0


def next_check() -> datetime | None:
    """When a journey with a date is to be looked at next; None: there is none."""
    moment, found = _local_now(), []
    for row in _journeys():
        when = repository.live_journey(row.id).definition.when
        at = moment.replace(hour=when.hour, minute=0, second=0, microsecond=0)
        if row.dates_run_on >= moment.date().isoformat():
            at += timedelta(days=1)
        found.append(at)
    return min(found, default=None)


def _journeys() -> list[Journey]:
    return list(
        db.session.scalars(
            select(Journey)
            .where(
                Journey.tenant_id == current_tenant_id(),
                Journey.live,
                Journey.removed_at.is_(None),
                Journey.trigger == "date",
            )
            .order_by(Journey.id)
        )
    )


def _is_due(row: Journey, when: When, moment: datetime) -> bool:
    return row.dates_run_on < moment.date().isoformat() and moment.hour >= when.hour


def _contacts(journey_id: str, when: When, moment: datetime) -> list[str]:
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    day = midnight - timedelta(days=when.days)
    birthday = when.date == "birthday"
    ids = [] if birthday else _ordered_last_on(day)
    params: dict[str, Any] = {
        "tenant_id": current_tenant_id(),
        "journey_id": str(to_uuid("jny", journey_id)),
        "birthdays": _birthdays(day) if birthday else [],
        "ids": [str(to_uuid("con", one)) for one in ids],
        "today": midnight,
        "most": BATCH,
    }
    return [from_uuid("con", row.id) for row in db.session.execute(FIND_CONTACTS, params)]


def _birthdays(day: datetime) -> list[int]:
    """29 February counts as the 28th in other years."""
    days = [day.month * 100 + day.day]
    if days == [228] and (day + timedelta(days=1)).day == 1:
        days.append(229)
    return days


def _ordered_last_on(day: datetime) -> list[str]:
    """The contacts whose last order, at the restaurant or in a store, was placed on this day."""
    next_day, source = day + timedelta(days=1), ports.orders()
    found = store_orders.contacts_between(day, next_day)
    if source is not None:
        found |= source.contacts_between(day, next_day)
    listed = sorted(found)
    again = store_orders.contacts_since(listed, next_day) if listed else set()
    if source is not None and listed:
        again |= source.contacts_since(listed, next_day)
    return [one for one in listed if one not in again]


def _local_now() -> datetime:
    return now().astimezone(zone(accounts.account().time_zone))
