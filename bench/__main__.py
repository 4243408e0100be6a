"""`python -m bench [row …]`: every row and its baseline, in three alternating rounds, as medians.

`BENCH_TENANTS` and `BENCH_MESSAGES` set how much data exists beforehand; a first try needs little.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench import (
    diner_menu,
    fairness,
    journey_replies,
    pages,
    print_latency,
    send_queue,
    webhook_deliveries,
)
from bench import live_updates as bench_live_updates
from bench.dining import kitchen_evening, tab_latency
from bench.links import redirects
from bench.load import PROCESSES, Figures, run_load
from bench.results import Results, write
from bench.setup.stack import JOB_WORKERS, WEB_THREADS, WEB_WORKERS, Stack, running
from bench.setup.tenants import APP_SECRET

TENANTS = int(os.environ.get("BENCH_TENANTS", "1000"))
MESSAGES = int(os.environ.get("BENCH_MESSAGES", "1000000"))
ACTIVE = 200  # businesses that the load is spread over
ROUNDS = 3
SECONDS = 3.0
WARM_SECONDS = 1.5


@dataclass(frozen=True)
class Send:
    name: str
    clients: int
    delay_ms: int = 0
    later: bool = False

    def plans(self, stack: Stack) -> tuple[dict[str, Any], dict[str, Any]]:
        plan = {
            "clients": self.clients,
            "keys": [person["key"] for person in stack.people[:ACTIVE]],
            "async": self.later,
        }
        floor = "/accept" if self.later else "/send"
        return (
            {**plan, "port": stack.web_port, "path": "/api/v1/messages/send"},
            {**plan, "port": stack.floor_port, "path": floor},
        )


@dataclass(frozen=True)
class Inbound:
    """The network's signed hooks: verified, stored durably, answered."""

    name: str = "inbound"
    clients: int = 64
    delay_ms: int = 0
    later: bool = False

    def plans(self, stack: Stack) -> tuple[dict[str, Any], dict[str, Any]]:
        def to(port: int, path: Callable[[dict[str, Any]], str]) -> dict[str, Any]:
            hooks = [
                {"phone_number_id": p["phone_number_id"], "secret": APP_SECRET, "path": path(p)}
                for p in stack.people[:ACTIVE]
            ]
            return {"clients": self.clients, "port": port, "hooks": hooks}

        return (
            to(stack.web_port, lambda p: f"/hooks/cloud/{p['hook_token']}"),
            to(stack.floor_port, lambda p: f"/hook/{p['line_id']}"),
        )


SENDS = (
    Send("send_sync_2", 2),
    Send("send_sync_16", 16),
    Send("send_sync_64", 64),
    Send("send_sync_64_50ms", 64, delay_ms=50),
    Send("send_async_64", 64, later=True),
    Inbound(),
)


def measure_send(stack: Stack, row: Send | Inbound, results: Results) -> None:
    ours, least = row.plans(stack)
    stack.network_delay(row.delay_ms)
    for plan in (ours, least):
        run_load({**plan, "seconds": WARM_SECONDS})
    seen: list[tuple[Figures, Figures]] = []
    for _ in range(ROUNDS):
        mine = _checked(row, run_load({**ours, "seconds": SECONDS}))
        _let_queue_empty(stack)
        seen.append((mine, _checked(row, run_load({**least, "seconds": SECONDS}))))
    stack.network_delay(0)
    _let_queue_empty(stack, 60.0)
    for suffix, unit, of in (
        ("", "requests/s", "per_second"),
        ("_p50", "ms", "p50_ms"),
        ("_p99", "ms", "p99_ms"),
    ):
        pairs = [(getattr(mine, of), getattr(floor, of)) for mine, floor in seen]
        _add(results, row.name + suffix, unit, pairs)


def measure_cpu(stack: Stack, results: Results) -> None:
    """Processor time of a synchronous send by 16 clients, in all processes but the load's own."""
    plans = Send("", 16).plans(stack)
    for plan in plans:
        run_load({**plan, "seconds": WARM_SECONDS})
    rounds = [[_cpu_of_send(stack, plan) for plan in plans] for _ in range(ROUNDS)]
    _add(results, "cpu_per_send", "ms", [(mine, floor) for mine, floor in rounds])


def _cpu_of_send(stack: Stack, plan: dict[str, Any]) -> float:
    before = stack.cpu_seconds()
    answers = run_load({**plan, "seconds": SECONDS}).answers
    _let_queue_empty(stack)
    return (stack.cpu_seconds() - before) * 1000 / answers


def measure_memory(stack: Stack, results: Results) -> None:
    """Memory of web and workers: idle before the first load, and after three more bursts."""
    ours, _ = Send("", 64).plans(stack)
    samples = []
    for _ in range(ROUNDS + 1):
        run_load({**ours, "seconds": SECONDS})
        _let_queue_empty(stack)
        samples.append(stack.memory_mb())
    _add(results, "memory", "MB", [(samples[-1], stack.idle_mb)])
    _add(results, "memory_growth", "MB", [(samples[-1], samples[0])])


def measure_fairness(stack: Stack, results: Results) -> None:
    """The p95 of quiet tenants during another's burst; the baseline is their p95 without it."""
    _add(results, "fairness", "ms", fairness.one_beside_one(stack))
    _add(results, "fairness_200_lines", "ms", fairness.one_beside_many(stack))


def measure_waits(stack: Stack, results: Results) -> None:
    waits = bench_live_updates.measure(stack)
    results["waits"] = {
        "value": waits["send_p95_beside_ms"],
        "unit": "ms",
        "floor": waits["send_p95_alone_ms"],
        "ratio": waits["ratio"],
        "memory_mb": waits["memory_mb"],
    }


def measure_deliveries(stack: Stack, results: Results) -> None:
    _add(results, "deliveries", "deliveries/s", webhook_deliveries.measure(stack))


def measure_diner(stack: Stack, results: Results) -> None:
    results["diner"] = diner_menu.measure(stack)


def measure_redirects(stack: Stack, results: Results) -> None:
    """From the click on a short link to the redirect. The limit is 30 ms for 99 of 100."""
    results["redirects"] = redirects.measure(stack)


def measure_pages(stack: Stack, results: Results) -> None:
    """Processor time of the most used pages. There is no baseline, but a limit for each page."""
    results["pages"] = pages.measure(stack)


def measure_tickets(stack: Stack, results: Results) -> None:
    """From the order to the print agent. There is no baseline, but a limit of one second."""
    results["tickets"] = print_latency.measure(stack)


def measure_journeys(stack: Stack, results: Results) -> None:
    """From a customer's reply to the next message of a journey. The limit is 300 ms."""
    results["journey_replies"] = journey_replies.measure(stack)


def measure_kitchen(_stack: Stack, results: Results) -> None:
    """An evening on the kitchen displays, in a service of its own. The limit is one second."""
    results["kitchen"] = kitchen_evening.measure()


def measure_tab(_stack: Stack, results: Results) -> None:
    """How soon a table sees a payment, in a service of its own. The limit is two seconds."""
    results["tab"] = tab_latency.measure()


def measure_drain(stack: Stack, results: Results) -> None:
    rounds = [
        (send_queue.ours(stack), send_queue.floor(stack), send_queue.per_job(stack))
        for _ in range(ROUNDS)
    ]
    _add(results, "drain", "messages/s", [(ours, floor) for ours, floor, _ in rounds])
    _add(results, "drain_beside_rq", "messages/s", [(ours, jobs) for ours, _, jobs in rounds])


def _add(results: Results, name: str, unit: str, pairs: list[tuple[float, float]]) -> None:
    """The ratio is the median of the rounds' ratios, because the two runs of a round are
    adjacent.
    """
    results[name] = {
        "value": round(median(mine for mine, _ in pairs), 1),
        "unit": unit,
        "floor": round(median(floor for _, floor in pairs), 1),
        "ratio": round(median(mine / floor for mine, floor in pairs), 3),
    }


def _checked(row: Send | Inbound, figures: Figures) -> Figures:
    """Warn if fewer than 99 % of the responses have the expected status."""
    right = figures.statuses.get("202" if row.later else "200", 0)
    if right < 0.99 * figures.answers:
        print(f"  {row.name}: not every answer was right: {figures.statuses}", flush=True)
    return figures


def _let_queue_empty(stack: Stack, most: float = 6.0) -> None:
    """Wait until the queue is empty, so that nothing is sent while the baseline is measured; cancel
    what is left.
    """
    end = time.monotonic() + most
    while time.monotonic() < end:
        with stack.database() as cursor:
            cursor.execute(
                "SELECT (SELECT count(*) FROM messages WHERE due_at IS NOT NULL)"
                " + (SELECT count(*) FROM received_hooks WHERE state = 'waiting')"
            )
            if cursor.fetchone() == (0,):
                return
        time.sleep(0.2)
    send_queue.clear(stack)


def table(results: Results) -> str:
    lines = [f"{'row':<24}{'ours':>10}{'floor':>10}{'ratio':>8}  {'unit':<14}load"]
    for name, row in results.items():
        lines.append(
            f"{name:<24}{row['value']:>10}{row['floor']:>10}{row['ratio']:>8}  {row['unit']:<14}"
            f"{row['load']}"
        )
    return "\n".join(lines)


def every_row() -> dict[str, Callable[[Stack, Results], None]]:
    rows: dict[str, Callable[[Stack, Results], None]] = {
        row.name: lambda stack, results, row=row: measure_send(stack, row, results)  # type: ignore[misc]
        for row in SENDS
    }
    return rows | {
        "cpu_per_send": measure_cpu,
        "drain": measure_drain,
        "fairness": measure_fairness,
        "waits": measure_waits,
        "deliveries": measure_deliveries,
        "diner": measure_diner,
        "redirects": measure_redirects,
        "pages": measure_pages,
        "tickets": measure_tickets,
        "journey_replies": measure_journeys,
        "kitchen": measure_kitchen,
        "tab": measure_tab,
        "memory": measure_memory,
    }


def main(names: list[str]) -> int:
    rows = every_row()
    if unknown := set(names) - set(rows):
        print(f"There is no {', '.join(sorted(unknown))}; there are {', '.join(rows)}.")
        return 2
    began, results = time.monotonic(), Results()
    print(
        f"{TENANTS} tenants and {MESSAGES} messages, load over {ACTIVE} of them; web {WEB_WORKERS}"
        f" processes of {WEB_THREADS} threads, {JOB_WORKERS} workers; load by {PROCESSES} processes"
        " of raw asyncio sockets (bench/load.py)",
        flush=True,
    )
    with running(max(TENANTS, ACTIVE)) as stack:
        stack.preload(MESSAGES)
        print(f"ready after {time.monotonic() - began:.0f} s", flush=True)
        for name, measure in rows.items():
            if not names or name in names:
                known = set(results)
                measure(stack, results)
                write(results)
                print(f"after {time.monotonic() - began:.0f} s", flush=True)
                print(table({n: row for n, row in results.items() if n not in known}), flush=True)
    print(f"\n{table(results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
