"""`python -m tests.chaos [row …]`: runs the rows, prints the table, writes bench/chaos.json."""

import json
import logging
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial

from tests.chaos import (
    campaigns,
    dining,
    inbound_hooks,
    linked,
    payments,
    printing,
    sending,
    web_sends,
    webhook_endpoints,
)
from tests.chaos.outcomes import Outcome
from tests.chaos.stage import ROOT, WORKERS, Stage, set_up

ROWS: dict[str, Callable[[Stage], Outcome]] = {
    "kill-claim": partial(sending.killed, step="claim", times=2),
    "kill-before-connect": partial(sending.killed, step="before_connect", times=3),
    "kill-after-bytes": sending.killed_after_bytes,
    "kill-after-answer": partial(sending.killed, step="after_answer", times=40),
    "kill-before-commit": partial(sending.killed, step="before_settle_commit", times=3),
    "kill-after-commit": partial(sending.killed, step="after_settle_commit", times=3),
    "drop": sending.dropped,
    "redis-flush": sending.flushed,
    "redis-away": sending.redis_away,
    "database-restart": sending.database_restarted,
    "freeze-claim": partial(sending.frozen, step="claim"),
    "freeze-answer": partial(sending.frozen, step="after_answer"),
    "web-kill-before-connect": partial(web_sends.killed, step="before_connect", times=20),
    "web-kill-after-bytes": web_sends.killed_after_bytes,
    "web-kill-after-answer": partial(web_sends.killed, step="after_answer", times=20),
    "web-kill-before-commit": partial(web_sends.killed, step="before_settle_commit", times=20),
    "web-kill-after-commit": partial(web_sends.killed, step="after_settle_commit", times=20),
    "web-freeze-connect": partial(web_sends.frozen, step="before_connect", times=12),
    "web-freeze-answer": partial(web_sends.frozen, step="after_answer", times=12),
    "web-stop": web_sends.stopped,
    "linked-kill-bytes": partial(linked.killed, step="after_bytes", times=4),
    "linked-kill-commit": partial(linked.killed, step="before_settle_commit", times=4),
    "receipts": inbound_hooks.shuffled,
    "poison": inbound_hooks.poisoned,
    "payments": payments.all_orders,
    "tab-paid": dining.tab_paid,
    "parallel-carts": dining.parallel_carts,
    "scheduled-orders": dining.scheduled,
    "endpoint-hostile": webhook_endpoints.hostile,
    "endpoint-addresses": webhook_endpoints.addresses,
    "endpoint-rotated": webhook_endpoints.rotated,
    "endpoint-kill-claim": partial(webhook_endpoints.killed, step="claim", times=1),
    "endpoint-kill-bytes": partial(webhook_endpoints.killed, step="after_bytes", times=40),
    "endpoint-kill-commit": partial(webhook_endpoints.killed, step="before_settle_commit", times=1),
    "campaign": campaigns.killed,
    "print-kill-fetch": partial(printing.agent_killed, step="after_fetch", times=5),
    "print-kill-begun": partial(printing.agent_killed, step="before_print", times=7, doubles=0),
    "print-kill-printed": partial(printing.agent_killed, step="after_print", times=7, doubles=1),
    "print-kill-ack": partial(printing.agent_killed, step="before_ack", times=7),
    "print-server": printing.server_restarted,
    "print-cut": printing.cut_off,
}
RESULTS = ROOT / "bench" / "chaos.json"
CALM = {
    "delay_ms": 0,
    "receipts": True,
    "sent_ms": 30,
    "delivered_ms": 250,
    "read_ms": 900,
    "drop_after": 0.0,
}
HEAD = (
    "row",
    "accepted",
    "terminal",
    "unknown",
    "ever",
    "in flight",
    "doubled",
    "lost",
    "s",
    "whole",
    "",
)


def main(only: list[str]) -> int:
    if unknown := set(only) - set(ROWS):
        print(f"There is no row {', '.join(unknown)}; there are {', '.join(ROWS)}.")
        return 2
    logging.disable(logging.WARNING)
    began = time.monotonic()
    results: dict[str, Outcome] = {}
    with set_up() as stage, stage.app.app_context():
        _line(HEAD)
        for name in only or ROWS:
            row_began = time.monotonic()
            results[name] = _run(stage, ROWS[name])
            results[name].whole = time.monotonic() - row_began
            _show(name, results[name])
    bad = [name for name, outcome in results.items() if outcome.faults]
    print(
        f"{len(results) - len(bad)} of {len(results)} rows held, {time.monotonic() - began:.0f} s"
    )
    _write(results, fresh=not only)
    if bad:
        print(
            f'Rows that failed: {", ".join(bad)}. Run them again: make chaos ONLY="{" ".join(bad)}"'
        )
    return 1 if bad else 0


def _write(results: dict[str, Outcome], *, fresh: bool) -> None:
    """A run of some rows leaves the figures of the others as they were."""
    results_so_far = {} if fresh or not RESULTS.is_file() else json.loads(RESULTS.read_text())
    results_so_far.update({name: outcome.as_json() for name, outcome in results.items()})
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results_so_far, indent=2) + "\n")


def _run(stage: Stage, row: Callable[[Stage], Outcome]) -> Outcome:
    """Each row starts with an undisturbed network, both workers and empty counters."""
    stage.network("POST", "/settings", CALM)
    stage.network("DELETE", "/accepted")
    if stage.armed or any(name not in stage.processes for name in WORKERS):
        stage.workers()
    stage.deaths.clear()
    try:
        return row(stage)
    except Exception as error:  # noqa: BLE001 - a row that breaks is a row that did not hold
        traceback.print_exc()
        return Outcome(faults=[f"the row itself failed: {type(error).__name__}: {error}"])


def _show(name: str, found: Outcome) -> None:
    figures = (found.accepted, found.terminal, found.unknown, found.ever_unknown)
    more = (
        found.in_flight,
        found.doubled,
        found.lost,
        f"{found.seconds:.1f}",
        f"{found.whole:.0f}",
    )
    _line((name, *figures, *more, "ok" if not found.faults else "FAILED"))
    for sentence in [found.note, *(f"FAULT: {fault}" for fault in found.faults)]:
        if sentence:
            print(f"    {sentence}", flush=True)


def _line(cells: tuple[object, ...]) -> None:
    first, *others = cells
    print(f"{first!s:24}" + "".join(f"{cell!s:>10}" for cell in others), flush=True)


if __name__ == "__main__":
    sys.exit(main([name for name in sys.argv[1:] if name]))
