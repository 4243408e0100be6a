"""Members are notified of printers that stop working and of tickets that were not printed."""

from datetime import timedelta

from sqlalchemy import select

from core.clock import frozen, now
from core.db import db, tenant_scope
from messaging.models import Message
from printing import queries as print_job_queries
from tests.portal.emails import emails_to
from tests.printing.bistro_printers import (
    open_bistro_printers,
    published_events,
    render_all,
    watch,
)


def test_emails_about_unprinted_tickets_are_gathered(press, restaurant):
    """Not one e-mail for each ticket and admin."""

    def lose_one(at):
        with frozen(at):
            press.bistro.order()
            render_all(press)
            for job in press.agent.polls():
                outcome = "unsure" if job["printer_id"] == press.kitchen else "printed"
                press.agent.reports(job, outcome)
            watch(press)

    began, before = now(), len(emails_to(restaurant.owner.email))
    lose_one(began)
    assert len(emails_to(restaurant.owner.email)) == before + 1  # the first at once
    for minute in (1, 2, 3):
        lose_one(began + timedelta(minutes=minute))
    assert len(emails_to(restaurant.owner.email)) == before + 1
    last = press.jobs(state="unconfirmed", printer_id=press.kitchen)[-1]
    with press.scope():  # answered meanwhile, so no e-mail is sent
        print_job_queries.confirm_printed(last.id)
    with frozen(began + timedelta(minutes=31)):
        watch(press)
        watch(press)
    newest, *_ = gathered = emails_to(restaurant.owner.email)
    assert len(gathered) == before + 2
    assert newest.subject.startswith("2 ")
    assert newest.body.count("\n- ") == 2


def test_an_agent_that_falls_silent_is_reported_once(press, restaurant):
    press.agent.polls()
    for seconds in (95, 130, 160, 200):
        with frozen(now() + timedelta(seconds=seconds)):
            watch(press)
    assert press.printer(press.kitchen).state == "offline"
    published = published_events(press, "printing.printer_offline")
    assert sorted(one["printer"]["name"] for one in published) == ["Bar", "Mutfak"]
    with frozen(now() + timedelta(seconds=210)):
        press.agent.polls({press.kitchen: "ready", press.bar: "ready"})
        watch(press)
    assert len(published_events(press, "printing.printer_online")) == 2
    assert len(emails_to(restaurant.owner.email)) == 4


def test_a_change_of_paper_is_shown_and_not_told(press, restaurant):
    press.agent.polls({press.kitchen: "cover_open", press.bar: "ready"})
    assert press.printer(press.kitchen).state == "cover_open"
    with frozen(now() + timedelta(seconds=10)):
        watch(press)
        press.agent.polls({press.kitchen: "ready", press.bar: "ready"})
    with frozen(now() + timedelta(seconds=50)):
        press.agent.polls({press.kitchen: "ready", press.bar: "ready"})
        watch(press)
    assert not published_events(press, "printing.printer_offline")


def test_the_manager_is_written_to_when_the_paper_is_out(restaurant):
    press = open_bistro_printers(restaurant, manager_phone="905321110000")
    press.agent.polls({press.kitchen: "paper_out", press.bar: "ready"})
    with frozen(now() + timedelta(seconds=31)):
        press.agent.polls({press.kitchen: "paper_out", press.bar: "ready"})
        watch(press)
        watch(press)
    with tenant_scope(restaurant.tenant_id):
        to_manager = select(Message.text).where(
            Message.tenant_id == restaurant.tenant_id, Message.phone == "905321110000"
        )
        sent = list(db.session.scalars(to_manager))
    assert len(sent) == 1
    assert "Mutfak" in str(sent[0])
