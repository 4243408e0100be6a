"""The journey of the sample tenant."""

from messaging.contacts import repository as contact_repository
from messaging.contacts.validation import ContactInput
from messaging.journeys import repository as journey_repository
from messaging.journeys import runs as journey_runs
from messaging.journeys.runs import NewRun
from messaging.lines import repository as line_repository


def add_sample_journey(name: str) -> None:
    """A published journey with a run that waits for an answer."""
    definition = {
        "when": {"kind": "keyword", "words": [f"{name} help"]},
        "steps": [
            {"id": "tag", "kind": "tag", "tag": f"{name} tag"},
            {"id": "wait", "kind": "wait", "minutes": 9},
            {"id": "end", "kind": "end"},
        ],
    }
    journey = journey_repository.create(f"{name} journey", definition)
    journey_repository.publish(journey.id)
    card = contact_repository.create(ContactInput(name=f"{name} wanderer"))
    line = line_repository.list_lines()[0]
    run = NewRun(card.id, line.id, f"{name} cause", {"customer.name": f"{name} wanderer"})
    journey_runs.start_now(journey_repository.live_journey(journey.id), run)
