"""Empty a full queue: the service's workers, the asyncio baseline, and RQ with one job per
message.
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg2.extras import execute_values
from redis import Redis
from rq import Queue

from bench.baselines.rq_job_per_message import baseline_queue
from bench.setup.stack import JOB_WORKERS, ROOT, Stack
from core.ids import new_uuid
from core.queue.wakeups import queue_named

QUEUED, LINES = 20_000, 100
JOBS = 2_000
SECONDS = 8.0
MESSAGES = """
INSERT INTO messages (tenant_id, id, line_id, direction, kind, phone, text, content, state,
    priority, attempt, due_at, valid_until, country, category, quoted_usd, cost_usd, test,
    created_at, changed_at) VALUES %s
"""
FLOOR = """
INSERT INTO floor_messages (tenant_id, id, line, phone, text, state, due_at, created_at) VALUES %s
"""


def ours(stack: Stack) -> float:
    """Messages per second from the wake-up until all are sent or the time is over."""
    queue(stack, stack.people[:LINES], QUEUED)
    began = time.monotonic()
    notify_workers(stack)
    left = QUEUED
    while left and time.monotonic() < began + SECONDS:
        time.sleep(0.25)
        left = messages_left(stack)
    rate = (QUEUED - left) / (time.monotonic() - began)
    clear(stack)
    return rate


def queue(stack: Stack, lines: Sequence[Mapping[str, Any]], count: int) -> None:
    """Insert messages as `app.accept_message` would, a thousand at a time."""
    moment = datetime.now(UTC)
    rows = [
        (
            *(p["tenant_id"], str(new_uuid()), p["line_id"], "out", "text", _phone(), "Masa 4"),
            *("{}", "queued", 0, 0, moment, moment + timedelta(days=1), "TR", "service"),
            *(0, 0, False, moment, moment),
        )
        for p in (lines[n % len(lines)] for n in range(count))
    ]
    marks = {("sends", p["tenant_id"], moment) for p in lines}
    with stack.database() as cursor:
        execute_values(cursor, MESSAGES, rows, page_size=1000)
        execute_values(
            cursor,
            "INSERT INTO lanes (kind, tenant_id, due_at) VALUES %s ON CONFLICT DO NOTHING",
            sorted(marks),
        )


def notify_workers(stack: Stack) -> None:
    redis = Redis.from_url(stack.env["REDIS_URL"])
    queue_named("sends", redis).enqueue("jobs.sending.worker.drain", result_ttl=0)


def floor(stack: Stack) -> float:
    with _worker(stack, "bench.baselines.minimal") as worker:
        _fill_floor(stack, QUEUED, due=True)
        result = json.loads(_release(worker, f"{SECONDS}\n"))
    return float(result["sent"]) / float(result["seconds"])


def per_job(stack: Stack) -> float:
    """Counts messages that were sent, not jobs that have left the queue, because some may fail."""
    rows = _fill_floor(stack, JOBS, due=False)
    queue = baseline_queue(Redis.from_url(stack.env["REDIS_URL"]))
    queue.empty()  # type: ignore[no-untyped-call]
    queue.enqueue_many(
        [
            Queue.prepare_data(
                "bench.baselines.rq_job_per_message.send",
                (row[0], row[1]),
                result_ttl=0,
                timeout=60,
            )
            for row in rows
        ]
    )
    with (
        _worker(stack, "bench.baselines.rq_job_per_message") as one,
        _worker(stack, "bench.baselines.rq_job_per_message") as two,
    ):
        assert JOB_WORKERS == 2
        began = time.monotonic()
        for worker in (one, two):
            _write_line(worker, "go\n")
        while queue.count and time.monotonic() < began + SECONDS:
            time.sleep(0.05)
        elapsed = time.monotonic() - began
        left = queue.count
        queue.empty()  # type: ignore[no-untyped-call]
        sent = _baseline_messages_sent(stack)
    if sent < JOBS - left - JOB_WORKERS:  # each worker may have a job in progress
        raise RuntimeError(f"{JOBS - left} jobs were started, and {sent} messages were sent")
    return sent / elapsed


def _baseline_messages_sent(stack: Stack) -> int:
    with stack.database() as cursor:
        cursor.execute("SELECT count(*) FROM floor_messages WHERE state = 'sent'")
        found = cursor.fetchone()
    return int(found[0]) if found else 0


def _fill_floor(stack: Stack, count: int, *, due: bool) -> list[tuple[Any, ...]]:
    moment, some = datetime.now(UTC), stack.people[:LINES]
    rows = [
        (
            *(p["tenant_id"], str(new_uuid()), p["phone_number_id"], _phone(), "Masa 4"),
            *("queued", moment if due else None, moment),
        )
        for p in (some[n % LINES] for n in range(count))
    ]
    with stack.database() as cursor:
        cursor.execute("TRUNCATE floor_messages")
        execute_values(cursor, FLOOR, rows, page_size=1000)
    return rows


def _phone() -> str:
    return f"9053{random.randrange(10**8):08d}"


def messages_left(stack: Stack) -> int:
    with stack.database() as cursor:
        cursor.execute("SELECT count(*) FROM messages WHERE due_at IS NOT NULL")
        found = cursor.fetchone()
    return int(found[0]) if found else 0


def clear(stack: Stack) -> None:
    """Cancel what is left, so that the next round begins with nothing. Messages that a worker has
    claimed are not cancelled: they will be sent.
    """
    end = time.monotonic() + 10
    while messages_left(stack) and time.monotonic() < end:
        with stack.database() as cursor:
            cursor.execute(
                "UPDATE messages SET state = 'cancelled', due_at = NULL"
                " WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM messages"
                " WHERE due_at IS NOT NULL AND state = 'queued' FOR UPDATE SKIP LOCKED)"
            )
        time.sleep(0.2)


@contextmanager
def _worker(stack: Stack, module: str) -> Iterator["subprocess.Popen[str]"]:
    """Imported and connected before the measurement starts."""
    process = subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=ROOT,
        env=stack.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    process.stdout.readline()
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _write_line(worker: "subprocess.Popen[str]", line: str) -> None:
    assert worker.stdin
    worker.stdin.write(line)
    worker.stdin.flush()


def _release(worker: "subprocess.Popen[str]", line: str) -> str:
    _write_line(worker, line)
    assert worker.stdout
    return worker.stdout.readline()
