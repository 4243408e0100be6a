"""The journey of the sample tenant."""

from sqlalchemy import select

from core.db import db
from messaging.contacts import repository as contact_repository
from messaging.contacts.validation import ContactInput
from messaging.journeys import repository as journey_repository
from messaging.journeys import runs as journey_runs
from messaging.journeys.runs import NewRun
from messaging.lines import repository as line_repository
from messaging.models import JourneyRun
from tests.factories import Business


def add_sample_journey(business: Business, name: str) -> dict[str, str]:
    """A published journey with a run that waits."""
    definition = {
        "when": {"kind": "keyword", "words": [f"{name} help"]},
        "steps": [
            {"id": "tag", "kind": "tag", "tag": f"{name} tag"},
            {"id": "wait", "kind": "wait", "minutes": 9},
            {"id": "end", "kind": "end"},
        ],
    }
    with business.scope():
        journey = journey_repository.create(f"{name} journey", definition)
        journey_repository.publish(journey.id)
        card = contact_repository.create(ContactInput(name=f"{name} wanderer"))
        line = line_repository.list_lines()[0]
        new = NewRun(card.id, line.id, f"{name} cause", {"customer.name": f"{name} wanderer"})
        journey_runs.start_now(journey_repository.live_journey(journey.id), new)
        run = db.session.scalars(
            select(JourneyRun).filter_by(tenant_id=business.tenant_id, journey_id=journey.id)
        ).one()
        return {"journey_id": journey.id, "run_id": run.id}
