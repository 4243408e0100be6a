"""A ticket that stays unprinted is copied to the fallback printer, and printed once."""

from datetime import timedelta
from functools import partial

from core.clock import frozen, now
from printing import agent_polling, fallback_copies, printers
from printing import queries as print_job_queries
from printing.agent_polling import AgentReport
from printing.rendering.document import Document
from tests.printing.bistro_printers import (
    published_events,
    render_all,
    watch,
)


def test_after_half_a_minute_the_backup_printer_prints_a_marked_ticket(press):
    press.bistro.order()
    render_all(press)
    with frozen(now() + timedelta(seconds=31)):
        watch(press)
        watch(press)
    (stand_in,) = [job for job in press.jobs() if job.fallback_of]
    assert stand_in.printer_id == press.bar
    band = Document.from_json(stand_in.document).parts[0]
    assert band.kind == "band"
    assert "Mutfak" in band.text


def printed_by_backup(press, *, in_hand=False):
    """The kitchen's ticket, still unprinted, and its copy, which the bar has printed."""
    press.bistro.order()
    render_all(press)
    if in_hand:  # with an agent whose kitchen printer is out of paper
        _, bar = sorted(press.agent.polls(), key=lambda job: job["printer_id"] == press.bar)
        press.agent.reports(bar)
    else:
        with press.scope():
            printers.change(press.kitchen, {"agent_id": None})
        (bar,) = press.agent.polls()
        press.agent.reports(bar)
    with frozen(now() + timedelta(seconds=31)):
        watch(press)
        render_all(press)
        (stand_in,) = press.agent.polls()
        assert press.agent.reports(stand_in).job.fallback_of
    (original,) = [job for job in press.jobs() if job.printer_id == press.kitchen]
    return original, stand_in


def test_what_the_backup_printer_printed_is_not_printed_by_the_first_printer_too(press):
    """Otherwise the dish is cooked twice."""
    original, _ = printed_by_backup(press)
    assert (original.state, original.detail) == ("failed", fallback_copies.PRINTED_ELSEWHERE)
    with press.scope():
        printers.change(press.kitchen, {"agent_id": press.agent.id})
        slips = print_job_queries.tickets_of_orders([original.order_id])[original.order_id]
    with frozen(now() + timedelta(seconds=60)):
        watch(press)
        assert press.agent.polls() == []
    assert {slip.state for slip in slips} == {"printed"}  # the board shows no fault
    assert published_events(press, "printing.job_failed") == []


def test_an_agent_is_asked_to_drop_what_the_backup_printer_printed(press):
    """The agent has fetched the ticket and waits for paper."""
    original, _ = printed_by_backup(press, in_hand=True)
    assert original.state == "claimed"
    with press.scope():
        turn, _ = agent_polling.begin_poll(press.agent.id, AgentReport(have=list(press.agent.hand)))
    with press.scope():
        claim = partial(
            agent_polling.claim_jobs,
            *(press.agent.id, turn),
            reported={press.kitchen, press.bar},
            answer=False,
        )
        assert claim().body["drop"] == [original.id]  # the poll is answered at once
        assert claim().body is None  # but once only
    press.agent.reports(press.agent.hand[original.id], "failed", "printed on another printer")
    assert press.job(original.id).detail == fallback_copies.PRINTED_ELSEWHERE
    assert press.agent.polls() == []


def test_the_backup_ticket_is_withdrawn_if_the_first_printer_prints_it(press):
    press.bistro.order()
    render_all(press)
    kitchen = next(job for job in press.agent.polls() if job["printer_id"] == press.kitchen)
    with frozen(now() + timedelta(seconds=31)):
        watch(press)
        press.agent.reports(kitchen)
    (stand_in,) = [job for job in press.jobs() if job.fallback_of]
    assert (stand_in.state, stand_in.detail) == ("failed", fallback_copies.PRINTED_ELSEWHERE)


def test_a_printed_ticket_needs_no_backup(press):
    press.bistro.order()
    render_all(press)
    for job in press.agent.polls():
        press.agent.reports(job)
    with frozen(now() + timedelta(minutes=2)):
        watch(press)
    assert press.states() == ["printed", "printed"]
