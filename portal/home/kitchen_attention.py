"""Restaurant items that need attention: tickets, printers, refunds, orders not accepted."""

from datetime import timedelta
from uuid import UUID

from flask import url_for
from flask_babel import gettext
from sqlalchemy import Select, select

from core.clock import now
from core.db import current_tenant_id
from core.ids import from_uuid
from core.sql.partitions import id_at
from portal.home.attention_item import AttentionItem
from portal.web.auth import may
from printing.models import Printer, PrintJob
from restaurant.models import Order, Refund, Site, Trip
from restaurant.orders.printing import station_coverage
from restaurant.payments import payments

MOST = 5
RECENT = timedelta(days=2)
HEALTHY_STATES = frozenset({"ready", "unknown"})


def kitchen_attention_items(
    counts: dict[str, int], sites: list[Site], printers: list[Printer]
) -> list[AttentionItem]:
    found: list[AttentionItem] = []
    if may("orders.view"):
        found += _orders(counts["orders"]) + _deliveries(counts["deliveries"])
    if may("payments.view"):
        found += _payments(counts["reviews"]) + _refunds(counts["refunds"])
    if may("printing.view"):
        found += _stations(sites, printers) + _printers(printers)
        found += _tickets(counts["lost"], counts["unsure"])
    return found


def countable() -> dict[str, Select[str]]:
    """What is counted, as far as the person may see it."""
    tenant_id = current_tenant_id()
    found: dict[str, Select[str]] = {}
    if may("orders.view"):
        found["orders"] = select(Order.id).where(
            Order.tenant_id == tenant_id,
            Order.ended_at.is_(None),
            Order.state == "awaiting_confirmation",
            Order.alarmed_at.is_not(None),
        )
        found["deliveries"] = select(Trip.order_id).where(
            Trip.tenant_id == tenant_id, Trip.ended_at.is_(None), Trip.problem != ""
        )
    if may("payments.view"):
        found["reviews"] = payments.payments_in_review()
        found["refunds"] = select(Refund.id).where(
            Refund.tenant_id == tenant_id,
            Refund.state.in_(("failed", "unknown")),
            Refund.at > now() - timedelta(days=14),
        )
    if may("printing.view"):
        since = from_uuid("pj", UUID(id_at(now() - RECENT)))
        found["lost"] = _recent_jobs("failed", since).where(PrintJob.told.is_(False))
        found["unsure"] = _recent_jobs("unconfirmed", since)
    return found


def _orders(count: int) -> list[AttentionItem]:
    return _if_any(
        count,
        "bad",
        gettext("Orders not accepted in time: %(count)s.", count=count),
        url_for("board.index"),
        gettext("Open board"),
    )


def _deliveries(count: int) -> list[AttentionItem]:
    return _if_any(
        count,
        "bad",
        gettext("Deliveries with a problem: %(count)s.", count=count),
        url_for("board.index"),
        gettext("Open board"),
    )


def _payments(count: int) -> list[AttentionItem]:
    return _if_any(
        count,
        "bad",
        gettext("Late, duplicate or incorrect payments to review: %(count)s.", count=count),
        url_for("payments.review"),
        gettext("Review payments"),
    )


def _refunds(count: int) -> list[AttentionItem]:
    return _if_any(
        count,
        "bad",
        gettext("Refunds that failed or have an unknown outcome: %(count)s.", count=count),
        url_for("payments.index"),
        gettext("Review"),
    )


def _stations(sites: list[Site], printers: list[Printer]) -> list[AttentionItem]:
    """Stations without a printer, whose orders would be missed."""
    return [
        AttentionItem(
            "bad",
            gettext(
                "No printer is set up for the station “%(station)s” at %(site)s.",
                station=gettext(station.name),
                site=site.name,
            ),
            url_for("printers.index"),
            gettext("Set up printer"),
        )
        for site, missing in station_coverage.uncovered_stations(sites, printers)
        for station in missing
    ][:MOST]


def _printers(printers: list[Printer]) -> list[AttentionItem]:
    return [
        AttentionItem(
            "bad" if one.state == "offline" else "wait",
            gettext("The printer “%(name)s” needs attention.", name=one.name),
            url_for("printers.printer", printer_id=one.id),
            gettext("Open printer"),
        )
        for one in printers
        if one.enabled and one.state not in HEALTHY_STATES
    ][:MOST]


def _tickets(lost: int, unsure: int) -> list[AttentionItem]:
    return [
        *_if_any(
            lost,
            "bad",
            gettext("Tickets not printed: %(count)s.", count=lost),
            url_for("print_jobs.index", state="failed"),
            gettext("Review"),
        ),
        *_if_any(
            unsure,
            "wait",
            gettext("Tickets not confirmed by a printer: %(count)s.", count=unsure),
            url_for("print_jobs.index", state="unconfirmed"),
            gettext("Review"),
        ),
    ]


def _recent_jobs(state: str, since: str) -> Select[str]:
    return select(PrintJob.id).where(
        PrintJob.tenant_id == current_tenant_id(), PrintJob.state == state, PrintJob.id >= since
    )


def _if_any(count: int, tone: str, text: str, url: str, action: str) -> list[AttentionItem]:
    return [AttentionItem(tone, text, url, action)] if count else []
