"""Two published journeys of the demo shop, with some runs of its customers."""

from datetime import timedelta

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db, tenant_scope
from core.ids import new_id
from deploy.demo.messaging.conversations import demo_line
from messaging.journeys import reasons, repository
from messaging.journeys.ready_made import READY_MADE
from messaging.models import Contact, JourneyRun, JourneyRunStep

ANSWERS = ("Opening hours", "See the menu", "Opening hours", "Talk to a person")
FOLLOWS = {"Opening hours": "hours", "See the menu": "menu", "Talk to a person": "person"}
KINDS = {"hours": "say", "menu": "menu_link", "person": "hand_over"}


def add_journeys(tenant_id: int) -> None:
    with tenant_scope(tenant_id):
        for code, name in (("help_menu", "Ask the shop"), ("reservation", "Workshop")):
            journey = repository.create(name, READY_MADE[code].in_language("en"))
            repository.publish(journey.id)
            if code == "help_menu":
                _add_runs(journey.id)


def _add_runs(journey_id: str) -> None:
    tenant_id, line = current_tenant_id(), demo_line()
    found = select(Contact.id).where(Contact.tenant_id == tenant_id).order_by(Contact.id)
    for number, contact_id in enumerate(db.session.scalars(found.limit(len(ANSWERS) + 1))):
        answer = ANSWERS[number] if number < len(ANSWERS) else ""
        hours = 9 * (len(ANSWERS) - number) + 2  # the newest last, as real runs are stored
        run_id, at = new_id("jrn"), now() - timedelta(hours=hours)
        step = FOLLOWS.get(answer, "ask")
        handed = step == "person"
        visits = [("ask", "ask", answer)]
        visits += [(step, KINDS[step], "")] if answer else []
        visits += [("end", "end", "")] if answer and not handed else []
        because = reasons.HANDED_OVER if handed else "" if answer else reasons.PERSON_ANSWERED
        db.session.add(
            JourneyRun(
                tenant_id=tenant_id,
                id=run_id,
                journey_id=journey_id,
                version=1,
                contact_id=contact_id,
                line_id=line.id,
                cause=f"demo:{number}",
                state="completed" if answer else "stopped",
                because=because,
                step=visits[-1][0],
                visit=len(visits),
                waits="",
                values={"answer.wish": answer} if answer else {},
                due_at=None,
                started_at=at,
                changed_at=at,
                ended_at=at + timedelta(minutes=1),
            )
        )
        db.session.flush()
        db.session.add_all(
            JourneyRunStep(
                tenant_id=tenant_id,
                run_id=run_id,
                visit=place,
                step=name,
                kind=kind,
                answer=said,
                at=at + timedelta(seconds=20 * place),
            )
            for place, (name, kind, said) in enumerate(visits, 1)
        )
