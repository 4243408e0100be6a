"""A campaign's results: live progress, every recipient, and an export."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from flask import g, redirect, render_template, request, url_for
from flask_login import current_user

from core.clock import rfc3339
from core.db import tenant_scope
from core.values.money import quantize
from messaging.campaigns import dry_run as campaign_dry_run
from messaging.campaigns import order_port, results
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.results import RecipientResult
from messaging.models import Campaign
from portal.campaigns import campaigns_pages
from portal.campaigns.effect_labels import amount, effect_sentence
from portal.campaigns.labels import stop_reason
from portal.campaigns.views import CAMPAIGN
from portal.web.auth import may, member_may
from portal.web.csv_files import csv_response
from portal.web.i18n import format_duration
from portal.web.paging import PAGE, cursor_in_url, page_of

BATCH = 500
COLUMNS = (
    *("contact_id", "name", "phone", "state", "reason", "coupon", "message_id", "handed_at"),
    *("replied_at", "opted_out_at", "orders", "spent", "currency", "cost_usd"),
    *("tapped", "tapped_at", "variant", "clicked_at"),
)
EFFECT_COLUMNS = (
    *("variant", "people", "sent", "clicked", "link_clicks"),
    *("buyers", "conversion_percent", "orders", "spent", "cost_usd"),
    *("extra_orders", "extra_orders_low", "extra_orders_high"),
    *("extra_spent", "extra_spent_low", "extra_spent_high", "verdict"),
)
EFFECT_AMOUNTS = ("spent", "extra_spent", "extra_spent_low", "extra_spent_high")


@campaigns_pages.get(CAMPAIGN)
@member_may("campaigns.view")
def campaign(campaign_id: str) -> Any:
    """With `X-Part`, only the parts that change."""
    shown = _shown()
    with tenant_scope(g.tenant_id):
        one = campaign_repository.get(campaign_id)
        if one.state == "draft" and may("campaigns.manage"):
            return redirect(url_for("campaigns.who", campaign_id=campaign_id))
        line = campaign_repository.campaign_line(one)
        left = one.counts.get("waiting", 0) + one.counts.get("open", 0)
        facts = {
            "campaign": one,
            "counts": one.counts,
            "because": stop_reason(one),
            "lasts": format_duration(int(left / campaign_dry_run.messages_per_second(line)))
            if line and left
            else "",
            "zone": current_user.account.time_zone or "UTC",
            "currency": _orders_currency(one),
            "sentence": _effect_sentence(one),
            "effect_amount": amount,
        }
        found = results.list_results(one, shown, cursor_in_url(), PAGE + 1)
        moving = "X-Part" in request.headers
        figures = (
            campaign_dry_run.count_recipients(one, line)
            if one.state == "scheduled" and not moving
            else None
        )
    params: dict[str, Any] = {"campaign_id": campaign_id, "shown": shown or None}
    page = page_of(found, "campaigns.campaign", params, PAGE, lambda row: row.recipient.contact_id)
    if moving:
        return render_template("campaigns/live.html", **facts) + render_template(
            "campaigns/recipients.html",
            campaign=one,
            recipients=page.rows,
            shown=shown,
            **page.urls,
        )
    return render_template(
        "campaigns/campaign.html",
        **facts,
        line=line,
        dry_run=figures,
        recipients=page.rows,
        shown=shown,
        kinds=results.RESULT_STATES,
        csv_url=url_for("campaigns.export", **params),
        **page.urls,
    )


def _orders_currency(one: Campaign) -> str:
    """Of the orders that followed the campaign; not shown before it starts."""
    if one.state in ("scheduled", "draft"):
        return ""
    return order_port.orders_currency(str(one.filters.get("site_id") or ""))


def _effect_sentence(one: Campaign) -> str:
    comparisons = (one.counts.get("effect") or {}).get("comparisons", [])
    currency = str(one.counts.get("currency", ""))
    return effect_sentence(comparisons[0], currency) if comparisons else ""


@campaigns_pages.get(f"{CAMPAIGN}/effect.csv")
@member_may("campaigns.view")
def effect_csv(campaign_id: str) -> Any:
    """One row for each group and one for each comparison with the holdout group."""
    with tenant_scope(g.tenant_id):
        one = campaign_repository.get(campaign_id)
    effect, currency = one.counts.get("effect") or {}, str(one.counts.get("currency", ""))
    rows = [
        (kind, *(_effect_cell(name, row.get(name)) for name in EFFECT_COLUMNS), currency)
        for kind in ("groups", "comparisons")
        for row in effect.get(kind, [])
    ]
    return csv_response("campaign-effect", ("kind", *EFFECT_COLUMNS, "currency"), rows)


def _effect_cell(name: str, value: Any) -> object:
    """Amounts become numbers: a text that begins with a minus would get a quote before it."""
    return Decimal(value) if value is not None and name in EFFECT_AMOUNTS else value


@campaigns_pages.get(f"{CAMPAIGN}/results.csv")
@member_may("campaigns.view")
def export(campaign_id: str) -> Any:
    """Stream the recipients in batches, each in its own transaction."""
    tenant_id, shown = g.tenant_id, _shown()
    with tenant_scope(tenant_id):
        currency = str(campaign_repository.get(campaign_id).counts.get("currency", ""))

    def rows() -> Iterator[tuple[str, ...]]:
        after = None
        while True:
            with tenant_scope(tenant_id):
                batch = results.list_results(
                    campaign_repository.get(campaign_id), shown, after, BATCH
                )
                cells = [_cells(one, currency) for one in batch]
            yield from cells
            if len(batch) < BATCH:
                return
            after = batch[-1].recipient.contact_id

    return csv_response("campaign", COLUMNS, rows())


def _cells(one: RecipientResult, currency: str) -> tuple[str, ...]:
    row = one.recipient
    times = [rfc3339(at) if at else "" for at in (row.handed_at, row.replied_at, row.opted_out_at)]
    cells = (row.contact_id, one.name, one.phone, one.shown, row.reason or row.cause, row.coupon)
    spent = str(quantize(row.spent, currency)) if currency else str(row.spent)
    bought = (str(row.orders), spent, currency)
    tapped = (row.tapped, rfc3339(row.tapped_at) if row.tapped_at else "")
    clicked = (row.variant, rfc3339(row.clicked_at) if row.clicked_at else "")
    return (*cells, row.message_id or "", *times, *bought, str(row.cost_usd), *tapped, *clicked)


def _shown() -> str:
    requested = request.args.get("shown", "")
    return requested if requested in results.RESULT_STATES else ""
