"""Does one business's burst delay the others? Measures the time from acceptance to the network's
answer, by the timeline, without the burst and during it, in turn.
"""

import http.client
import json
import random
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bench import send_queue
from bench.setup.stack import Stack
from bench.setup.tenants import MANY_LINES

BURST = 10_000
SECONDS = 4.0
ROUNDS = 3
LATE_SECONDS = 10.0
TOOK = """
SELECT extract(epoch FROM coalesce(sent.at, clock_timestamp()) - m.created_at) * 1000
  FROM messages AS m
  LEFT JOIN message_changes AS sent ON sent.tenant_id = m.tenant_id AND sent.message_id = m.id
   AND sent.state = 'sent'
 WHERE m.tenant_id = ANY (%s) AND m.created_at >= %s AND m.created_at < %s
 ORDER BY 1
"""
Person = Mapping[str, Any]


def one_beside_one(stack: Stack) -> list[tuple[float, float]]:
    """A quiet business beside one that has queued ten thousand messages."""
    quiet, noisy = stack.people[-2:]
    return _rounds(stack, [noisy], [quiet], every=0.05, senders=1)


def one_beside_many(stack: Stack) -> list[tuple[float, float]]:
    """Fifty businesses with two hundred lines, one of which has queued ten thousand messages."""
    noisy, *quiet = stack.people[:MANY_LINES]
    return _rounds(stack, [noisy, *noisy["more_lines"]], quiet, every=0.1, senders=4)


def _rounds(
    stack: Stack, noisy: Sequence[Person], quiet: Sequence[Person], *, every: float, senders: int
) -> list[tuple[float, float]]:
    """The p95 of the quiet businesses in milliseconds, during the burst and without it."""

    def quietly() -> float:
        began = datetime.now(UTC)
        threads = [
            threading.Thread(target=_send, args=(stack.web_port, quiet, every))
            for _ in range(senders)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return _p95(stack, quiet, began, datetime.now(UTC))

    quietly()
    rounds = []
    for _ in range(ROUNDS):
        alone = quietly()
        send_queue.queue(stack, noisy, BURST)
        send_queue.notify_workers(stack)
        beside = quietly()
        send_queue.clear(stack)
        rounds.append((beside, alone))
    return rounds


def _send(port: int, people: Sequence[Person], every: float) -> None:
    """At a steady pace, over all lines, without waiting for the network."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    began = time.monotonic()
    for turn in range(int(SECONDS / every)):
        time.sleep(max(began + turn * every - time.monotonic(), 0))
        person = random.choice(people)
        line = random.choice([person, *person["more_lines"]])
        body = {
            "phone": f"9053{random.randrange(10**8):08d}",
            "message": "Masa 4 hazir",
            "instance_id": line["line_id"],
        }
        headers = {
            "Authorization": f"Bearer {person['key']}",
            "Content-Type": "application/json",
            "Prefer": "respond-async",
        }
        connection.request("POST", "/api/v1/messages/send", json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 202:
            raise RuntimeError(f"a send was answered with {answer.status}")
    connection.close()


def _p95(stack: Stack, people: Sequence[Person], began: datetime, ended: datetime) -> float:
    """A message that was not sent after ten seconds counts with its age."""
    tenants = [person["tenant_id"] for person in people]
    end = time.monotonic() + LATE_SECONDS
    while time.monotonic() < end:
        with stack.database() as cursor:
            cursor.execute(
                "SELECT count(*) FROM messages WHERE tenant_id = ANY (%s) AND due_at IS NOT NULL",
                (tenants,),
            )
            if cursor.fetchone() == (0,):
                break
        time.sleep(0.1)
    with stack.database() as cursor:
        cursor.execute(TOOK, (tenants, began, ended))
        durations = [float(row[0]) for row in cursor.fetchall()]
    return durations[int(len(durations) * 0.95)]
