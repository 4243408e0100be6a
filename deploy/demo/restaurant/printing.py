"""Printers, tickets and print agents for the demo restaurants."""

import json
import os
import random
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from sqlalchemy import insert, select

from core.clock import frozen, now
from core.db import db, tenant_scope
from core.errors import NotFound
from core.settings import Settings
from printing import agents, job_evidence, printers, spool
from printing.agent.server_client import Pairing
from printing.models import PrintJob
from restaurant.models import Order, Site
from restaurant.orders import queries as order_queries
from restaurant.orders.printing import kitchen_tickets, print_jobs
from restaurant.sites import sites, stations

FOLDER, TICKETS = "agents", "tickets"
DEMO = {"output": {"kind": "demo"}}
NAMES = {"tr": ("Mutfak", "Bar", "Kasa"), "en": ("Kitchen", "Bar", "Till")}
SECONDS_TO_PRINT = 2
DAYS = 21


def add_print_jobs(tenant_id: int) -> None:
    """Three printers for each restaurant, and the tickets of the open orders."""
    with tenant_scope(tenant_id):
        known = sites.listed()
        for site in known:
            _set_up(site)
    for site in known:
        _weeks(tenant_id, site)
        _this_evening(tenant_id, site)


def _set_up(site: Site) -> None:
    kitchen, bar, till = NAMES.get(site.languages[0], NAMES["en"])
    second = printers.add(site.id, bar, "agent", {**DEMO, "stations": ["bar"], "width_mm": 58})
    first = printers.add(
        site.id, kitchen, "agent", {**DEMO, "stations": ["kitchen"], "fallback_id": second.id}
    )
    bills = printers.add(site.id, till, "agent", {**DEMO, "bills": True})
    for printer in (first, second, bills):
        printers.record_state(printer, "ready")


def _weeks(tenant_id: int, site: Site) -> None:
    """The tickets of the last days, in their state after printing."""
    chance = random.Random(f"{tenant_id} {site.slug}")  # noqa: S311 - demo data
    since, before = now() - timedelta(days=DAYS), now() - timedelta(hours=6)
    with tenant_scope(tenant_id):
        known = printers.listed(site.id)
        names = {station.code: station.name for station in stations.listed(site.id)}
        found = select(Order).where(
            Order.tenant_id == tenant_id,
            Order.site_id == site.id,
            Order.placed_at.between(since, before),
        )
        there = list(db.session.scalars(found.order_by(Order.placed_at)))
        items = order_queries.items_of_orders([order.id for order in there])
        rows = []
        for order in there:
            tickets = kitchen_tickets.order_tickets(site, order, items[order.id], names)
            with frozen(order.placed_at):
                sheets = print_jobs.new_print_jobs(site, order, "order", tickets, "1", known)
                rows += [spool.job_row(sheet) | _random_result(chance) for sheet in sheets]
        if rows:
            db.session.execute(insert(PrintJob), rows)


def _random_result(chance: random.Random) -> dict[str, Any]:
    state = chance.choices(("printed", "unconfirmed", "failed"), (97, 2, 1))[0]
    at = now() + timedelta(seconds=round(chance.triangular(1.2, 9, 2.1), 1))
    return {"state": state, "settled_at": at, "fence": 1, "told": True, "fallback_due_at": None}


def _this_evening(tenant_id: int, site: Site) -> None:
    beginning = now()
    with tenant_scope(tenant_id):
        there = [
            one
            for one in order_queries.open_orders(site.id)
            if not one.state.startswith("await") and one.state != "scheduled"
        ]
        items = order_queries.items_of_orders([order.id for order in there])
        for order in there:
            with frozen(order.placed_at):
                print_jobs.queue_order_tickets(site, order, items[order.id])
                if order.state == "served":
                    print_jobs.print_bill(site, order, items[order.id])
        waiting = spool.queued_jobs(site.id)
        bills = [job.id for job in waiting if job.kind == "bill"]
        for job in waiting:
            with frozen(min(job.queued_at + timedelta(seconds=SECONDS_TO_PRINT), beginning)):
                _printed(job, lost=job.id in bills[-1:])


def _printed(job: PrintJob, *, lost: bool) -> None:
    job.fence, job.claimed_at, job.told = 1, now(), True
    job_evidence.add_evidence(job, "claimed", who="Demo", fence=1)
    job_evidence.add_evidence(job, "unsure" if lost else "printed", who="Demo", fence=1)
    spool.finish_job(job, "unconfirmed" if lost else "printed", "")
    job.fallback_due_at = None


def pair_agents(settings: Settings, tenant_id: int) -> list[dict[str, str]]:
    """Pair an agent for each restaurant that has none here. Returns the folder of each."""
    pairings = []
    with tenant_scope(tenant_id):
        known = sites.listed()
    for site in known:
        folder = settings.data_dir / FOLDER / site.slug
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = folder / "agent.json"
        with tenant_scope(tenant_id):
            facts = _is_paired(json.loads(place.read_text()) if place.is_file() else {})
            if facts is None:
                facts = _paired(site)
        facts |= {
            "server": settings.base_url,
            "poll_url": f"{settings.live_url or settings.base_url}/print/v1/poll",
        }
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump(facts, file)
        tickets = settings.data_dir / TICKETS / site.slug
        pairings.append({"name": site.slug, "data": str(folder), "tickets": str(tickets)})
    return pairings


def _is_paired(facts: dict[str, Any]) -> dict[str, Any] | None:
    try:
        agents.get(facts.get("agent_id", "agt_0"))
    except (NotFound, ValueError):
        return None
    return facts


def _paired(site: Site) -> dict[str, Any]:
    code, shown = agents.new_code(site.id)
    paired = agents.pair(code.id, "Demo", "1")
    if paired is None:
        raise RuntimeError("a code of this moment is good")
    for printer in printers.listed(site.id):
        if printer.way == "agent" and printer.output.get("kind") == "demo":
            printer.agent_id = paired.agent.id
    db.session.flush()
    return asdict(
        Pairing(
            server="",
            code=shown.replace("-", ""),
            token=paired.token,
            agent_id=paired.agent.id,
            site=site.name,
            poll_url="",
            poll_seconds=agents.POLL_SECONDS,
        )
    )
