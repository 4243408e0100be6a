"""Print jobs: render those that wait, monitor those that were handed out."""

from datetime import UTC, datetime, timedelta
from functools import partial

from core.clock import now
from core.db import notify_workers, tenant_scope
from core.errors import NotFound
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from jobs.restaurant.orders import LOST_WAKEUP_AFTER
from jobs.tenants.admin_emails import Email, Gettext, email_admins
from printing import monitoring as print_monitoring
from printing import render_jobs
from printing.models import PRINTING_LANE, Printer, PrintJob
from restaurant.chat_texts import chat_text
from restaurant.models import Site
from restaurant.orders import notifications as order_notifications
from restaurant.sites import sites

EMAIL_INTERVAL = timedelta(minutes=30)
NEVER = datetime(2000, 1, 1, tzinfo=UTC)
MOST_NAMED = 10


def sweep() -> None:
    """In the sweep's global transaction. Marks the lanes again, because the wake-up may be lost."""
    for tenant_id in lanes.pop_later_due(PRINTING_LANE):
        lanes.mark_later(PRINTING_LANE, tenant_id, now() + LOST_WAKEUP_AFTER)
        notify_workers("jobs.printing.monitor_printers", tenant_id)


def render(tenant_id: int) -> int:
    """In batches, so that the first tickets are ready before the last are rendered."""
    acknowledge_wakeup("jobs.printing.render", tenant_id)
    done = 0
    while True:
        with tenant_scope(tenant_id):
            step = render_jobs.render_due()
        done += step
        if step < render_jobs.BATCH:
            return done


def monitor_printers(tenant_id: int) -> None:
    acknowledge_wakeup("jobs.printing.monitor_printers", tenant_id)
    render(tenant_id)
    with tenant_scope(tenant_id):
        print_monitoring.check_due()
    with tenant_scope(tenant_id):
        _send_alerts()


def _send_alerts() -> None:
    broken, well, jobs = print_monitoring.publish_problems()
    for printer in broken:
        email_admins(partial(_printer_alert_email, printer), f"/printers/{printer.id}")
        _message_manager(printer.site_id, f"printer_{printer.state}", printer=printer.name)
    for printer in well:
        email_admins(partial(_printer_recovery_email, printer), f"/printers/{printer.id}")
    for job in [one for one in jobs if one.kind not in ("test", "strip")]:
        _message_manager(job.site_id, f"ticket_{job.state}", ticket=job.title)
    for site_id, unprinted in print_monitoring.emails_due().items():
        _email_unprinted_tickets(site_id, unprinted)


def _email_unprinted_tickets(site_id: str, unprinted: list[PrintJob]) -> None:
    """E-mail about the first ticket at once; gather later ones into one e-mail per half hour."""
    site: Site = sites.get_including_closed(site_id)
    following = (site.ticket_letter_at or NEVER) + EMAIL_INTERVAL
    if following > now():
        lanes.mark_later(PRINTING_LANE, site.tenant_id, following)
        return
    site.ticket_letter_at = now()
    for job in unprinted:
        job.letter_due = False
    if len(unprinted) == 1:
        email_admins(
            partial(_unprinted_ticket_text, unprinted[0]), f"/print-jobs/{unprinted[0].id}"
        )
    else:
        states = {job.state for job in unprinted}
        query = f"?state={states.pop()}" if len(states) == 1 else ""
        email_admins(partial(_unprinted_tickets_email, site, unprinted), f"/print-jobs{query}")


def _message_manager(site_id: str, key: str, **words: str) -> None:
    try:
        site: Site = sites.get(site_id)
    except NotFound:
        return
    line = sites.line_of(site)
    if site.manager_phone and line is not None:
        text = chat_text(site.languages[0], key, site=site.name, **words)
        order_notifications.send_text(line, site.manager_phone, text)


def _printer_alert_email(printer: Printer, gettext: Gettext) -> Email:
    name = {"name": printer.name}
    subjects = {
        "offline": gettext("The printer “%(name)s” is not responding"),
        "paper_out": gettext("The printer “%(name)s” is out of paper"),
        "cover_open": gettext("The printer “%(name)s” has its cover open"),
    }
    subject = subjects.get(printer.state, gettext("The printer “%(name)s” has an error")) % name
    return subject, [
        subject + ".",
        gettext(
            "Its tickets are waiting and will print as soon as the printer "
            "works again. Open the printer:"
        ),
    ]


def _printer_recovery_email(printer: Printer, gettext: Gettext) -> Email:
    name = {"name": printer.name}
    return gettext("The printer “%(name)s” is working again") % name, [
        gettext("the printer “%(name)s” is working again. Waiting tickets are being printed now.")
        % name
    ]


def _unprinted_tickets_email(site: Site, jobs: list[PrintJob], gettext: Gettext) -> Email:
    facts = {"count": len(jobs), "site": site.name}
    titles = [f"- {job.title}" for job in jobs[:MOST_NAMED]]
    if len(jobs) > MOST_NAMED:
        titles.append("- …")
    return gettext("%(count)s tickets at %(site)s may not have been printed") % facts, [
        gettext("%(count)s tickets at %(site)s failed or were not confirmed by a printer:") % facts,
        "\n".join(titles),
        gettext("Check the printers, then choose Send again or Yes, it was printed:"),
    ]


def _unprinted_ticket_text(job: PrintJob, gettext: Gettext) -> Email:
    title = {"title": job.title}
    if job.state == "failed":
        return gettext("A ticket was not printed: %(title)s") % title, [
            gettext("the ticket “%(title)s” could not be printed.") % title,
            gettext("Check the ticket and print it again:"),
        ]
    return gettext("Was this ticket printed? %(title)s") % title, [
        gettext("no printer confirmed the ticket “%(title)s”. It may still have been printed.")
        % title,
        gettext("Check the printer, then choose Send again or Yes, it was printed:"),
    ]
