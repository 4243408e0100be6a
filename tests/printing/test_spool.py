"""Tickets are queued with their order, handed out in order, settled by evidence, never lost."""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select

from core.clock import frozen, now
from core.db import db, tenant_scope
from core.errors import Conflict
from jobs import printing as jobs
from messaging.models import Message
from printing import agent_polling, agents, fallback_copies, printers, spool, utility_tickets
from printing import queries as print_job_queries
from printing.agent_polling import AgentReport
from printing.rendering.document import Document
from restaurant.menus.pricing import RequestedItem
from restaurant.models import PaymentLink
from restaurant.orders import changes as order_changes
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders import waiter_calls
from restaurant.orders.printing import print_jobs
from restaurant.payments import accounts as payment_accounts
from restaurant.sites import tables
from tests.messaging.message_factory import events_of
from tests.portal.emails import emails_to
from tests.printing.bistro_printers import open_bistro_printers, pair
from tests.restaurant.fake_provider import add_account


@pytest.fixture
def press(restaurant):
    add_account(restaurant)
    return open_bistro_printers(restaurant)


def set_all(press):
    jobs.render(press.bistro.business.tenant_id)


def watch(press):
    jobs.monitor_printers(press.bistro.business.tenant_id)


def told_of(press, kind):
    with press.scope():
        return events_of(press.bistro.business.tenant_id, kind)


def words(job):
    return str(Document.from_json(job.document).as_json())


def test_an_order_is_a_ticket_for_each_station_on_its_own_printer(press):
    order = press.bistro.order()
    kitchen, bar = press.jobs()
    assert (kitchen.printer_id, bar.printer_id) == (press.kitchen, press.bar)
    assert [job.order_number for job in (kitchen, bar)] == [order.number] * 2
    assert "Hamburger" in words(kitchen)
    assert "Ayran" not in words(kitchen)
    assert "1/2 · " in words(kitchen) or "1 / 2 · " in words(kitchen) or "BAR" in words(kitchen)


@pytest.fixture
def careful(restaurant):
    """Orders from new phone numbers need confirmation."""
    return open_bistro_printers(restaurant, newcomer_limit=Decimal(1))


def test_nothing_is_printed_before_it_is_the_kitchens(careful):
    order = careful.bistro.order()
    assert order.state == "awaiting_confirmation"
    assert not careful.jobs()
    careful.bistro.moves(order, "sent_to_kitchen")
    assert len(careful.jobs()) == 2


def test_an_order_that_the_kitchen_never_saw_is_cancelled_without_paper(careful):
    order = careful.bistro.order()
    with careful.scope():
        order_lifecycle.cancel(
            careful.bistro.site(), order_queries.get(order.number), "changed their mind"
        )
    assert not careful.jobs()


def test_what_changes_is_printed_and_said_twice_it_is_one_ticket(press):
    order = press.bistro.order()
    with press.scope():
        site, known = press.bistro.site(), order_queries.get(order.number)
        order_changes.void_item(site, known, 1, 1, "burnt")
        table = next(one for one in tables.listed(site.id) if one.number == "3")
        order_changes.change_table(site, known, table.id, table.number)
        print_jobs.queue_order_tickets(
            site, known, order_queries.items_of(known.id)
        )  # as after a crash
        order_lifecycle.cancel(site, known, "they left")
    kinds = [(job.kind, job.station) for job in press.jobs()]
    assert kinds == [
        ("order", "kitchen"), ("order", "bar"), ("void", "kitchen"),
        ("moved", "kitchen"), ("moved", "bar"), ("cancelled", "kitchen"), ("cancelled", "bar"),
    ]  # fmt: skip


def test_more_for_a_table_is_an_addition_of_what_is_new(press):
    first = press.bistro.order()
    again = press.bistro.hears(
        press.bistro.cart(RequestedItem(press.bistro.items["Menemen"], 1)).text
    )
    assert again.number == first.number
    addition = press.jobs()[-1]
    assert (addition.kind, addition.station) == ("addition", "kitchen")
    assert "Menemen" in words(addition)
    assert "Hamburger" not in words(addition)


def test_the_bill_is_printed_once_for_two_taps_and_when_a_guest_asks(press):
    order = press.bistro.order()
    with press.scope():
        site, known = press.bistro.site(), order_queries.get(order.number)
        assert len(print_jobs.print_bill(site, known, order_queries.items_of(known.id))) == 1
        assert print_jobs.print_bill(site, known, order_queries.items_of(known.id)) == []
        site.prints_bills = True
    with press.scope():
        table = next(one for one in tables.listed(press.bistro.site_id) if one.number == "12")
        waiter_calls.create_call(press.bistro.site(), table, table.token, "bill")
    assert [job.kind for job in press.jobs(printer_id=press.bar)] == ["order", "bill", "bill"]


@pytest.mark.parametrize(
    ("state", "less", "shown"), [("open", 0, True), ("expired", 0, False), ("open", 1, False)]
)
def test_a_bill_shows_where_to_pay_while_it_can_be_paid(press, state, less, shown):
    order = press.bistro.order()
    with press.scope():
        site, known = press.bistro.site(), order_queries.get(order.number)
        db.session.add(
            PaymentLink(
                tenant_id=known.tenant_id,
                reference=known.number,
                account_id=payment_accounts.listed()[0].id,
                site_id=site.id,
                order_id=known.id,
                amount=known.total - less,
                currency=known.currency,
                minutes=30,
                expires_at=now() + timedelta(minutes=30),
                source="staff",
                state=state,
                url="https://pay.example/x",
            )
        )
        db.session.flush()
        print_jobs.print_bill(site, known, order_queries.items_of(known.id))
    assert ("https://pay.example/x" in words(press.jobs()[-1])) is shown


def test_tickets_leave_in_order_and_one_at_a_time(press):
    for _ in range(3):
        press.bistro.order()
    set_all(press)
    (kitchen, bar) = press.agent.polls()
    assert press.agent.polls() == []  # both printers already have a job
    press.agent.says(kitchen)
    (second,) = press.agent.polls()
    assert second["printer_id"] == press.kitchen
    waiting = [job.id for job in press.jobs(printer_id=press.kitchen)]
    assert [kitchen["id"], second["id"]] == waiting[:2]
    assert bar["fence"] == 1
    assert second["data"]


def test_a_ticket_that_never_reached_the_agent_is_handed_out_again_with_the_same_bytes(press):
    press.bistro.order()
    set_all(press)
    kitchen, _ = press.agent.polls()
    press.agent.hand.clear()  # the response was lost
    again, _ = press.agent.polls()
    assert again["id"] == kitchen["id"]
    assert again["data"] == kitchen["data"]
    assert again["fence"] == kitchen["fence"] + 1
    assert press.agent.says(kitchen, fence=kitchen["fence"]).late
    assert press.agent.says(again).job.state == "printed"
    evidence = press.job(again["id"]).evidence
    assert [one["what"] for one in evidence] == [
        "claimed", "not_received", "claimed", "late", "printed",
    ]  # fmt: skip


def test_the_same_result_again_is_the_same_answer(press):
    press.bistro.order()
    set_all(press)
    job, _ = press.agent.polls()
    assert press.agent.says(job).job.state == "printed"
    assert press.agent.says(job).job.state == "printed"
    assert [one["what"] for one in press.job(job["id"]).evidence] == ["claimed", "printed"]


def test_what_was_surely_not_printed_waits_a_moment_and_is_sent_again(press):
    press.bistro.order()
    set_all(press)
    job, _ = press.agent.polls()
    assert press.agent.says(job, "failed", "paper out").job.state == "queued"
    assert press.printer(press.kitchen).state == "paper_out"
    assert press.agent.polls() == []
    with frozen(now() + timedelta(seconds=6)):
        (again,) = press.agent.polls({press.kitchen: "ready", press.bar: "ready"})
        assert (again["id"], again["data"]) == (job["id"], job["data"])
        assert press.agent.says(again).job.state == "printed"


def test_without_proof_somebody_is_asked_and_the_answer_counts(press, restaurant):
    press.bistro.order()
    set_all(press)
    kitchen, bar = press.agent.polls()
    press.agent.says(bar, "unsure", "the cable was pulled")
    with frozen(now() + timedelta(seconds=61)):
        watch(press)
        assert press.states()[:2] == ["unconfirmed", "unconfirmed"]
        with press.scope():
            print_job_queries.confirm_printed(kitchen["id"])
        with press.scope():
            made = print_job_queries.resend(bar["id"])
        again = press.job(made)
        assert "first" not in again.dedupe
        assert again.reprint_of == bar["id"]
        assert Document.from_json(again.document).parts[0].kind == "band"
        assert press.job(bar["id"]).state == "failed"
        assert press.job(kitchen["id"]).state == "printed"
    subjects = [letter.subject for letter in emails_to(restaurant.owner.email)]
    assert sum("2" in one for one in subjects) == 1  # both in one e-mail
    told = told_of(press, "printing.job_failed")
    assert {one["job"]["state"] for one in told} == {"unconfirmed"}


def test_letters_about_unprinted_tickets_are_gathered(press, restaurant):
    """Regression: every ticket sent an e-mail to every admin."""

    def lose_one(at):
        with frozen(at):
            press.bistro.order()
            set_all(press)
            for job in press.agent.polls():
                outcome = "unsure" if job["printer_id"] == press.kitchen else "printed"
                press.agent.says(job, outcome)
            watch(press)

    began, before = now(), len(emails_to(restaurant.owner.email))
    lose_one(began)
    assert len(emails_to(restaurant.owner.email)) == before + 1  # the first at once
    for minute in (1, 2, 3):
        lose_one(began + timedelta(minutes=minute))
    assert len(emails_to(restaurant.owner.email)) == before + 1
    last = press.jobs(state="unconfirmed", printer_id=press.kitchen)[-1]
    with press.scope():  # resolved meanwhile: no e-mail mentions it
        print_job_queries.confirm_printed(last.id)
    with frozen(began + timedelta(minutes=31)):
        watch(press)
        watch(press)
    newest, *_ = gathered = emails_to(restaurant.owner.email)
    assert len(gathered) == before + 2
    assert newest.subject.startswith("2 ")
    assert newest.body.count("\n- ") == 2


def test_proof_that_comes_late_is_proof(press):
    press.bistro.order()
    set_all(press)
    job, _ = press.agent.polls()
    with frozen(now() + timedelta(seconds=61)):
        watch(press)
        assert press.job(job["id"]).state == "unconfirmed"
        assert press.agent.says(job).job.state == "printed"


def test_an_agent_that_still_has_a_ticket_keeps_it(press):
    press.bistro.order()
    set_all(press)
    job, _ = press.agent.polls()
    with frozen(now() + timedelta(seconds=50)):
        press.agent.polls()
    with frozen(now() + timedelta(seconds=70)):
        watch(press)
        assert press.job(job["id"]).state == "claimed"


def test_after_half_a_minute_the_stand_in_gets_a_ticket_that_says_so(press):
    press.bistro.order()
    set_all(press)
    with frozen(now() + timedelta(seconds=31)):
        watch(press)
        watch(press)
    (stand_in,) = [job for job in press.jobs() if job.fallback_of]
    assert stand_in.printer_id == press.bar
    band = Document.from_json(stand_in.document).parts[0]
    assert band.kind == "band"
    assert "Mutfak" in band.text


def stood_in(press, *, in_hand=False):
    """The kitchen's unprinted ticket, and its copy, which the backup printer (bar) has printed."""
    press.bistro.order()
    set_all(press)
    if in_hand:  # the agent has it, but its kitchen printer is out of paper
        _, bar = sorted(press.agent.polls(), key=lambda job: job["printer_id"] == press.bar)
        press.agent.says(bar)
    else:
        with press.scope():
            printers.change(press.kitchen, {"agent_id": None})
        (bar,) = press.agent.polls()
        press.agent.says(bar)
    with frozen(now() + timedelta(seconds=31)):
        watch(press)
        set_all(press)
        (stand_in,) = press.agent.polls()
        assert press.agent.says(stand_in).job.fallback_of
    (original,) = [job for job in press.jobs() if job.printer_id == press.kitchen]
    return original, stand_in


def test_what_the_stand_in_printed_is_not_printed_by_the_first_printer_too(press):
    """Regression: the dish was cooked twice."""
    original, _ = stood_in(press)
    assert (original.state, original.detail) == ("failed", fallback_copies.PRINTED_ELSEWHERE)
    with press.scope():
        printers.change(press.kitchen, {"agent_id": press.agent.id})
        slips = print_job_queries.tickets_of_orders([original.order_id])[original.order_id]
    with frozen(now() + timedelta(seconds=60)):
        watch(press)
        assert press.agent.polls() == []
    assert {slip.state for slip in slips} == {"printed"}  # the board shows no error
    assert told_of(press, "printing.job_failed") == []


def test_an_agent_is_asked_to_drop_what_the_stand_in_printed(press):
    """The agent had fetched it and waited for paper."""
    original, _ = stood_in(press, in_hand=True)
    assert original.state == "claimed"
    with press.scope():
        turn, _ = agent_polling.begin_poll(press.agent.id, AgentReport(have=list(press.agent.hand)))
    with press.scope():
        handed = agent_polling.claim_jobs(press.agent.id, turn)
        assert handed.body["drop"] == [original.id]
        assert handed.any_jobs  # the poll is answered at once
        assert not agent_polling.claim_jobs(press.agent.id, turn).any_jobs  # but only once
    press.agent.says(press.agent.hand[original.id], "failed", "printed on another printer")
    assert press.job(original.id).detail == fallback_copies.PRINTED_ELSEWHERE
    assert press.agent.polls() == []


def test_a_stand_in_is_called_off_when_the_first_printer_prints_after_all(press):
    press.bistro.order()
    set_all(press)
    kitchen = next(job for job in press.agent.polls() if job["printer_id"] == press.kitchen)
    with frozen(now() + timedelta(seconds=31)):
        watch(press)
        press.agent.says(kitchen)
    (stand_in,) = [job for job in press.jobs() if job.fallback_of]
    assert (stand_in.state, stand_in.detail) == ("failed", fallback_copies.PRINTED_ELSEWHERE)


def test_a_printed_ticket_needs_no_stand_in(press):
    press.bistro.order()
    set_all(press)
    for job in press.agent.polls():
        press.agent.says(job)
    with frozen(now() + timedelta(minutes=2)):
        watch(press)
    assert press.states() == ["printed", "printed"]


def test_an_agent_that_falls_silent_is_told_of_once(press, restaurant):
    press.agent.polls()
    for seconds in (95, 130, 160, 200):
        with frozen(now() + timedelta(seconds=seconds)):
            watch(press)
    assert press.printer(press.kitchen).state == "offline"
    told = told_of(press, "printing.printer_offline")
    assert sorted(one["printer"]["name"] for one in told) == ["Bar", "Mutfak"]
    with frozen(now() + timedelta(seconds=210)):
        press.agent.polls({press.kitchen: "ready", press.bar: "ready"})
        watch(press)
    assert len(told_of(press, "printing.printer_online")) == 2
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
    assert not told_of(press, "printing.printer_offline")


def test_a_newer_poll_ends_an_older_one(press):
    press.bistro.order()
    set_all(press)
    from printing import agent_polling

    with press.scope():
        old, _ = agent_polling.begin_poll(press.agent.id, agent_polling.AgentReport())
    with press.scope():
        new, _ = agent_polling.begin_poll(press.agent.id, agent_polling.AgentReport())
    with press.scope():
        assert agent_polling.claim_jobs(press.agent.id, old).over
    with press.scope():
        assert agent_polling.claim_jobs(press.agent.id, new).any_jobs


def test_a_revoked_agent_gets_nothing_and_its_tickets_wait_for_the_next(press):
    press.bistro.order()
    set_all(press)
    with press.scope():
        agents.revoke(press.agent.id)
    with pytest.raises(Exception, match="Pair it again"):
        press.agent.polls()
    other = pair(press.bistro)
    with press.scope():
        for printer_id in (press.kitchen, press.bar):
            printers.change(printer_id, {"agent_id": other.id})
    assert len(other.polls()) == 2


def test_a_code_is_good_once_and_for_a_quarter_of_an_hour(press):
    with press.scope():
        code, shown = agents.new_code(press.bistro.site_id)
    assert agents.normalize_code(shown.lower()) == shown.replace("-", "")
    with frozen(now() + timedelta(minutes=16)), press.scope():
        assert agents.pair(code.id, "late", "1") is None
    with press.scope():
        assert agents.pair(code.id, "first", "1") is not None
    with press.scope():
        assert agents.pair(code.id, "second", "1") is None


def test_a_ticket_that_cannot_be_set_does_not_hold_up_the_next(press):
    press.bistro.order()
    press.bistro.order()
    broken = press.jobs(printer_id=press.kitchen)[0]
    with press.scope():
        print_job_queries.get(broken.id).document = {"version": 99, "title": "x", "parts": []}
    set_all(press)
    assert press.job(broken.id).state == "failed"
    assert press.kitchen in [job["printer_id"] for job in press.agent.polls()]


def test_a_ticket_nobody_takes_for_two_hours_is_given_up(press):
    press.bistro.order()
    with frozen(now() + timedelta(hours=2, seconds=5)):
        watch(press)
    assert set(press.states()[:2]) == {"failed"}


def test_a_reprint_says_that_it_is_one_and_a_waiting_ticket_has_none(press):
    press.bistro.order()
    set_all(press)
    job, _ = press.agent.polls()
    with press.scope(), pytest.raises(Conflict):
        print_job_queries.reprint(job["id"])
    press.agent.says(job)
    with press.scope():
        made = print_job_queries.reprint(job["id"])
    parts = Document.from_json(press.job(made).document).parts
    assert parts[0].kind == "band"
    assert press.job(made).copy == 2


def test_a_test_ticket_and_the_strip_are_tickets(press):
    with press.scope():
        printer = printers.get(press.kitchen)
        utility_tickets.test_ticket(
            printer, language="tr", time_zone="Europe/Istanbul", site="Lemar"
        )
        utility_tickets.code_page_samples(printer, language="tr", time_zone="Europe/Istanbul")
    set_all(press)
    (first,) = press.agent.polls()
    press.agent.says(first)
    (second,) = press.agent.polls()
    assert first["data"] != second["data"]
    assert second["data"]


def test_two_who_claim_for_one_printer_get_one_ticket(press):
    for _ in range(2):
        press.bistro.order()
    set_all(press)
    with press.scope():
        printer = printers.get(press.kitchen)
        assert spool.claim_one(printer, "one") is not None
    with press.scope():
        assert spool.claim_one(printers.get(press.kitchen), "two") is None


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
