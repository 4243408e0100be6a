"""The orders board: a restaurant's open orders, each with a button for the next step."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from flask import Blueprint, flash, g, jsonify, redirect, render_template, request, url_for
from flask_babel import gettext

from core.clock import now
from core.db import tenant_scope
from core.ids import BadId
from portal.orders.board_cards import OrderCard, order_cards
from portal.orders.delivery_board import DeliveryBoard, delivery_board
from portal.orders.kitchen_board import KitchenBoard, kitchen_board
from portal.web.auth import member_may
from portal.web.csv_files import csv_response
from restaurant.menus import availability
from restaurant.models import Site, Station, Table
from restaurant.orders import waiter_calls
from restaurant.orders.reports import day_summary
from restaurant.sites import sites, stations, tables
from restaurant.tabs.summaries import TabSummary, tab_summaries

board_pages = Blueprint("board", __name__)

VIEWS = ("orders", "kitchen", "tables", "delivery", "day")
COLUMNS = (
    ("waiting", ("awaiting_confirmation", "awaiting_payment")),
    ("scheduled", ("scheduled",)),
    ("new", ("sent_to_kitchen",)),
    ("preparing", ("preparing",)),
    ("ready", ("ready",)),
    ("out", ("served", "out_for_delivery")),
)
PAUSES = {"20m": timedelta(minutes=20), "1h": timedelta(hours=1)}


@dataclass
class TableCard:
    table: Table
    cards: list[OrderCard] = field(default_factory=list)
    calls: list[Any] = field(default_factory=list)
    tab: TabSummary | None = None

    @property
    def open(self) -> Any:
        """The amount that the table's guests still have to pay."""
        return sum(card.order.open_amount for card in self.cards)


@dataclass
class Board:
    site: Site
    sites: list[Site]
    view: str
    station: str
    stations: list[Station]
    cards: list[OrderCard]
    calls: Sequence[Any]
    columns: list[tuple[str, list[OrderCard]]] = field(default_factory=list)
    areas: list[tuple[str, list[TableCard]]] = field(default_factory=list)
    kitchen: KitchenBoard | None = None
    elsewhere: list[OrderCard] = field(default_factory=list)
    """In the table view: open orders without a table."""
    road: DeliveryBoard | None = None
    summary: day_summary.DaySummary | None = None
    paused: bool = False

    @property
    def url_params(self) -> dict[str, str]:
        found = {"view": self.view if self.view != "orders" else "", "station": self.station}
        return {name: value for name, value in found.items() if value}


@board_pages.get("/orders/board")
@member_may("orders.view")
def index() -> Any:
    """Redirect to the board of the first restaurant."""
    with tenant_scope(g.tenant_id):
        known = sites.listed()
        made = _board(known[0], known) if known else None
    return _shown(made) if made else render_template("board/no_restaurant.html")


@board_pages.get("/orders/board/<site_id>")
@member_may("orders.view")
def board(site_id: str) -> Any:
    """The board; with `X-Part: fresh`, only the parts that change while it is open."""
    with tenant_scope(g.tenant_id):
        known = sites.listed()
        made = _board(sites.get(site_id), known)
    return _shown(made)


def _shown(made: Board) -> str:
    fresh = request.headers.get("X-Part") == "fresh"
    return render_template("board/live.html" if fresh else "board/index.html", board=made)


@board_pages.post("/orders/board/<site_id>/pause")
@member_may("orders.manage")
def pause(site_id: str) -> Any:
    pause_until = request.form.get("until", "")
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        until = None
        if pause_until == "today":
            until = availability.next_business_day_start(site, now())
        elif pause_until in PAUSES:
            until = now() + PAUSES[pause_until]
        sites.pause(site_id, until)
    if until:
        flash(gettext("Orders are paused. Guests can still see the menu."), "success")
    else:
        flash(gettext("Taking orders again."), "success")
    return redirect(url_for("board.board", site_id=site_id))


@board_pages.post("/orders/board/<site_id>/answered")
@member_may("orders.manage")
def answered(site_id: str) -> Any:
    call_id = request.form.get("call", "")[:40]
    with tenant_scope(g.tenant_id):
        sites.get(site_id)
        try:
            first = waiter_calls.mark_answered(site_id, call_id)
        except BadId:
            first = False
    sentence = "" if first else gettext("Another team member has already done this.")
    if request.headers.get("X-Part") == "act":
        return jsonify(note=sentence)
    if sentence:
        flash(sentence, "info")
    return redirect(url_for("board.board", site_id=site_id))


@board_pages.get("/orders/board/<site_id>/day.csv")
@member_may("orders.view")
def day_csv(site_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        day = day_summary.summarize_day(site, _day(site))
    rows = [(day.day.isoformat(), site.name, site.currency, *row) for row in day.rows()]
    columns = ("business_day", "site", "currency", "figure", "value")
    return csv_response(f"day-{day.day.isoformat()}", columns, rows)


def _board(site: Site, every_site: list[Site]) -> Board:
    view, station = request.args.get("view", ""), request.args.get("station", "")
    known = stations.listed(site.id)
    made = Board(
        site=site,
        sites=every_site,
        view=view if view in VIEWS else "orders",
        station=station if station in {one.code for one in known} else "",
        stations=known,
        cards=[],
        calls=waiter_calls.open_calls(site.id),
        paused=site.paused_until is not None and site.paused_until > now(),
    )
    if made.view == "day":
        made.summary = day_summary.summarize_day(site, _day(site))
        return made
    made.cards = order_cards(site, made.station, known)
    if made.view == "kitchen":
        made.kitchen = kitchen_board(made.cards)
    elif made.view == "tables":
        _group_by_table(made)
    elif made.view == "delivery":
        made.cards = [card for card in made.cards if card.order.order_type == "delivery"]
        made.road = delivery_board(site, [card.order for card in made.cards])
    else:
        made.columns = [
            (name, [card for card in made.cards if card.order.state in states])
            for name, states in COLUMNS
        ]
    return made


def _group_by_table(made: Board) -> None:
    seats = {table.id: TableCard(table) for table in tables.listed(made.site.id)}
    for card in made.cards:
        seat = seats.get(card.order.table_id or "")
        if seat is not None:
            seat.cards.append(card)
        else:
            made.elsewhere.append(card)
    for summary in tab_summaries(made.site.id):
        if summary.table_id in seats:
            seats[summary.table_id].tab = summary
    for call in made.calls:
        if call.table_id in seats:
            seats[call.table_id].calls.append(call)
    names = {area.id: area.name for area in tables.areas(made.site.id)}
    grouped: dict[str, list[TableCard]] = {name: [] for name in names.values()}
    for seat in seats.values():
        grouped.setdefault(names.get(seat.table.area_id or "", ""), []).append(seat)
    made.areas = [(name, group) for name, group in grouped.items() if group]


def _day(site: Site) -> date:
    try:
        return date.fromisoformat(request.args.get("day", "")[:10])
    except ValueError:
        return day_summary.business_day_today(site)
