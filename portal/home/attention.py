"""Items that need attention, shown on Home until they are resolved."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from flask import current_app, url_for
from flask_babel import format_date, gettext
from flask_login import current_user

from core.clock import now
from messaging.lines.repository import SENDING_STATES
from messaging.templates import repository as template_repository
from portal.home.attention_item import AttentionItem
from portal.home.counts import MOST_COUNTED, count_what_needs_attention
from portal.home.kitchen_attention import kitchen_attention_items
from portal.web.auth import may
from portal.web.i18n import network_message
from printing.printers import PrinterSummary
from restaurant.models import Site
from tenants.plans import quota, renewals
from tenants.plans.catalog import TenantFacts
from webhooks import endpoints

MOST = 5


def attention_items(
    facts: TenantFacts,
    used: quota.Usage,
    lines: Sequence[Any],
    sites: list[Site],
    printers: list[PrinterSummary],
) -> list[AttentionItem]:
    """Runs in the tenant's open transaction; returns only what the person may see."""
    counts = count_what_needs_attention()
    found: list[AttentionItem] = []
    if may("lines.view"):
        found += _lines(lines) + _templates(lines) + _hooks(counts["hooks"])
    if may("messages.view"):
        found += _messages(counts["unsettled"])
    if may("webhooks.view"):
        found += _endpoints()
    if may("settings.manage"):
        found += _plan()
    return _usage(facts, used) + kitchen_attention_items(counts, sites, printers) + found


def _lines(lines: Sequence[Any]) -> list[AttentionItem]:
    return [
        AttentionItem(
            "bad" if line.state not in SENDING_STATES else "wait",
            _line_words(line),
            url_for("lines.line", line_id=line.id),
            gettext("Open line"),
        )
        for line in lines
        if line.state != "connected" and line.enabled and not line.test
    ][:MOST]


def _line_words(line: Any) -> str:
    if line.state == "unpaired":
        return str(gettext("No phone is linked to “%(name)s” yet.", name=line.name))
    if not line.state_because:
        return str(gettext("The line “%(name)s” is not connected.", name=line.name))
    return f"{line.name}: {network_message(line.state_because)}"


def _templates(lines: Sequence[Any]) -> list[AttentionItem]:
    live = [line for line in lines if not line.test]
    own_accounts = frozenset(map(template_repository.template_account, live))
    held = template_repository.stopped_templates(own_accounts, MOST)
    return [
        AttentionItem(
            "wait",
            gettext("WhatsApp stopped the template “%(name)s”.", name=one.name),
            url_for("templates.template", template_id=one.id),
            gettext("See why"),
        )
        for one in held
    ]


def _hooks(count: int) -> list[AttentionItem]:
    if not count:
        return []
    shown = f"{count}+" if count >= MOST_COUNTED else str(count)
    return [
        AttentionItem(
            "wait",
            gettext("Received webhooks that failed: %(count)s.", count=shown),
            url_for("received.index", state="parked"),
            gettext("Review"),
        )
    ]


def _messages(count: int) -> list[AttentionItem]:
    if not count:
        return []
    return [
        AttentionItem(
            "wait",
            gettext(
                "Messages not confirmed by WhatsApp: %(count)s. They may have been "
                "delivered, so they are not resent automatically.",
                count=count,
            ),
            url_for("messages.index", state="unknown"),
            gettext("Review"),
        )
    ]


def _endpoints() -> list[AttentionItem]:
    return [
        AttentionItem(
            "bad" if not one.enabled else "wait",
            gettext(
                "The webhook endpoint %(url)s was turned off because no events could be delivered.",
                url=one.url,
            )
            if not one.enabled
            else gettext("The webhook endpoint %(url)s is not accepting events.", url=one.url),
            url_for("webhooks.endpoint", endpoint_id=one.id),
            gettext("See why"),
        )
        for one in endpoints.failing_endpoints(MOST)
    ]


def _plan() -> list[AttentionItem]:
    """A paid month is not renewed automatically."""
    grace = current_app.extensions["comanda"].plan_grace_days
    stands = renewals.plan_status(current_user.account, current_user.tenant.plan, grace)
    if stands.soon:
        sentence = gettext(
            "Your paid month ends on %(day)s.", day=format_date(stands.until, "d MMMM")
        )
    elif stands.stage in ("over", "due"):
        sentence = gettext(
            "Your paid month has ended. On %(day)s the account moves to a smaller plan.",
            day=format_date((stands.last or now().date()) + timedelta(days=1), "d MMMM"),
        )
    elif stands.recently_lapsed:
        sentence = gettext("Your plan was not paid for and has ended. Pay to reactivate it.")
    else:
        return []
    tone = "wait" if stands.soon else "bad"
    action = gettext("Reactivate plan") if stands.lapsed_on else gettext("Pay for another month")
    return [AttentionItem(tone, sentence, url_for("plan.index", _anchor="renew"), action)]


def _usage(facts: TenantFacts, used: quota.Usage) -> list[AttentionItem]:
    shares = []
    if facts.monthly_messages:
        shares.append(used.messages * 100 / facts.monthly_messages)
    if facts.spend_cap_usd:
        shares.append(float(used.spend_usd * 100 / facts.spend_cap_usd))
    share = max(shares, default=0)
    if share < 80:
        return []
    sentence = (
        gettext(
            "This month's message limit or spend cap has been reached. New messages are refused."
        )
        if share >= 100
        else gettext("You have used most of this month's message limit or spend cap.")
    )
    return [AttentionItem("bad" if share >= 100 else "wait", sentence, "", "")]
