"""The minimal programs that the benchmark compares with: the same work on the same servers.

`bench.baselines.minimal:app` on Granian: key cached, body checked, one Lua call for the limit, one
INSERT committed; for /send also one HTTP call to the network and one UPDATE committed; for /hook
the signature check and one INSERT.

`python -m bench.baselines.minimal` drains a table: batches with SKIP LOCKED, asyncio and aiohttp.
"""

import asyncio
import hmac
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import LifoQueue
from typing import Any

import aiohttp
import psycopg2
import psycopg2.extensions
import urllib3
from flask import Flask, Response, jsonify, request
from pydantic import BaseModel
from redis import Redis

from core.ids import new_uuid

CONNECTIONS = 10
BATCH = 200
KEY_SECONDS = 5.0
LIMIT = """
local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('EXPIRE', KEYS[1], 1) end
return n
"""
TABLE = """
CREATE TABLE floor_keys (key text PRIMARY KEY, tenant_id bigint NOT NULL, line text NOT NULL);
CREATE TABLE floor_messages (
    tenant_id bigint NOT NULL, id uuid NOT NULL, line text NOT NULL, phone text NOT NULL,
    text text NOT NULL, state text NOT NULL, due_at timestamptz, network_id text,
    created_at timestamptz NOT NULL, PRIMARY KEY (tenant_id, id));
CREATE INDEX floor_due_idx ON floor_messages (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE floor_hooks (line text NOT NULL, id uuid NOT NULL PRIMARY KEY, body bytea NOT NULL);
GRANT ALL ON floor_keys, floor_messages, floor_hooks TO comanda_app
"""
STORE = """
INSERT INTO floor_messages (tenant_id, id, line, phone, text, state, due_at, created_at)
VALUES (%s, %s, %s, %s, %s, 'queued', NULL, now())
"""
SENT = "UPDATE floor_messages SET state = 'sent', network_id = %s WHERE tenant_id = %s AND id = %s"
CLAIM = """
UPDATE floor_messages f SET due_at = now() + interval '1 minute', state = 'sending'
  FROM (SELECT tenant_id, id FROM floor_messages WHERE due_at <= now()
         ORDER BY due_at LIMIT %s FOR UPDATE SKIP LOCKED) AS due
 WHERE f.tenant_id = due.tenant_id AND f.id = due.id
RETURNING f.tenant_id, f.id::text, f.line, f.phone, f.text
"""
SETTLE = """
UPDATE floor_messages f SET state = 'sent', due_at = NULL, network_id = mine.network_id
  FROM unnest(%s::bigint[], %s::uuid[], %s::text[]) AS mine (tenant_id, id, network_id)
 WHERE f.tenant_id = mine.tenant_id AND f.id = mine.id
"""


class Text(BaseModel):
    phone: str
    message: str


class Pool:
    def __init__(self, url: str, size: int = CONNECTIONS) -> None:
        self._free: LifoQueue[psycopg2.extensions.connection] = LifoQueue()
        for _ in range(size):
            connection = psycopg2.connect(url)
            connection.autocommit = True
            self._free.put(connection)

    @contextmanager
    def cursor(self) -> Iterator[Any]:
        connection = self._free.get()
        try:
            with connection.cursor() as cursor:
                yield cursor
        finally:
            self._free.put(connection)


def network_call(line: str, phone: str, text: str, message_id: str) -> tuple[str, dict[str, str]]:
    body = {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "type": "text",
        "text": {"body": text},
        "to": phone,
        "biz_opaque_callback_data": message_id,
    }
    headers = {"Authorization": "Bearer token", "Content-Type": "application/json"}
    return json.dumps(body), {**headers, "X-Line": line}


def make_app() -> Flask:
    app = Flask("floor")
    pool = Pool(os.environ["FLOOR_DATABASE_URL"])
    redis = Redis.from_url(os.environ["REDIS_URL"])
    limit = redis.register_script(LIMIT)
    network, base = urllib3.PoolManager(maxsize=64), os.environ["CLOUD_BASE_URL"]
    known: dict[str, tuple[float, int, str]] = {}

    def caller() -> tuple[int, str]:
        key = request.headers["Authorization"].partition(" ")[2]
        found = known.get(key)
        if found is None or found[0] < time.monotonic():
            with pool.cursor() as cursor:
                cursor.execute("SELECT tenant_id, line FROM floor_keys WHERE key = %s", (key,))
                row = cursor.fetchone()
            found = known[key] = (time.monotonic() + KEY_SECONDS, *row)
        return found[1], found[2]

    def accept() -> tuple[int, str, str, Text]:
        tenant_id, line = caller()
        body = Text.model_validate_json(request.get_data())
        limit(keys=[f"floor:{tenant_id}"])
        message_id = str(new_uuid())
        with pool.cursor() as cursor:
            cursor.execute(STORE, (tenant_id, message_id, line, body.phone, body.message))
        return tenant_id, line, message_id, body

    @app.get("/healthz")
    def healthy() -> Response:
        return jsonify(status="ok")

    @app.post("/accept")
    def accept_only() -> tuple[Response, int]:
        _, _, message_id, _ = accept()
        return jsonify(status="success", id=message_id), 202

    @app.post("/send")
    def send() -> Response:
        tenant_id, line, message_id, body = accept()
        data, headers = network_call(line, body.phone, body.message, message_id)
        answer = network.request(
            "POST", f"{base}/v23.0/{line}/messages", body=data, headers=headers
        )
        network_id = json.loads(answer.data)["messages"][0]["id"]
        with pool.cursor() as cursor:
            cursor.execute(SENT, (network_id, tenant_id, message_id))
        return jsonify(status="success", id=message_id, message_id=network_id)

    @app.post("/hook/<line>")
    def hook(line: str) -> Response:
        raw = request.get_data()
        signature = request.headers.get("X-Hub-Signature-256", "").removeprefix("sha256=")
        if not hmac.compare_digest(signature, hmac.new(b"secret", raw, "sha256").hexdigest()):
            return Response(status=401)
        with pool.cursor() as cursor:
            cursor.execute(
                "INSERT INTO floor_hooks (line, id, body) VALUES (%s, %s, %s)",
                (line, str(new_uuid()), psycopg2.Binary(raw)),
            )
        return Response('{"status":"ok"}', mimetype="application/json")

    return app


async def drain(seconds: float) -> int:
    """Send what is due until nothing is left or the time is over. Returns how many were sent."""
    pool, base = Pool(os.environ["FLOOR_DATABASE_URL"], 2), os.environ["CLOUD_BASE_URL"]
    until, sent = time.monotonic() + seconds, 0

    def claim() -> list[Any]:
        with pool.cursor() as cursor:
            cursor.execute(CLAIM, (BATCH,))
            return list(cursor.fetchall())

    def settle(batch: list[Any], network_ids: list[str]) -> None:
        with pool.cursor() as cursor:
            cursor.execute(SETTLE, ([r[0] for r in batch], [r[1] for r in batch], network_ids))

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=BATCH)) as session:

        async def one(row: Any) -> str:
            _, message_id, line, phone, text = row
            data, headers = network_call(line, phone, text, message_id)
            url = f"{base}/v23.0/{line}/messages"
            async with session.post(url, data=data, headers=headers) as answer:
                return str((await answer.json())["messages"][0]["id"])

        while time.monotonic() < until:
            batch = await asyncio.to_thread(claim)
            if not batch:
                break
            network_ids = await asyncio.gather(*(one(row) for row in batch))
            await asyncio.to_thread(settle, batch, network_ids)
            sent += len(batch)
    return sent


def main() -> None:
    print("ready", flush=True)
    seconds = float(sys.stdin.readline())
    began = time.monotonic()
    sent = asyncio.run(drain(seconds))
    print(json.dumps({"sent": sent, "seconds": time.monotonic() - began}))


def __getattr__(name: str) -> Flask:
    if name == "app":
        globals()["app"] = make_app()
        return globals()["app"]  # type: ignore[no-any-return]
    raise AttributeError(name)


if __name__ == "__main__":
    main()
