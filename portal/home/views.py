"""Home: today's figures, items that need attention, and remaining setup steps."""

from datetime import timedelta
from typing import Any

from flask import Blueprint, g, render_template
from flask_login import current_user

from core.clock import now
from core.db import read_rows, tenant_scope
from messaging.lines import repository as line_repository
from messaging.messages import queries as message_queries
from messaging.models import Line
from portal.home import today
from portal.home.attention import attention_items
from portal.onboarding import first_steps
from portal.web import charts
from portal.web.auth import may, member_may
from printing import printers
from restaurant.sites import sites
from tenants import audit
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts

home = Blueprint("home", __name__)

LINES = line_repository.LINES.with_only_columns(
    Line.id,
    Line.name,
    Line.phone,
    Line.kind,
    Line.network,
    Line.test,
    Line.enabled,
    Line.state,
    Line.state_because,
    Line.account_id,
    Line.phone_number_id,
)
FAILURES, FAILED_LATELY = 5, timedelta(days=3)


@home.get("/home")
@member_may("home.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        facts, account = current_tenant_facts(), current_user.account
        known_sites = sites.listed() if may("orders.view") or may("printing.view") else []
        known_printers = printers.summaries_in_use() if may("printing.view") else []
        used = quota.usage(facts)
        steps = (
            first_steps.steps(account, current_user.person) if first_steps.is_shown(account) else []
        )
        figures = today.read_today(known_sites, known_printers)
        lines = read_rows(LINES) if may("lines.view") else []
        wanting = attention_items(facts, used, lines, known_sites, known_printers)
        failed = _latest_failures() if may("messages.view") else []
        entries = audit.latest_changes(6) if may("audit.view") else []
    return render_template(
        "home/index.html",
        steps=steps,
        account=account,
        facts=facts,
        usage=used,
        entries=entries,
        figures=figures,
        today=figures.sent_today,
        days=figures.messages,
        needs=wanting,
        change=charts.percent_change,
        lines=[line for line in lines if not line.test],
        failed=failed,
        next_month=(now().date().replace(day=1) + timedelta(days=32)).replace(day=1),
    )


def _latest_failures() -> list[Any]:
    """Failures of the last days."""
    since = now() - FAILED_LATELY
    return [one for one in message_queries.latest_failures(FAILURES) if one.created_at > since]
