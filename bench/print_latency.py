"""How long from an order to the print agent? 20 sites, 3 printers each, 20 orders a second.

`python -m bench.print_latency` runs this row alone; `measure(stack)` is one row of the benchmark.
The limit is one second. `BENCH_TICKETS` sets how many tickets are printed (12,000 are 200 for each
printer and take ten times as long).
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from aiohttp import ClientError, ClientSession, ClientTimeout

from bench.setup.stack import ROOT, Stack, running
from core.app_setup import create_worker_app
from core.clock import parse_rfc3339
from core.db import tenant_scope
from deploy.local.ports import any_free
from deploy.local.processes.child_process import spawn
from printing import agents, printers
from restaurant.menus.pricing import PricedItem, PricingTerms, calculate_totals
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.sites import sites, stations
from restaurant.wiring import wire_domains

SITES, PRINTERS, ORDERS_PER_SECOND = 20, 3, 20
TICKETS = int(os.environ.get("BENCH_TICKETS", "1200"))
LIMIT_MS = 1000.0
PATIENCE_SECONDS = 30.0
STATIONS = ("kitchen", "bar", "grill")


def measure(stack: Stack) -> dict[str, Any]:
    """The 95th percentile in milliseconds, from the print job's row to the agent."""
    port = any_free()
    live = spawn(
        [sys.executable, "-m", "api.live", "--port", str(port)],
        env=stack.env,
        cwd=ROOT,
        output=subprocess.DEVNULL,
    )
    try:
        tenants = [str(one["tenant_id"]) for one in stack.people[:SITES]]
        places = json.loads(_finish(stack.env, "places", *tenants))
        options = {"web": stack.web_port, "live": port, "places": places, "tickets": TICKETS}
        results = json.loads(_finish(stack.env, "run", json.dumps(options)))
    finally:
        live.terminate()
        live.wait()
    return {
        "value": results["p95_ms"],
        "unit": "ms",
        "floor": LIMIT_MS,
        "ratio": round(results["p95_ms"] / LIMIT_MS, 3),
        "tickets": results["tickets"],
        "p50_ms": results["p50_ms"],
    }


def _places(tenant_ids: list[str]) -> list[dict[str, Any]]:
    made = []
    for tenant_id in map(int, tenant_ids):
        with tenant_scope(tenant_id):
            site = sites.open_site(
                "Bench", slug=f"bench-paper-{tenant_id}", prefix="PAP", currency="TRY",
                time_zone="Europe/Istanbul", country="TR", languages=["tr"],
            )  # fmt: skip
            stations.add(site, STATIONS[2], "Grill")
            code, _ = agents.new_code(site.id)
        with tenant_scope(tenant_id):
            paired = agents.pair(code.id, "bench", "1")
            if paired is None:
                raise RuntimeError("a code of this moment is good")
            known = [
                printers.add(
                    site.id,
                    station,
                    "agent",
                    {
                        "agent_id": paired.agent.id,
                        "output": {"kind": "demo"},
                        "stations": [station],
                    },
                ).id
                for station in STATIONS
            ]
            made.append(
                {
                    "tenant_id": tenant_id,
                    "site_id": site.id,
                    "token": paired.token,
                    "printers": known,
                }
            )
    return made


def _order(place: Mapping[str, Any]) -> None:
    lines = [
        PricedItem("", f"{station} dish", "", 1, Decimal(5), Decimal(0), (station,))
        for station in STATIONS
    ]
    with tenant_scope(place["tenant_id"]):
        sums = calculate_totals(lines, PricingTerms(currency="TRY"))
        draft = order_lifecycle.OrderDraft(
            order_type="dine_in", payment_method="cash", items=lines, sums=sums.as_json(),
            total=sums.total, language="tr", source="api", table_number="7",
        )  # fmt: skip
        order_lifecycle.create_order(sites.get(place["site_id"]), draft)


class Agents:
    """Twenty agents in one loop: each polls, and reports each ticket as printed at once."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.poll = f"http://127.0.0.1:{options['live']}/print/v1/poll"
        self.web = f"http://127.0.0.1:{options['web']}/print/v1/jobs"
        self.wanted: int = options["tickets"]
        self.waits: list[float] = []
        self.over = asyncio.Event()

    async def work(self, session: ClientSession, place: Mapping[str, Any]) -> None:
        headers = {"Authorization": f"Bearer {place['token']}"}
        states = [{"id": one, "state": "ready"} for one in place["printers"]]
        have: set[str] = set()
        reports: set[asyncio.Task[None]] = set()
        while not self.over.is_set():
            body = {"wait": 10, "have": sorted(have), "printers": states}
            with suppress(ClientError, TimeoutError):
                async with session.post(self.poll, json=body, headers=headers) as answer:
                    got = await answer.json()
                arrived = datetime.now(UTC)
                for job in got["jobs"]:
                    if job["id"] in have:
                        continue
                    have.add(job["id"])
                    queued = parse_rfc3339(job["queued_at"])
                    self.waits.append((arrived - queued).total_seconds() * 1000)
                    task = asyncio.create_task(self._report(session, headers, job, have))
                    reports.add(task)
                    task.add_done_callback(reports.discard)
            if len(self.waits) >= self.wanted:
                self.over.set()

    async def _report(
        self, session: ClientSession, headers: dict[str, str], job: dict[str, Any], have: set[str]
    ) -> None:
        body = {"fence": job["fence"], "outcome": "printed", "evidence": {"bytes": 1}}
        url = f"{self.web}/{job['id']}/result"
        with suppress(ClientError, TimeoutError):
            async with session.post(url, json=body, headers=headers) as answer:
                await answer.read()
        have.discard(job["id"])


async def _run(options: Mapping[str, Any]) -> dict[str, Any]:
    app, work, places = create_worker_app(), Agents(options), options["places"]
    wire_domains()  # tickets follow orders
    count = options["tickets"] // PRINTERS

    def order_all() -> None:
        began = time.monotonic()
        for number in range(count):
            time.sleep(max(0.0, began + number / ORDERS_PER_SECOND - time.monotonic()))
            with app.app_context():
                _order(places[number % len(places)])

    async with ClientSession(timeout=ClientTimeout(total=40)) as session:
        polls = [asyncio.create_task(work.work(session, place)) for place in places]
        await asyncio.sleep(1.0)
        orders_made = threading.Thread(target=order_all, daemon=True)
        orders_made.start()
        with suppress(TimeoutError):
            limit = count / ORDERS_PER_SECOND * 2 + PATIENCE_SECONDS
            await asyncio.wait_for(work.over.wait(), limit)
        work.over.set()
        for poll in polls:
            poll.cancel()
        await asyncio.gather(*polls, return_exceptions=True)
    ranked = sorted(work.waits) or [float("inf")]
    return {
        "tickets": len(work.waits),
        "p50_ms": round(ranked[len(ranked) // 2], 1),
        "p95_ms": round(ranked[min(len(ranked) - 1, int(len(ranked) * 0.95))], 1),
    }


def _finish(env: Mapping[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "bench.print_latency", *arguments],
        env=env, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{arguments[:1]} failed: {done.stderr[-2000:]}")
    return done.stdout.splitlines()[-1]


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["places"]:
        with create_worker_app().app_context():
            print(json.dumps(_places(arguments[1:])))
    elif arguments[:1] == ["run"]:
        print(json.dumps(asyncio.run(_run(json.loads(arguments[1])))))
    else:
        with running(SITES) as stack:
            print(json.dumps({"tickets": measure(stack)}, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
