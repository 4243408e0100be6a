"""Tell a tenant that the month's messages or money are running out."""

from core.db import tenant_scope
from core.logs import logger
from core.money import json_number
from core.rings import hear
from jobs import rounds
from jobs.letters import Gettext, Letter, to_admins
from tenants import warnings
from tenants.plans import known_facts
from tenants.warnings import Reached
from webhooks.publishing import publish

log = logger(__name__)


def send(tenant_id: int, percent: int = 0) -> bool:
    """True: this call told it. Letters and event in the transaction that notes it as told."""
    hear("jobs.warnings.send", tenant_id, percent)
    with tenant_scope(tenant_id):
        facts = known_facts()
        found = warnings.reached(facts, percent)
        if found is None or not warnings.first_word(found.percent):
            return False
        to_admins(lambda gettext: _letter(found, facts.name, gettext), "/home")
        publish(
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


def look() -> int:
    """Hourly: what a lost bell would have told."""
    hear("jobs.warnings.look")
    told = 0

    def look_at(tenant_id: int) -> bool:
        nonlocal told
        told += send(tenant_id)
        return False

    rounds.go("jobs.warnings.look", look_at)
    return told


def _letter(found: Reached, business: str, gettext: Gettext) -> Letter:
    values = {
        "business": business,
        "percent": found.percent,
        "used": f"{found.used:,.2f}" if found.of == "spend" else f"{found.used:,.0f}",
        "limit": f"{found.limit:,.2f}" if found.of == "spend" else f"{found.limit:,.0f}",
    }
    if found.of == "spend":
        subject = gettext("%(percent)s%% of this month's spend cap is used") % values
        how_much = gettext(
            "%(business)s has spent %(used)s of %(limit)s US dollars on messages this month."
        )
    else:
        subject = gettext("%(percent)s%% of this month's messages are used") % values
        how_much = gettext("%(business)s has sent %(used)s of this month's %(limit)s messages.")
    if found.percent >= 100:
        then = gettext(
            "Sends are refused until the month is over or the limit is raised. Choose a larger plan"
            " or raise the cap to go on:"
        )
    else:
        then = gettext(
            "When all is used, sends are refused. Choose a larger plan in time to go on:"
        )
    return subject, [how_much % values, then]
