"""Restaurant items that need attention: tickets, printers, refunds, orders not accepted."""

from flask import url_for
from flask_babel import gettext

from portal.home.attention_item import AttentionItem
from portal.web.auth import may
from printing.printers import PrinterSummary
from restaurant.models import Site
from restaurant.orders.printing import station_coverage

MOST = 5
HEALTHY_STATES = frozenset({"ready", "unknown"})


def kitchen_attention_items(
    counts: dict[str, int], sites: list[Site], printers: list[PrinterSummary]
) -> list[AttentionItem]:
    found: list[AttentionItem] = []
    if may("orders.view"):
        found += _orders(counts["orders"]) + _deliveries(counts["deliveries"])
        found += _unhappy_guests(counts["unhappy"])
    if may("payments.view"):
        found += _payments(counts["reviews"]) + _refunds(counts["refunds"])
    if may("printing.view"):
        found += _stations(sites, printers) + _printers(printers)
        found += _tickets(counts["lost"], counts["unsure"])
    return found


def _orders(count: int) -> list[AttentionItem]:
    if not count:
        return []
    return [
        AttentionItem(
            "bad",
            gettext("Orders not accepted in time: %(count)s.", count=count),
            url_for("board.index"),
            gettext("Open board"),
        )
    ]


def _deliveries(count: int) -> list[AttentionItem]:
    if not count:
        return []
    return [
        AttentionItem(
            "bad",
            gettext("Deliveries with a problem: %(count)s.", count=count),
            url_for("board.index"),
            gettext("Open board"),
        )
    ]


def _unhappy_guests(count: int) -> list[AttentionItem]:
    if not count:
        return []
    return [
        AttentionItem(
            "bad",
            gettext("Guests who were not happy with their order: %(count)s.", count=count),
            url_for("orders.unhappy"),
            gettext("Answer them"),
        )
    ]


def _payments(count: int) -> list[AttentionItem]:
    if not count:
        return []
    return [
        AttentionItem(
            "bad",
            gettext("Late, duplicate or incorrect payments to review: %(count)s.", count=count),
            url_for("payments.review"),
            gettext("Review payments"),
        )
    ]


def _refunds(count: int) -> list[AttentionItem]:
    if not count:
        return []
    return [
        AttentionItem(
            "bad",
            gettext("Refunds that failed or have an unknown outcome: %(count)s.", count=count),
            url_for("payments.index"),
            gettext("Review"),
        )
    ]


def _stations(sites: list[Site], printers: list[PrinterSummary]) -> list[AttentionItem]:
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


def _printers(printers: list[PrinterSummary]) -> list[AttentionItem]:
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
    found = []
    if lost:
        found.append(
            AttentionItem(
                "bad",
                gettext("Tickets not printed: %(count)s.", count=lost),
                url_for("print_jobs.index", state="failed"),
                gettext("Review"),
            )
        )
    if unsure:
        found.append(
            AttentionItem(
                "wait",
                gettext("Tickets not confirmed by a printer: %(count)s.", count=unsure),
                url_for("print_jobs.index", state="unconfirmed"),
                gettext("Review"),
            )
        )
    return found
