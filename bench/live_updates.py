"""`python -m bench.live_updates`: 1,000 open pages that wait for live updates, and sends beside
them.

Measures the memory that the live server needs for them, and the p95 of a send with and without
them, in alternating rounds.
"""

import asyncio
import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from statistics import median
from typing import Any

from bench.setup.stack import ROOT, Stack, running
from core.security.live_tokens import make_live_token
from deploy.local.ports import any_free
from deploy.local.processes.child_process import spawn
from deploy.local.processes.programs import responds

TENANTS, STREAMS = 50, 1000
SENDERS, SECONDS, ROUNDS = 8, 4.0, 3
MOST_MB, MOST_RATIO = 100.0, 1.5


class OpenPages:
    """Streams held open by an event loop in a separate thread."""

    def __init__(self, stack: Stack, port: int) -> None:
        self._stack, self._port = stack, port
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._open: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    def open(self, count: int) -> None:
        self._run(self._open_all(count))

    def close(self) -> None:
        self._run(self._close_all())

    def _run(self, what: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(what, self._loop).result(60)

    async def _open_all(self, count: int) -> None:
        for number in range(count):
            person = self._stack.people[number % len(self._stack.people)]
            member = f"per_{number // 100}"
            token = make_live_token(
                self._stack.env["SECRET_KEY"], person["tenant_id"], member, ["messages"]
            )
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            head = "GET /live/stream?after=0-0 HTTP/1.1\r\nHost: bench\r\n"
            writer.write(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
            status = await reader.readline()
            if b" 200 " not in status:
                raise RuntimeError(f"the live door said {status!r}")
            self._open.append((reader, writer))

    async def _close_all(self) -> None:
        for _, writer in self._open:
            writer.close()
        self._open.clear()


def sends_p95(stack: Stack, seconds: float) -> float:
    """In milliseconds, over senders that each wait for the network's answer."""
    durations: list[float] = []
    until = time.monotonic() + seconds

    def send() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", stack.web_port, timeout=30)
        while time.monotonic() < until:
            person = random.choice(stack.people)
            body = {"phone": f"9053{random.randrange(10**8):08d}", "message": "Masa 4 hazir"}
            began = time.perf_counter()
            connection.request(
                "POST",
                "/api/v1/messages/send",
                json.dumps(body),
                {"Authorization": f"Bearer {person['key']}", "Content-Type": "application/json"},
            )
            answer = connection.getresponse()
            answer.read()
            if answer.status == 200:
                durations.append(time.perf_counter() - began)
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if not durations:
        raise RuntimeError("no send was answered with 200")
    return sorted(durations)[int(len(durations) * 0.95)] * 1000


def memory_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def measure(stack: Stack) -> dict[str, float]:
    port = any_free()
    command = [sys.executable, "-m", "api.live", "--port", str(port)]
    log = (ROOT / ".data" / "bench" / "live.log").open("wb")
    with log:
        live = spawn(command, env=stack.env, cwd=ROOT, output=log)
    try:
        return _beside(stack, live, port)
    finally:
        live.terminate()
        live.wait(10)


def _beside(stack: Stack, live: "subprocess.Popen[bytes]", port: int) -> dict[str, float]:
    while not responds(port, "/healthz"):
        time.sleep(0.1)
    time.sleep(1.5)  # until it is connected to Redis
    pages = OpenPages(stack, port)
    pages.open(20)  # so that what the first streams load does not count
    pages.close()
    before = memory_mb(live.pid)
    sends_p95(stack, 2.0)
    rounds, grown = [], 0.0
    for _ in range(ROUNDS):
        alone = sends_p95(stack, SECONDS)
        pages.open(STREAMS)
        beside = sends_p95(stack, SECONDS)
        grown = max(grown, memory_mb(live.pid) - before)
        pages.close()
        time.sleep(0.5)
        rounds.append((alone, beside))
    return {
        "streams": STREAMS,
        "memory_mb": round(grown, 1),
        "send_p95_alone_ms": round(median(alone for alone, _ in rounds), 1),
        "send_p95_beside_ms": round(median(beside for _, beside in rounds), 1),
        "ratio": round(median(beside / alone for alone, beside in rounds), 3),
    }


def main() -> int:
    if os.name != "posix":
        print("This reads /proc.")
        return 2
    with running(TENANTS) as stack:
        results = measure(stack)
    print(json.dumps(results, indent=1))
    good = results["memory_mb"] < MOST_MB and results["ratio"] <= MOST_RATIO
    print("within bounds" if good else "OUT OF BOUNDS")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
