"""Journeys: with workers killed at every point of a step, each message is sent once."""

import os
import time
from decimal import Decimal

from sqlalchemy import select, text

from core.clock import now
from core.db import current_tenant_id, db
from messaging.journeys import repository, runs
from messaging.journeys.runs import NewRun
from messaging.lines import repository as line_repository
from messaging.models import Contact
from tenants import accounts
from tests.chaos.load import Crowd
from tests.chaos.outcomes import Outcome, wait_until_idle
from tests.chaos.stage import WORKERS, Stage
from tests.messaging.campaigns.many_contacts import crowd_of

SIZE = int(os.environ.get("CHAOS_JOURNEY", "10000"))
# Before a step, after its message, before and after the commit; and where messages leave.
POINTS = (
    *("journey_claimed:1", "journey_claimed:7", "journey_accepted:1", "journey_accepted:31"),
    *("journey_before_commit:1", "journey_before_commit:3", "journey_committed:1"),
    *("journey_committed:2", "claim:2", "before_settle_commit:2"),
)
POINT_SECONDS = 30.0
END_SECONDS = 1200.0
AT_ONCE = 500
TEXTS = ("First message", "Second message")
DEFINITION = {
    "when": {"kind": "keyword", "words": ["chaos"]},
    "steps": [
        {"id": "one", "kind": "say", "text": TEXTS[0]},
        {"id": "tag", "kind": "wait", "minutes": 1},
        {"id": "two", "kind": "say", "text": TEXTS[1]},
        {"id": "end", "kind": "end"},
    ],
}
OPEN_WINDOWS = text("""
INSERT INTO conversations (tenant_id, id, line_id, contact_id, last_message_id, last_at,
                           window_until, unread)
SELECT :tenant_id, contacts.id, :line_id, contacts.id, contacts.id, :now,
       CAST(:now AS timestamptz) + interval '23 hours', 0
  FROM contacts WHERE contacts.tenant_id = :tenant_id
""")
MADE = """
SELECT phone, text, count(*) FROM messages
 WHERE tenant_id = %s AND direction = 'out' GROUP BY phone, text
"""
STATES = "SELECT state, count(*) FROM journey_runs WHERE tenant_id = %s GROUP BY state"
VISITS = """
SELECT count(*) FROM (
    SELECT run_id FROM journey_run_steps WHERE tenant_id = %s
     GROUP BY run_id HAVING count(*) <> 4) AS odd
"""


def killed(stage: Stage) -> Outcome:
    crowd = Crowd(stage, businesses=1)
    business = crowd.businesses[0]
    crowd_of(business, SIZE)
    stage.end(*WORKERS)
    meant = _start(business)
    began = time.monotonic()
    for point in POINTS:
        before = len(stage.deaths)
        stage.workers(point)
        _until(lambda before=before: len(stage.deaths) > before or _over(stage, business))
    ended = _until(lambda: _over(stage, business), END_SECONDS)
    took = time.monotonic() - began
    wait_until_idle(stage, crowd, 600)
    return _counted(stage, business.tenant_id, meant, ended, took)


def _start(business) -> int:
    """One run for everyone who has a phone, none carried out yet."""
    with business.scope():
        accounts.change_limits(None, None, 10**7, Decimal(10**6))
        line = line_repository.default_line(test=False)
        line.per_second = Decimal(200)
        line_id = line.id
        params = {"tenant_id": current_tenant_id(), "line_id": line_id, "now": now()}
        db.session.execute(OPEN_WINDOWS, params)
        made = repository.create("Chaos", DEFINITION)
        repository.publish(made.id)
        journey_id = made.id
        reached = Contact.blocked_at.is_(None) & (Contact.opted_out_at.is_(None))
        query = select(Contact.id).where(Contact.tenant_id == current_tenant_id(), reached)
        contact_ids = list(db.session.scalars(query.order_by(Contact.id)))
    for start in range(0, len(contact_ids), AT_ONCE):
        with business.scope():
            journey = repository.live_journey(journey_id)
            for contact_id in contact_ids[start : start + AT_ONCE]:
                runs.start_later(journey, NewRun(contact_id, line_id, f"chaos:{contact_id}", {}))
    return len(contact_ids)


def _counted(stage, tenant_id, meant, ended, took) -> Outcome:
    made = stage.ask(MADE, tenant_id)
    states = dict(stage.ask(STATES, tenant_id))
    twice = sum(count > 1 for _, _, count in made)
    reached = states.get("completed", 0)
    outcome = Outcome(
        accepted=len(made),
        terminal=reached,
        doubled=twice,
        lost=meant - sum(states.values()),
        seconds=took,
        note=f"{meant} runs, {len(stage.deaths)} killed; {states}",
    )
    network = stage.network("GET", "/accepted")["doubled"]
    odd = stage.ask(VISITS, tenant_id)[0][0]
    unreachable = states.get("failed", 0)  # contacts without a phone
    for holds, sentence in (
        (ended, "it did not end"),
        (len(stage.deaths) >= 8, f"only {len(stage.deaths)} were killed"),
        (states.get("running", 0) == 0, f"{states.get('running')} still run"),
        (outcome.lost == 0, f"{outcome.lost} runs are gone"),
        (reached + unreachable == meant, "a run ended in another way"),
        (len(made) == 2 * reached, f"{len(made)} messages for {reached} runs"),
        (twice == 0 == network, f"{twice} got it twice, {network} by the network's book"),
        (odd == 0, f"{odd} runs have other steps"),
    ):
        outcome.expect(holds, sentence)
    return outcome


def _over(stage, business) -> bool:
    return dict(stage.ask(STATES, business.tenant_id)).get("running", 0) == 0


def _until(holds, seconds: float = POINT_SECONDS) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.2)
    return False
