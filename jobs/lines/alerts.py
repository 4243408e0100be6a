"""E-mail the admins once when a line has stopped or works again, with what to do."""

from core.db import global_scope, notify_workers, tenant_scope
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from jobs.tenants.admin_emails import Email, Gettext, email_admins
from messaging.lines import alerts as line_alerts
from messaging.lines.alerts import LANE, LineAlert
from messaging.lines.drivers.registry import DRIVERS
from messaging.reasons import NETWORK_REASONS

LANE_SECONDS = 30.0


def send_alerts() -> int:
    acknowledge_wakeup("jobs.lines.alerts.send_alerts")
    sent = 0
    while True:
        with global_scope():
            leased = lanes.lease_next(LANE, LANE_SECONDS)
        if leased is None:
            return sent
        tenant_id, lease = leased
        # Release the lane first: an alert that is added while these are sent marks it again.
        with global_scope():
            lanes.release(LANE, tenant_id, lease)
        with tenant_scope(tenant_id):
            sent += sum(_send_alert(alert) for alert in line_alerts.claim_unsent_alerts())


def sweep() -> None:
    """In the sweep's global transaction: lanes without a wake-up."""
    if lanes.any_due(LANE):
        notify_workers("jobs.lines.alerts.send_alerts")


def _send_alert(alert: LineAlert) -> int:
    if alert.test:
        return 0
    write = _recovery_email if alert.recovered else _alert_email
    return email_admins(lambda gettext: write(alert, gettext), f"/lines/{alert.line_id}")


def _recovery_email(alert: LineAlert, gettext: Gettext) -> Email:
    name = {"name": alert.name}
    return gettext("The line “%(name)s” is working again") % name, [
        gettext("the line “%(name)s” can send again. Waiting messages are being sent now.") % name
    ]


def _alert_email(alert: LineAlert, gettext: Gettext) -> Email:
    name = {"name": alert.name}
    subjects = {
        "token_expired": gettext("The line “%(name)s” has stopped: its access token expired"),
        "restricted": gettext("The line “%(name)s” has stopped: WhatsApp restricted it"),
        "quality_low": gettext("The line “%(name)s” is paused: its quality dropped"),
        "logged_out": gettext("The line “%(name)s” has stopped: it was unlinked on the phone"),
    }
    subject = subjects.get(alert.state, gettext("The line “%(name)s” has stopped")) % name
    place = f"linked_{alert.state}" if DRIVERS[alert.kind].has_sessions else alert.state
    what_now = [_failover_text(alert, gettext), _advice(place, gettext)]
    return subject, [
        NETWORK_REASONS.translated(alert.because, gettext) or subject,
        *filter(None, what_now),
    ]


def _failover_text(alert: LineAlert, gettext: Gettext) -> str:
    if alert.stand_in:
        return gettext("Meanwhile, its messages are sent from the line “%(name)s”.") % {
            "name": alert.stand_in
        }
    return gettext("Its messages are waiting. None are lost, but they may arrive late.")


def _advice(state: str, gettext: Gettext) -> str:
    return {
        "token_expired": gettext(
            "What to do: create a new access token that never expires for the "
            "system user in the business settings, and enter it on the line's page:"
        ),
        "restricted": gettext(
            "What to do: open the account quality page in WhatsApp Manager to see "
            "what WhatsApp requires. If the restriction is wrong, appeal there. "
            "Then choose Check connection on the line's page:"
        ),
        "quality_low": gettext(
            "What to do: send only to people who expect your messages, and make it "
            "easy to opt out. The line resumes automatically when WhatsApp rates "
            "its quality as good again, or immediately if you choose Resume "
            "sending on the line's page:"
        ),
        "linked_restricted": gettext(
            "What to do: stop writing to people who have not written to you first, "
            "and check the app on the phone to see how long the restriction lasts. "
            "Open the line:"
        ),
        "linked_disconnected": gettext(
            "What to do: make sure the phone is turned on and online. We retry "
            "automatically. To retry immediately, choose Restart connection on the "
            "line's page:"
        ),
        "linked_logged_out": gettext(
            "What to do: open the line's page and scan its code with the phone again:"
        ),
    }.get(state, gettext("What to do: open the line's page:"))
