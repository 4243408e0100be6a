"""E-mail the admins once when a line has stopped or works again, with what to do."""

from core.db import global_scope, notify_workers, tenant_scope
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from jobs.admin_emails import Email, Gettext, email_admins
from messaging.lines import alerts as line_alerts
from messaging.lines.alerts import LANE, LineAlert
from messaging.lines.drivers.registry import DRIVERS
from messaging.reasons import NETWORK_REASONS

LANE_SECONDS = 30.0


def send_alerts() -> int:
    acknowledge_wakeup("jobs.lines.alerts.send_alerts")
    told = 0
    while True:
        with global_scope():
            leased = lanes.lease_next(LANE, LANE_SECONDS)
        if leased is None:
            return told
        tenant_id, lease = leased
        # Release the lane first: an alert that is added while these are sent marks it again.
        with global_scope():
            lanes.release(LANE, tenant_id, lease)
        with tenant_scope(tenant_id):
            told += sum(_send_alert(news) for news in line_alerts.claim_unsent_alerts())


def sweep() -> None:
    """In the sweep's global transaction: lanes without a wake-up."""
    if lanes.any_due(LANE):
        notify_workers("jobs.lines.alerts.send_alerts")


def _send_alert(news: LineAlert) -> int:
    if news.test:
        return 0
    write = _recovery_email if news.well else _alert_email
    return email_admins(lambda gettext: write(news, gettext), f"/lines/{news.line_id}")


def _recovery_email(news: LineAlert, gettext: Gettext) -> Email:
    name = {"name": news.name}
    return gettext("The line “%(name)s” works again") % name, [
        gettext("the line “%(name)s” sends again. What waited for it leaves now.") % name
    ]


def _alert_email(news: LineAlert, gettext: Gettext) -> Email:
    name = {"name": news.name}
    subjects = {
        "token_expired": gettext("The line “%(name)s” has stopped: its access token ran out"),
        "restricted": gettext("The line “%(name)s” has stopped: the network restricted it"),
        "quality_low": gettext("The line “%(name)s” is paused: its quality has fallen"),
        "logged_out": gettext("The line “%(name)s” has stopped: its phone signed it out"),
    }
    subject = subjects.get(news.state, gettext("The line “%(name)s” has stopped")) % name
    place = f"linked_{news.state}" if DRIVERS[news.kind].has_sessions else news.state
    what_now = [_failover_text(news, gettext), _advice(place, gettext)]
    return subject, [
        NETWORK_REASONS.translated(news.because, gettext) or subject,
        *filter(None, what_now),
    ]


def _failover_text(news: LineAlert, gettext: Gettext) -> str:
    if news.stand_in:
        return gettext("Meanwhile its messages leave by the line “%(name)s”.") % {
            "name": news.stand_in
        }
    return gettext("Its messages wait; nothing is lost, but they may come too late.")


def _advice(state: str, gettext: Gettext) -> str:
    return {
        "token_expired": gettext(
            "What to do: make a new access token for the system user in the business settings, one"
            " that never expires, and enter it on the page of the line:"
        ),
        "restricted": gettext(
            "What to do: open the account quality page of the WhatsApp Manager, see what the"
            " network asks for, and appeal there if it is wrong. Then press Check on the page of"
            " the line:"
        ),
        "quality_low": gettext(
            "What to do: write only to people who expect it, and make it easy to say stop. It goes"
            " on by itself when the network calls its quality good again, or at once when you press"
            " Send again on the page of the line:"
        ),
        "linked_restricted": gettext(
            "What to do: stop writing to people who did not write first, and look into the app on"
            " the phone, which says how long it lasts. The page of the line:"
        ),
        "linked_disconnected": gettext(
            "What to do: see that the phone is switched on and online. It is tried again by itself;"
            " Restart on the page of the line tries at once:"
        ),
        "linked_logged_out": gettext(
            "What to do: open the page of the line and scan its code with the phone again:"
        ),
    }.get(state, gettext("What to do: open the page of the line:"))
