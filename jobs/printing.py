"""Printing by the clock and by the bell: render what waits, watch what was handed out."""

from datetime import UTC, datetime, timedelta
from functools import partial

from core import lanes
from core.clock import now
from core.db import ring, tenant_scope
from core.errors import NotFound
from core.rings import hear
from jobs.letters import Gettext, Letter, to_admins
from jobs.orders import LOST_RING
from printing import typesetting, watching
from printing.lane import LANE
from printing.models import Printer, PrintJob
from restaurant import sites, telling
from restaurant.models import Site
from restaurant.wording import say

LETTER_EVERY = timedelta(minutes=30)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
MOST_NAMED = 10


def sweep() -> None:
    """In the sweep's global transaction. Marked again, as the ring itself may be lost."""
    for tenant_id in lanes.take_due(LANE):
        lanes.mark_later(LANE, tenant_id, now() + LOST_RING)
        ring("jobs.printing.watch", tenant_id)


def render(tenant_id: int) -> int:
    """In steps, so that the first tickets leave before the last are set."""
    hear("jobs.printing.render", tenant_id)
    done = 0
    while True:
        with tenant_scope(tenant_id):
            step = typesetting.set_due()
        done += step
        if step < typesetting.AT_ONCE:
            return done


def watch(tenant_id: int) -> None:
    hear("jobs.printing.watch", tenant_id)
    render(tenant_id)
    with tenant_scope(tenant_id):
        watching.watch()
    with tenant_scope(tenant_id):
        _tell_people()


def _tell_people() -> None:
    broken, well, jobs = watching.take_untold()
    for printer in broken:
        to_admins(partial(_in_trouble, printer), f"/printers/{printer.id}")
        _tell_manager(printer.site_id, f"printer_{printer.state}", printer=printer.name)
    for printer in well:
        to_admins(partial(_is_well, printer), f"/printers/{printer.id}")
    for job in [one for one in jobs if one.kind not in ("test", "strip")]:
        _tell_manager(job.site_id, f"ticket_{job.state}", ticket=job.title)
    for site_id, unprinted in watching.letters_due().items():
        _write_about_tickets(site_id, unprinted)


def _write_about_tickets(site_id: str, unprinted: list[PrintJob]) -> None:
    """The first ticket at once; those that follow are gathered into one letter per half hour."""
    site: Site = sites.known(site_id)
    following = (site.ticket_letter_at or LONG_AGO) + LETTER_EVERY
    if following > now():
        lanes.mark_later(LANE, site.tenant_id, following)
        return
    site.ticket_letter_at = now()
    for job in unprinted:
        job.letter_due = False
    if len(unprinted) == 1:
        to_admins(partial(_about_ticket, unprinted[0]), f"/print-jobs/{unprinted[0].id}")
    else:
        states = {job.state for job in unprinted}
        asked = f"?state={states.pop()}" if len(states) == 1 else ""
        to_admins(partial(_about_tickets, site, unprinted), f"/print-jobs{asked}")


def _tell_manager(site_id: str, key: str, **words: str) -> None:
    try:
        site: Site = sites.get(site_id)
    except NotFound:
        return
    line = sites.line_of(site)
    if site.manager_phone and line is not None:
        text = say(site.languages[0], key, site=site.name, **words)
        telling.answer(line, site.manager_phone, text)


def _in_trouble(printer: Printer, gettext: Gettext) -> Letter:
    name = {"name": printer.name}
    subjects = {
        "offline": gettext("The printer “%(name)s” does not answer"),
        "paper_out": gettext("The printer “%(name)s” is out of paper"),
        "cover_open": gettext("The cover of the printer “%(name)s” is open"),
    }
    subject = subjects.get(printer.state, gettext("The printer “%(name)s” has an error")) % name
    return subject, [
        subject + ".",
        gettext("Its tickets wait and are printed as soon as it works. Its page:"),
    ]


def _is_well(printer: Printer, gettext: Gettext) -> Letter:
    name = {"name": printer.name}
    return gettext("The printer “%(name)s” works again") % name, [
        gettext("the printer “%(name)s” works again. What waited for it is printed now.") % name
    ]


def _about_tickets(site: Site, jobs: list[PrintJob], gettext: Gettext) -> Letter:
    facts = {"count": len(jobs), "site": site.name}
    titles = [f"- {job.title}" for job in jobs[:MOST_NAMED]]
    if len(jobs) > MOST_NAMED:
        titles.append("- …")
    return gettext("%(count)s tickets at %(site)s may not have been printed") % facts, [
        gettext("no printer confirmed %(count)s tickets at %(site)s, or they failed:") % facts,
        "\n".join(titles),
        gettext("Look at the printers, then choose Resend or It printed:"),
    ]


def _about_ticket(job: PrintJob, gettext: Gettext) -> Letter:
    title = {"title": job.title}
    if job.state == "failed":
        return gettext("A ticket was not printed: %(title)s") % title, [
            gettext("the ticket “%(title)s” could not be printed.") % title,
            gettext("Look at it and print it again:"),
        ]
    return gettext("Was this ticket printed? %(title)s") % title, [
        gettext("no printer confirmed the ticket “%(title)s”; it may lie there all the same.")
        % title,
        gettext("Look at the printer, then choose Resend or It printed:"),
    ]
