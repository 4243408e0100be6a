"""Home: what happened, what is left to set up."""

from datetime import date, timedelta
from typing import Any

from flask import Blueprint, g, render_template
from flask_login import current_user

from core.clock import now
from core.db import tenant_scope
from messaging import lines_book, reading, usage
from messaging.models import Message
from messaging.usage import Total
from portal.needs import needs
from portal.visitors import may, member_may
from tenants import audit, keys, quota, team
from tenants.plans import known_facts

home = Blueprint("home", __name__)

DAYS = 14
FAILURES, FAILED_LATELY = 5, timedelta(days=3)


@home.get("/home")
@member_may("home.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        facts = known_facts()
        members, waiting = team.members(), team.invitations()
        working = [key for key in keys.listed() if keys.state_of(key) == "active"]
        used = quota.usage(facts)
        days = _days(now().date()) if may("messages.view") else []
        wanting = needs(facts, used)
        lines = lines_book.listed() if may("lines.view") else []
        failed = _latest_failures() if may("messages.view") else []
        entries = audit.entries(limit=6) if may("audit.view") else []
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
        today=days[-1] if days else Total(now().date()),
        lines=[line for line in lines if not line.test],
        failed=failed,
        next_month=(now().date().replace(day=1) + timedelta(days=32)).replace(day=1),
    )


def _latest_failures() -> list[Message]:
    """Of the last days, by the index of messages that ended badly."""
    failed = reading.listed(reading.Filters(state="failed"), None, FAILURES)
    return [message for message in failed if message.created_at > now() - FAILED_LATELY]


def _days(today: date) -> list[Total]:
    """By day, oldest first, live lines and test lines together; nothing while there are none."""
    span = usage.period(today - timedelta(days=DAYS - 1), today)
    found = {total.key: total for total in usage.totals(span, "day")}
    return [found.get(day) or Total(day) for day in span.days()] if found else []
