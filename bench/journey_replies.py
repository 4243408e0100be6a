"""How long from a customer's reply to the next message of a journey? 20 businesses, 5 replies a
second.

`python -m bench.journey_replies` runs this row alone; `measure(stack)` is one row of the benchmark.
Each reply is a signed hook of the network. The clock runs until the network has accepted the next
message; the limit is 300 ms (p95). `BENCH_REPLIES` and `BENCH_REPLY_RATE` set how many replies are
sent, and how many in a second.
"""

import asyncio
import hashlib
import hmac
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from aiohttp import ClientSession, ClientTimeout

from bench.results import write
from bench.setup.stack import ROOT, Stack, running
from bench.setup.tenants import APP_SECRET
from core.app_setup import create_worker_app
from core.db import tenant_scope
from messaging.journeys import repository
from restaurant.wiring import wire_domains

BUSINESSES, QUESTIONS = 20, 6
REPLIES_PER_SECOND = int(os.environ.get("BENCH_REPLY_RATE", "5"))
REPLIES = int(os.environ.get("BENCH_REPLIES", "300"))
LIMIT_MS = 300.0
PATIENCE_SECONDS = 20.0
WORD = "bench"

# The first question answers the keyword; every later one follows from a reply.
TIMES = """
SELECT m.phone, m.text, extract(epoch FROM m.created_at) * 1000 AS queued,
       (SELECT extract(epoch FROM min(c.at)) * 1000 FROM message_changes AS c
         WHERE c.tenant_id = m.tenant_id AND c.message_id = m.id AND c.state = 'sent') AS sent
  FROM messages AS m
 WHERE m.tenant_id = ANY(%s) AND m.direction = 'out' AND m.text LIKE 'Question %%'
"""


def measure(stack: Stack) -> dict[str, Any]:
    """The 95th percentile in milliseconds, from the reply's hook to the next message."""
    businesses = stack.people[:BUSINESSES]
    tenants = [int(one["tenant_id"]) for one in businesses]
    _finish(stack.env, "publish", *map(str, tenants))
    customers = max(1, REPLIES // (QUESTIONS - 1))
    asyncio.run(_reply_all(stack.web_port, businesses, range(REPLIES_PER_SECOND)))  # warm up
    measured = range(REPLIES_PER_SECOND, REPLIES_PER_SECOND + customers)
    replied = asyncio.run(_reply_all(stack.web_port, businesses, measured))
    queued, sent = _wait_for_messages(stack, tenants, replied)
    p95 = _percentile(sent, 0.95)
    return {
        "value": p95,
        "unit": "ms",
        "floor": LIMIT_MS,
        "ratio": round(p95 / LIMIT_MS, 3),
        "replies": len(replied),
        "p50_ms": _percentile(sent, 0.5),
        "queued_p50_ms": _percentile(queued, 0.5),
        "queued_p95_ms": _percentile(queued, 0.95),
    }


def _publish(tenant_ids: list[str]) -> None:
    steps = [
        {"id": f"q{number}", "kind": "ask", "answer": "text", "text": f"Question {number}"}
        for number in range(QUESTIONS)
    ]
    definition = {
        "when": {"kind": "keyword", "words": [WORD]},
        "steps": [*steps, {"id": "end", "kind": "end"}],
    }
    for tenant_id in map(int, tenant_ids):
        with tenant_scope(tenant_id):
            repository.publish(repository.create("Bench", definition).id)


Replied = dict[tuple[str, str], float]
"""When the reply before a question was posted, by phone and question, in milliseconds."""


async def _reply_all(port: int, businesses: list[dict[str, Any]], customers: range) -> Replied:
    """Every customer starts a run and answers its questions, one customer after another in each
    business. The rate is fixed, so a slow service does not slow the customers down.
    """
    replied: Replied = {}
    at_once = min(len(customers), REPLIES_PER_SECOND)
    async with ClientSession(timeout=ClientTimeout(total=30)) as session:
        poster = _Poster(session, port, replied)
        began, tasks = time.monotonic(), []
        for place, number in enumerate(customers):
            # As many conversations at a time as replies in a second: each replies every second.
            start = began + (place // at_once) * QUESTIONS + (place % at_once) / at_once
            business = businesses[number % len(businesses)]
            tasks.append(asyncio.create_task(poster.talk(business, f"90532{number:07d}", start)))
        await asyncio.gather(*tasks)
    return replied


class _Poster:
    def __init__(self, session: ClientSession, port: int, replied: Replied) -> None:
        self.session, self.port, self.replied = session, port, replied

    async def talk(self, business: Mapping[str, Any], phone: str, start: float) -> None:
        for number in range(QUESTIONS):
            await asyncio.sleep(max(0.0, start + number - time.monotonic()))
            if number:
                self.replied[phone, f"Question {number}"] = time.time() * 1000
            await self._post(business, phone, f"Answer {number}" if number else WORD)

    async def _post(self, business: Mapping[str, Any], phone: str, text: str) -> None:
        message = {
            "from": phone,
            "id": f"wamid.bench{phone}{time.time_ns()}",
            "timestamp": str(int(time.time())),
            "type": "text",
            "text": {"body": text},
        }
        value = {
            "messaging_product": "whatsapp",
            "metadata": {"phone_number_id": business["phone_number_id"]},
            "messages": [message],
        }
        change = {"field": "messages", "value": value}
        body = {"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [change]}]}
        raw = json.dumps(body).encode()
        signature = hmac.new(APP_SECRET.encode(), raw, hashlib.sha256).hexdigest()
        headers = {
            "X-Hub-Signature-256": f"sha256={signature}",
            "Content-Type": "application/json",
        }
        url = f"http://127.0.0.1:{self.port}/hooks/cloud/{business['hook_token']}"
        async with self.session.post(url, data=raw, headers=headers) as answer:
            answer.raise_for_status()


def _wait_for_messages(
    stack: Stack, tenants: list[int], replied: Replied
) -> tuple[list[float], list[float]]:
    """The times until a message was queued and sent. A missing message counts as endless."""
    end, found = time.monotonic() + PATIENCE_SECONDS, []
    while time.monotonic() < end:
        with stack.database() as cursor:
            cursor.execute(TIMES, (tenants,))
            found = [row for row in cursor.fetchall() if (row[0], row[1]) in replied]
        if len(found) == len(replied) and all(row[3] is not None for row in found):
            break
        time.sleep(0.5)
    lost = [float("inf")] * (len(replied) - len(found))
    queued = [float(row[2]) - replied[row[0], row[1]] for row in found]
    sent = [
        float(row[3]) - replied[row[0], row[1]] if row[3] is not None else float("inf")
        for row in found
    ]
    return queued + lost, sent + lost


def _percentile(times: list[float], share: float) -> float:
    ranked = sorted(times) or [float("inf")]
    return round(ranked[min(len(ranked) - 1, int(len(ranked) * share))], 1)


def _finish(env: Mapping[str, str], *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.journey_replies", *arguments],
        env=env, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{arguments[:1]} failed: {done.stderr[-2000:]}")


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["publish"]:
        with create_worker_app().app_context():
            wire_domains()
            _publish(arguments[1:])
        return 0
    with running(BUSINESSES) as stack:
        measured = measure(stack)
    write({"journey_replies": measured})
    print(json.dumps(measured, indent=1))
    return 0 if measured["value"] <= LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
