"""Members get one e-mail when a line fails, with what to do, and one when it recovers."""

import pytest
from sqlalchemy import select

from core.db import db, global_scope
from core.mail import Mail, body_of
from core.queue import lanes
from jobs.lines import alerts as job
from messaging.lines import repository as line_repository
from messaging.lines.alerts import LANE
from messaging.lines.drivers.linked import pairing
from tests.line_factory import make_line
from tests.messaging.message_factory import add_line, events_of

WHY = "The line's access token has expired or was revoked. Enter a new one."


@pytest.fixture
def line(restaurant):
    return make_line(restaurant)


def set_state(business, line, state, because=WHY):
    with business.scope():
        line_repository.record_line_state(line.id, state, because)


def emails(business):
    with global_scope():
        rows = db.session.scalars(
            select(Mail).where(Mail.tenant_id == business.tenant_id).order_by(Mail.id)
        )
        return [(row.subject, body_of(row.id)) for row in rows]


def test_a_line_alert_and_its_end_are_each_sent_once(restaurant, line, run_jobs):
    for _ in range(3):
        set_state(restaurant, line, "token_expired")
        run_jobs()
    [(subject, body)] = emails(restaurant)
    assert subject == "The line “Front desk” has stopped: its access token expired"
    assert WHY in body
    assert "What to do" in body
    assert f"http://localhost/lines/{line.id}" in body
    set_state(restaurant, line, "connected", "")
    run_jobs()
    assert emails(restaurant)[-1][0] == "The line “Front desk” is working again"
    with restaurant.scope():
        assert len(events_of(restaurant.tenant_id, "instances.disconnected")) == 1
        assert len(events_of(restaurant.tenant_id, "instances.connected")) == 1


def test_an_alert_that_is_over_before_it_is_sent_is_not_sent(app, restaurant, line, run_jobs):
    set_state(restaurant, line, "restricted", "Reported by WhatsApp.")
    set_state(restaurant, line, "connected", "")
    run_jobs()
    assert emails(restaurant) == []


def test_a_worse_alert_is_sent_too_and_names_the_backup_line(restaurant, line, run_jobs):
    other = add_line(restaurant, default=False)
    with restaurant.scope():
        line_repository.rename(other.id, "Second desk")
        line_repository.set_fallback(line.id, other.id)
    set_state(restaurant, line, "quality_low", "Recipients report it.")
    run_jobs()
    set_state(restaurant, line, "restricted", "The network has restricted this business account.")
    run_jobs()
    first, second = emails(restaurant)
    assert "” is paused: its quality dropped" in first[0]
    assert "are sent from the line “Second desk”" in first[1]
    assert "are sent from the line “Second desk”" in second[1]


def test_a_test_line_sends_no_alerts(restaurant, run_jobs):
    test_line = make_line(restaurant, test=True, default=False)
    set_state(restaurant, test_line, "restricted")
    run_jobs()
    assert emails(restaurant) == []


def test_a_lost_wakeup_is_found_by_the_sweep(app, restaurant, line, redis, run_jobs):
    set_state(restaurant, line, "restricted")
    redis.flushdb()
    with global_scope():
        assert lanes.any_due(LANE)
        job.sweep()
    run_jobs()
    assert len(emails(restaurant)) == 1


def test_a_linked_line_is_reported_in_its_own_words(restaurant, run_jobs):
    with restaurant.scope():
        line = pairing.add_linked_line("Kitchen phone", network="simulator")
    for state in ("pairing", "connected", "disconnected", "restricted", "logged_out", "pairing"):
        set_state(restaurant, line, state, "The phone said so.")
        with restaurant.scope():
            lanes.mark_due(LANE, restaurant.tenant_id)
        run_jobs()
    stopped = emails(restaurant)
    assert [subject for subject, _ in stopped] == [
        "The line “Kitchen phone” has stopped",
        "The line “Kitchen phone” has stopped: WhatsApp restricted it",
        "The line “Kitchen phone” has stopped: it was unlinked on the phone",
    ]
    assert "make sure the phone is turned on and online" in stopped[0][1]
    assert "check the app on the phone" in stopped[1][1]
    assert "scan its code" in stopped[2][1]
    set_state(restaurant, line, "connected", "")
    run_jobs()
    assert emails(restaurant)[-1][0] == "The line “Kitchen phone” is working again"
