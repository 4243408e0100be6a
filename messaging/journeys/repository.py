"""A tenant's journeys: create, change the draft, publish, pause, delete."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import bindparam, select

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, notify_workers
from core.errors import Conflict, NotFound, invalid
from core.ids import BadId, canonical_id, new_id
from core.queue import lanes
from messaging.journeys import reasons, stops, validation
from messaging.journeys.definition import Definition, read_definition, stored
from messaging.journeys.validation import Problem
from messaging.lines import repository as line_repository
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Journey, JourneyRun, JourneyVersion
from tenants import audit
from tenants.audit import current_actor
from tenants.people import clean_name

LANE = "journeys"
MOST_JOURNEYS = 200
DEFAULT_LINE_KIND = next(iter(DRIVERS))

LIVE = (
    select(Journey.id, Journey.version, JourneyVersion.definition)
    .join(
        JourneyVersion,
        (JourneyVersion.tenant_id == Journey.tenant_id)
        & (JourneyVersion.journey_id == Journey.id)
        & (JourneyVersion.version == Journey.version),
    )
    .where(
        Journey.tenant_id == THIS_TENANT,
        JourneyVersion.tenant_id == THIS_TENANT,
        Journey.live,
        Journey.removed_at.is_(None),
        Journey.trigger.in_(bindparam("triggers", expanding=True)),
    )
    .order_by(Journey.id)
)


@dataclass(frozen=True)
class LiveJourney:
    id: str
    version: int
    definition: Definition


def create(name: str, definition: Mapping[str, Any] | None = None) -> Journey:
    if len(list_journeys()) >= MOST_JOURNEYS:
        raise invalid("name", "too_many", "An account can have at most 200 journeys.")
    journey = Journey(
        tenant_id=current_tenant_id(),
        id=new_id("jny"),
        name=clean_name(name),
        draft=stored(read_definition(definition or {})),
        revision=1,
        version=0,
        published_revision=0,
        live=False,
        trigger="",
        dates_run_on="",
    )
    db.session.add(journey)
    db.session.flush()
    audit.record("journeys.added", journey.name, journey=journey.id)
    return journey


def list_journeys() -> list[Journey]:
    return list(
        db.session.scalars(
            select(Journey)
            .where(Journey.tenant_id == current_tenant_id(), Journey.removed_at.is_(None))
            .order_by(Journey.id)
        )
    )


def journey_page(after: str | None, limit: int) -> list[Journey]:
    """One page for the API, newest first."""
    query = (
        select(Journey)
        .where(Journey.tenant_id == current_tenant_id(), Journey.removed_at.is_(None))
        .order_by(Journey.id.desc())
        .limit(limit)
    )
    return list(db.session.scalars(query.where(Journey.id < after) if after else query))


def get(journey_id: str, *, lock: bool = False) -> Journey:
    try:
        known = canonical_id("jny", journey_id)
    except BadId:
        raise NotFound() from None
    found = db.session.get(
        Journey, (current_tenant_id(), known), with_for_update=lock, populate_existing=lock
    )
    if found is None or found.removed_at is not None:
        raise NotFound()
    return found


def draft_of(journey: Journey) -> Definition:
    return read_definition(journey.draft)


def change_draft(
    journey_id: str,
    definition: Mapping[str, Any] | Definition,
    *,
    name: str | None = None,
    revision: int | None = None,
) -> Journey:
    """Replace the draft. With `revision`: only if nobody has changed it since."""
    journey = get(journey_id, lock=True)
    if revision is not None and revision != journey.revision:
        raise Conflict(
            "draft_changed", "The journey was changed in the meantime. Reload it and try again."
        )
    read = definition if isinstance(definition, Definition) else read_definition(definition)
    draft, before, old_name = stored(read), audit.snapshot(journey), journey.name
    if name is not None:
        journey.name = clean_name(name)
    if draft == journey.draft and old_name == journey.name:
        return journey
    journey.draft, journey.revision, journey.changed_at = draft, journey.revision + 1, now()
    audit.record_change("journeys.changed", journey.name, before, journey, journey=journey.id)
    db.session.flush()
    return journey


def problems_of(definition: Definition) -> list[Problem]:
    return validation.find_problems(definition, line_kind(definition))


def line_kind(definition: Definition) -> str:
    """The kind of line whose limits count."""
    lines = {one.id: one for one in line_repository.list_routes()}
    chosen = lines.get(definition.line_id) if definition.line_id else None
    default = next((one for one in lines.values() if one.default and not one.test), None)
    found = chosen or default
    return found.kind if found is not None else DEFAULT_LINE_KIND


def publish(journey_id: str) -> Journey:
    """Publish the draft as a new version. Runs that have begun keep theirs. Raises Invalid."""
    journey = get(journey_id, lock=True)
    definition = draft_of(journey)
    if definition.line_id is not None:
        line_repository.get(definition.line_id)
    validation.check_publishable(definition, line_kind(definition))
    if journey.published_revision != journey.revision:
        journey.version += 1
        journey.published_revision = journey.revision
        db.session.add(
            JourneyVersion(
                tenant_id=current_tenant_id(),
                journey_id=journey.id,
                version=journey.version,
                definition=stored(definition),
                published_by=current_actor().name,
            )
        )
    journey.trigger, journey.live, journey.changed_at = definition.when.kind, True, now()
    if journey.trigger == "date":
        lanes.mark_due(LANE, current_tenant_id())
        notify_workers("jobs.journeys.drain")
    audit.record("journeys.published", journey.name, journey=journey.id, version=journey.version)
    db.session.flush()
    return journey


def set_live(journey_id: str, live: bool) -> Journey:
    """Pause or resume. A paused journey starts no new runs, and those that have begun end."""
    journey = get(journey_id, lock=True)
    if live and not journey.version:
        raise Conflict("not_published", "Publish the journey first.")
    if live and journey.trigger == "date":
        lanes.mark_due(LANE, current_tenant_id())
    if journey.live != live:
        journey.live, journey.changed_at = live, now()
        act = "journeys.resumed" if live else "journeys.paused"
        audit.record(act, journey.name, journey=journey.id)
        db.session.flush()
        if not live:
            stops.stop_journey(journey.id, reasons.JOURNEY_PAUSED)
    return journey


def remove(journey_id: str) -> None:
    """Delete a journey. Its runs stay listed in the contacts' history; running ones end."""
    journey = get(journey_id, lock=True)
    journey.removed_at, journey.live = now(), False
    audit.record("journeys.removed", journey.name, journey=journey.id)
    db.session.flush()
    stops.stop_journey(journey.id, reasons.JOURNEY_REMOVED)


def live_journeys(*triggers: str) -> list[LiveJourney]:
    """The published versions that these triggers may start."""
    rows = db.session.execute(LIVE, {"triggers": list(triggers)})
    return [LiveJourney(row.id, row.version, read_definition(row.definition)) for row in rows]


def live_journey(journey_id: str) -> LiveJourney:
    journey = get(journey_id)
    if not journey.live or not journey.version:
        raise Conflict("not_live", "This journey is not published, or it is paused.")
    return LiveJourney(journey.id, journey.version, version_of(journey.id, journey.version))


def version_of(journey_id: str, version: int) -> Definition:
    found = db.session.get(JourneyVersion, (current_tenant_id(), journey_id, version))
    if found is None:
        raise NotFound()
    return read_definition(found.definition)


def version_of_run(run: JourneyRun) -> Definition:
    """A run is of a published version, which never changes: a process reads each one once."""
    return _published(current_tenant_id(), run.journey_id, run.version)


@lru_cache(maxsize=500)
def _published(_tenant_id: int, journey_id: str, version: int) -> Definition:
    return version_of(journey_id, version)


def list_versions(journey_id: str) -> Sequence[JourneyVersion]:
    return db.session.scalars(
        select(JourneyVersion)
        .where(
            JourneyVersion.tenant_id == current_tenant_id(),
            JourneyVersion.journey_id == journey_id,
        )
        .order_by(JourneyVersion.version.desc())
        .limit(50)
    ).all()
