"""A print job is created with its order, claimed in order, settled by a result, and never lost."""

from datetime import timedelta
from decimal import Decimal

import pytest

from core.clock import frozen, now
from core.db import db
from core.errors import Conflict
from printing import printers, spool, utility_tickets
from printing import queries as print_job_queries
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
from tests.portal.emails import emails_to
from tests.printing.bistro_printers import (
    open_bistro_printers,
    published_events,
    render_all,
    watch,
    words,
)


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
    careful.bistro.changes_state(order, "sent_to_kitchen")
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
    again = press.bistro.orders_by_chat(
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
    render_all(press)
    (kitchen, bar) = press.agent.polls()
    assert press.agent.polls() == []  # both printers already have a job
    press.agent.reports(kitchen)
    (second,) = press.agent.polls()
    assert second["printer_id"] == press.kitchen
    waiting = [job.id for job in press.jobs(printer_id=press.kitchen)]
    assert [kitchen["id"], second["id"]] == waiting[:2]
    assert bar["fence"] == 1
    assert second["data"]


def test_a_ticket_that_never_reached_the_agent_is_handed_out_again_with_the_same_bytes(press):
    press.bistro.order()
    render_all(press)
    kitchen, _ = press.agent.polls()
    press.agent.hand.clear()  # the response was lost
    again, _ = press.agent.polls()
    assert again["id"] == kitchen["id"]
    assert again["data"] == kitchen["data"]
    assert again["fence"] == kitchen["fence"] + 1
    assert press.agent.reports(kitchen, fence=kitchen["fence"]).late
    assert press.agent.reports(again).job.state == "printed"
    evidence = press.job(again["id"]).evidence
    assert [one["what"] for one in evidence] == [
        "claimed", "not_received", "claimed", "late", "printed",
    ]  # fmt: skip


def test_the_same_result_again_is_the_same_answer(press):
    press.bistro.order()
    render_all(press)
    job, _ = press.agent.polls()
    assert press.agent.reports(job).job.state == "printed"
    assert press.agent.reports(job).job.state == "printed"
    assert [one["what"] for one in press.job(job["id"]).evidence] == ["claimed", "printed"]


def test_what_was_surely_not_printed_waits_a_moment_and_is_sent_again(press):
    press.bistro.order()
    render_all(press)
    job, _ = press.agent.polls()
    assert press.agent.reports(job, "failed", "paper out").job.state == "queued"
    assert press.printer(press.kitchen).state == "paper_out"
    assert press.agent.polls() == []
    with frozen(now() + timedelta(seconds=6)):
        (again,) = press.agent.polls({press.kitchen: "ready", press.bar: "ready"})
        assert (again["id"], again["data"]) == (job["id"], job["data"])
        assert press.agent.reports(again).job.state == "printed"


def test_without_proof_somebody_is_asked_and_the_answer_counts(press, restaurant):
    press.bistro.order()
    render_all(press)
    kitchen, bar = press.agent.polls()
    press.agent.reports(bar, "unsure", "the cable was pulled")
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
    published = published_events(press, "printing.job_failed")
    assert {one["job"]["state"] for one in published} == {"unconfirmed"}


def test_proof_that_comes_late_is_proof(press):
    press.bistro.order()
    render_all(press)
    job, _ = press.agent.polls()
    with frozen(now() + timedelta(seconds=61)):
        watch(press)
        assert press.job(job["id"]).state == "unconfirmed"
        assert press.agent.reports(job).job.state == "printed"


def test_an_agent_that_still_has_a_ticket_keeps_it(press):
    press.bistro.order()
    render_all(press)
    job, _ = press.agent.polls()
    with frozen(now() + timedelta(seconds=50)):
        press.agent.polls()
    with frozen(now() + timedelta(seconds=70)):
        watch(press)
        assert press.job(job["id"]).state == "claimed"


def test_a_ticket_that_cannot_be_set_does_not_hold_up_the_next(press):
    press.bistro.order()
    press.bistro.order()
    broken = press.jobs(printer_id=press.kitchen)[0]
    with press.scope():
        print_job_queries.get(broken.id).document = {"version": 99, "title": "x", "parts": []}
    render_all(press)
    assert press.job(broken.id).state == "failed"
    assert press.kitchen in [job["printer_id"] for job in press.agent.polls()]


def test_a_ticket_nobody_takes_for_two_hours_is_given_up(press):
    press.bistro.order()
    with frozen(now() + timedelta(hours=2, seconds=5)):
        watch(press)
    assert set(press.states()[:2]) == {"failed"}


def test_a_reprint_shows_that_it_is_one_and_a_waiting_ticket_has_none(press):
    press.bistro.order()
    render_all(press)
    job, _ = press.agent.polls()
    with press.scope(), pytest.raises(Conflict):
        print_job_queries.reprint(job["id"])
    press.agent.reports(job)
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
    render_all(press)
    (first,) = press.agent.polls()
    press.agent.reports(first)
    (second,) = press.agent.polls()
    assert first["data"] != second["data"]
    assert second["data"]


def test_two_who_claim_for_one_printer_get_one_ticket(press):
    for _ in range(2):
        press.bistro.order()
    render_all(press)
    with press.scope():
        printer = printers.get(press.kitchen)
        assert spool.claim_one(printer, "one") is not None
    with press.scope():
        assert spool.claim_one(printers.get(press.kitchen), "two") is None
