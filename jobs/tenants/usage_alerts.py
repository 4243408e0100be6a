"""Tell a tenant that its monthly messages or its spend cap are nearly used up."""

from core.db import tenant_scope
from core.logs import logger
from core.queue.wakeups import acknowledge_wakeup
from core.values.money import json_number
from jobs.engine import all_tenants
from jobs.tenants.admin_emails import Email, Gettext, email_admins
from tenants.plans import usage_alerts
from tenants.plans.catalog import current_tenant_facts
from tenants.plans.usage_alerts import ReachedThreshold
from webhooks.events import publish_webhook_event

log = logger(__name__)


def send_usage_alert(tenant_id: int, percent: int = 0) -> bool:
    """True: this call sent the alert. E-mails and event are in the transaction that records it."""
    acknowledge_wakeup("jobs.tenants.usage_alerts.send_usage_alert", tenant_id, percent)
    with tenant_scope(tenant_id):
        facts = current_tenant_facts()
        found = usage_alerts.highest_reached(facts, percent)
        if found is None or not usage_alerts.claim_alert(found.percent):
            return False
        email_admins(lambda gettext: _email(found, facts.name, gettext), "/home")
        publish_webhook_event(
            "usage.threshold_reached",
            {
                "data": {
                    "percent": found.percent,
                    "of": found.of,
                    "used": json_number(found.used),
                    "limit": json_number(found.limit),
                }
            },
        )
    return True


def check_usage() -> int:
    """Hourly: send the alerts whose wake-up was lost."""
    acknowledge_wakeup("jobs.tenants.usage_alerts.check_usage")
    sent = 0

    def check_tenant(tenant_id: int) -> bool:
        nonlocal sent
        sent += send_usage_alert(tenant_id)
        return False

    all_tenants.run_step("jobs.tenants.usage_alerts.check_usage", check_tenant)
    return sent


def _email(found: ReachedThreshold, business: str, gettext: Gettext) -> Email:
    values = {
        "business": business,
        "percent": found.percent,
        "used": f"{found.used:,.2f}" if found.of == "spend" else f"{found.used:,.0f}",
        "limit": f"{found.limit:,.2f}" if found.of == "spend" else f"{found.limit:,.0f}",
    }
    if found.of == "spend":
        subject = gettext("%(percent)s%% of this month's spend cap used") % values
        how_much = gettext(
            "%(business)s has spent %(used)s of its %(limit)s US dollar cap on messages this month."
        )
    else:
        subject = gettext("%(percent)s%% of this month's messages used") % values
        how_much = gettext("%(business)s has sent %(used)s of this month's %(limit)s messages.")
    if found.percent >= 100:
        then = gettext(
            "Messages are refused until the month ends or the limit is raised. To "
            "continue, choose a larger plan or raise the cap:"
        )
    else:
        then = gettext(
            "When the limit is reached, messages are refused. To continue without "
            "interruption, choose a larger plan in time:"
        )
    return subject, [how_much % values, then]
