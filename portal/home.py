"""Home: what happened, what is left to set up."""

from collections import Counter
from datetime import date, timedelta
from typing import Any

from flask import Blueprint, g, render_template
from flask_babel import format_date
from flask_login import current_user

from core.clock import now
from core.db import tenant_scope
from messaging import usage
from portal.needs import needs
from portal.visitors import may, member_may
from tenants import audit, keys, quota, team
from tenants.plans import known_facts

home = Blueprint("home", __name__)

DAYS = 14


@home.get("/home")
@member_may("home.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        facts = known_facts()
        members, waiting = team.members(), team.invitations()
        working = [key for key in keys.listed() if keys.state_of(key) == "active"]
        used = quota.usage(facts)
        days = _days(now().date()) if may("messages.view") else []
        entries = audit.entries(limit=8) if may("audit.view") else []
        wanting = needs(facts, used)
    steps = {
        "verified": current_user.person.verified_at is not None,
        "key": bool(working),
        "team": len(members) > 1 or bool(waiting),
        "two_step": current_user.person.two_step_since is not None,
    }
    return render_template(
        "home/index.html",
        steps=steps,
        facts=facts,
        usage=used,
        members=members,
        invitations=waiting,
        keys=working,
        entries=entries,
        days=days,
        needs=wanting,
    )


def _days(today: date) -> list[tuple[str, int]]:
    """Messages in and out by day, oldest first; nothing while there are none."""
    first = today - timedelta(days=DAYS - 1)
    counts: Counter[date] = Counter()
    for total in usage.days(first, today):
        counts[total.day] += total.sent + total.received
    if not any(counts.values()):
        return []
    days = [first + timedelta(days=number) for number in range(DAYS)]
    return [(format_date(day, "d MMM"), counts[day]) for day in days]
