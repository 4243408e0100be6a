"""Deliver events to endpoints: the service's worker, and the smallest asyncio and aiohttp program
that signs, posts and stores results. `python -m bench.webhook_deliveries` runs this row alone.

The customers' servers are one process on 200 loopback addresses, so that each has its own
connections.
"""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any
from urllib.request import urlopen

import aiohttp
import psycopg2
from psycopg2.extras import Json, execute_values
from redis import Redis

from bench.setup.stack import ROOT, Stack, running
from core.ids import new_uuid
from core.queue.wakeups import TENANT_SETS, queue_named
from core.security.encryption import Keyring
from core.security.signing import new_webhook_secret
from deploy.local.ports import any_free

EVENTS, ENDPOINTS = 20_000, 200
ROUNDS = 3
SECONDS = 30.0
BATCH, AT_ONCE = 200, 64
JOB = "jobs.webhooks.worker.drain"
BODY = {
    "event": "messages.delivered",
    "instance_id": 7,
    "data": {
        "id": "msg_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z",
        "message_id": "wamid.HBgMOTA1MzIxMTEyMjMzFQIAERgS",
        "to": "905321112233",
        "timestamp": 1772359200,
        "status_code": "delivered",
        "reference": None,
        "cost_usd": 0.0053,
    },
}
TABLE = """
CREATE TABLE IF NOT EXISTS floor_deliveries (
    tenant_id bigint NOT NULL, id uuid NOT NULL, url text NOT NULL, secret text NOT NULL,
    body text NOT NULL, status integer, due_at timestamptz, PRIMARY KEY (tenant_id, id));
CREATE INDEX IF NOT EXISTS floor_deliveries_idx ON floor_deliveries (due_at)
    WHERE due_at IS NOT NULL;
GRANT ALL ON floor_deliveries TO comanda_app;
TRUNCATE floor_deliveries
"""
CLAIM = """
UPDATE floor_deliveries f SET due_at = now() + interval '1 minute'
  FROM (SELECT tenant_id, id FROM floor_deliveries WHERE due_at <= now()
         ORDER BY due_at LIMIT %s FOR UPDATE SKIP LOCKED) AS due
 WHERE f.tenant_id = due.tenant_id AND f.id = due.id
RETURNING f.tenant_id, f.id::text, f.url, f.secret, f.body
"""
SETTLE = """
UPDATE floor_deliveries f SET status = mine.status, due_at = NULL
  FROM unnest(%s::bigint[], %s::uuid[], %s::integer[]) AS mine (tenant_id, id, status)
 WHERE f.tenant_id = mine.tenant_id AND f.id = mine.id
"""


def measure(stack: Stack) -> list[tuple[float, float]]:
    """Deliveries per second of the service and of the baseline, for each round."""
    with _receiver() as port:
        _give_endpoints(stack, port)
        return [(ours(stack, port), floor(stack, port)) for _ in range(ROUNDS)]


def ours(stack: Stack, port: int) -> float:
    """From the wake-up until the last event has arrived; includes numbering and fan-out."""
    some = stack.people[:ENDPOINTS]
    moment = datetime.now(UTC)
    rows = [
        (
            some[n % len(some)]["tenant_id"],
            str(new_uuid()),
            "messages.delivered",
            Json(BODY),
            moment,
        )
        for n in range(EVENTS)
    ]
    with stack.database() as cursor:
        execute_values(
            cursor,
            "INSERT INTO events (tenant_id, id, type, body, occurred_at) VALUES %s",
            rows,
            page_size=1000,
        )
    redis = Redis.from_url(stack.env["REDIS_URL"])
    before = _arrived(port)
    began = time.monotonic()
    redis.sadd(TENANT_SETS[JOB], *(person["tenant_id"] for person in some))
    queue_named("deliveries", redis).enqueue(JOB, result_ttl=0)
    while (come := _arrived(port) - before) < EVENTS and time.monotonic() < began + SECONDS:
        time.sleep(0.05)
    rate = come / (time.monotonic() - began)
    _check(stack, come)
    return rate


def floor(stack: Stack, port: int) -> float:
    moment, secret = datetime.now(UTC), new_webhook_secret()
    body = json.dumps(BODY)
    rows = [
        (
            stack.people[n % ENDPOINTS]["tenant_id"],
            str(new_uuid()),
            _url(port, n),
            secret,
            body,
            moment,
        )
        for n in range(EVENTS)
    ]
    with stack.database() as cursor:
        cursor.execute(TABLE)
        execute_values(
            cursor,
            "INSERT INTO floor_deliveries (tenant_id, id, url, secret, body, due_at) VALUES %s",
            rows,
            page_size=1000,
        )
    done = subprocess.run(
        [sys.executable, "-m", "bench.webhook_deliveries", "floor"],
        cwd=ROOT,
        env=stack.env,
        capture_output=True,
        text=True,
        check=True,
    )
    result = json.loads(done.stdout)
    return float(result["sent"]) / float(result["seconds"])


def _give_endpoints(stack: Stack, port: int) -> None:
    """One for each of 200 businesses, as `webhooks.endpoints.register` writes them."""
    keyring = Keyring.parse(stack.env["ENCRYPTION_KEYS"])
    since = datetime.now(UTC) - timedelta(minutes=1)
    tenants = [person["tenant_id"] for person in stack.people[:ENDPOINTS]]
    rows = [
        (
            *(tenant_id, str(new_uuid()), _url(port, n), "", ["*"]),
            keyring.encrypt(new_webhook_secret(), f"endpoints.secret@{tenant_id}"),
            *(True, "", 0, 0, since, since),
        )
        for n, tenant_id in enumerate(tenants)
    ]
    with stack.database() as cursor:
        execute_values(
            cursor,
            "INSERT INTO endpoints (tenant_id, id, url, description, events, secret, enabled,"
            " disabled_because, failures, letters, listens_since, created_at) VALUES %s",
            rows,
        )
        execute_values(
            cursor,
            "INSERT INTO lookups (kind, key, tenant_id, target) VALUES %s",
            [("deliveries", str(tenant_id), tenant_id, "") for tenant_id in tenants],
        )


def _check(stack: Stack, come: int) -> None:
    """Every delivery that arrived must be settled, once each."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        with stack.database() as cursor:
            cursor.execute("SELECT count(*), count(due_at) FROM deliveries")
            total, left = cursor.fetchone() or (0, 0)
        if total and not left:
            break
        time.sleep(0.2)
    else:
        print(f"  deliveries: {left} of {total} not settled", flush=True)
    if come != EVENTS:
        print(f"  deliveries: {come} of {EVENTS} arrived in {SECONDS:.0f} s", flush=True)
    with stack.database() as cursor:
        cursor.execute("DELETE FROM delivery_attempts; DELETE FROM deliveries")


def _url(port: int, number: int) -> str:
    return f"http://127.0.1.{number % ENDPOINTS + 1}:{port}/hook"


@contextlib.contextmanager
def _receiver() -> Iterator[int]:
    port = any_free()
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.webhook_deliveries", "receive", str(port)], cwd=ROOT
    )
    try:
        end = time.monotonic() + 40
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                _arrived(port)
                break
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()


def _arrived(port: int) -> int:
    with urlopen(f"http://127.0.0.1:{port}/count", timeout=5) as answer:
        return int(answer.read())


class Customer(asyncio.Protocol):
    """Reads a request up to its Content-Length and answers 200."""

    arrived = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        self.rest = b""

    def data_received(self, data: bytes) -> None:
        self.rest += data
        while True:
            head, mark, body = self.rest.partition(b"\r\n\r\n")
            if not mark:
                return
            if head.startswith(b"GET"):
                count = str(Customer.arrived)
                self.transport.write(
                    f"HTTP/1.1 200 OK\r\nContent-Length: {len(count)}\r\n\r\n{count}".encode()
                )
                self.rest = body
                continue
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            if len(body) < length:
                return
            self.rest = body[length:]
            Customer.arrived += 1
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


async def _receive(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Customer, "0.0.0.0", port)  # noqa: S104
    await server.serve_forever()


async def _floor() -> dict[str, float]:
    connection = psycopg2.connect(os.environ["FLOOR_DATABASE_URL"])
    connection.autocommit = True
    sent, slots = 0, asyncio.Semaphore(AT_ONCE)

    def run(sql: str, *values: Any) -> list[Any]:
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall() if cursor.description else []

    async with aiohttp.ClientSession() as session:

        async def post(row: Any) -> int:
            _, event_id, url, secret, body = row
            stamp = str(int(time.time()))
            key = base64.b64decode(secret.removeprefix("whsec_"))
            signed = hmac.new(key, f"{event_id}.{stamp}.{body}".encode(), hashlib.sha256).digest()
            headers = {
                "webhook-id": event_id,
                "webhook-timestamp": stamp,
                "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
                "Content-Type": "application/json",
            }
            async with slots, session.post(url, data=body, headers=headers) as answer:
                await answer.read()
                return answer.status

        began = time.monotonic()
        while batch := await asyncio.to_thread(run, CLAIM, BATCH):
            statuses = await asyncio.gather(*(post(row) for row in batch))
            ids = ([row[0] for row in batch], [row[1] for row in batch], list(statuses))
            await asyncio.to_thread(run, SETTLE, *ids)
            sent += len(batch)
        return {"sent": sent, "seconds": time.monotonic() - began}


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["receive"]:
        asyncio.run(_receive(int(arguments[1])))
    elif arguments[:1] == ["floor"]:
        print(json.dumps(asyncio.run(_floor())))
    else:
        with running(ENDPOINTS) as stack:
            pairs = measure(stack)
        for mine, least in pairs:
            print(f"deliveries: {mine:.0f}/s, floor {least:.0f}/s, ratio {mine / least:.2f}")
        print(f"ratio {median(mine / least for mine, least in pairs):.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
