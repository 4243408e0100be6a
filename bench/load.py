"""The load: `clients` connections that each send the next request once they are answered.

It uses raw sockets with asyncio in separate processes, because an HTTP client library would take
the cores from what is measured. `python -m bench.load` reads a plan as JSON and prints its figures.
"""

import asyncio
import hmac
import json
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROCESSES = 2
LONGEST_ANSWER = 20.0
HOOK = (
    '{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages",'
    '"value":{"messaging_product":"whatsapp","metadata":{"phone_number_id":"%s"},"messages":'
    '[{"from":"905321112233","id":"wamid.in%d","timestamp":"1763190000","type":"text",'
    '"text":{"body":"Merhaba"}}]}}]}]}'
)


@dataclass
class Figures:
    per_second: float
    p50_ms: float
    p99_ms: float
    statuses: dict[str, int] = field(default_factory=dict)

    @property
    def answers(self) -> int:
        return sum(self.statuses.values())


class Client(asyncio.Protocol):
    """One connection. A response is complete when its Content-Length is reached."""

    def __init__(self, plan: dict[str, Any], until: float) -> None:
        self.plan = plan
        self.until = until
        self.keys: list[str] = plan.get("keys", [])
        self.prefer = "Prefer: respond-async\r\n" if plan.get("async") else ""
        self.durations: list[float] = []
        self.statuses: dict[str, int] = {}
        self.rest = b""
        self.sent_at = 0.0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        self.ask()

    def ask(self) -> None:
        if time.perf_counter() >= self.until:
            self.finish()
            return
        path, headers, body = self.hook() if self.plan.get("hooks") else self.message()
        self.sent_at = time.perf_counter()
        self.transport.write(
            f"POST {path} HTTP/1.1\r\nHost: bench\r\n{headers}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )

    def message(self) -> tuple[str, str, str]:
        body = f'{{"phone":"9053{random.randrange(10**8):08d}","message":"Masa 4 hazir"}}'
        key = f"Authorization: Bearer {random.choice(self.keys)}\r\n{self.prefer}"
        return self.plan["path"], key, body

    def hook(self) -> tuple[str, str, str]:
        """A customer's message as the cloud API posts it, signed."""
        hook = random.choice(self.plan["hooks"])
        body = HOOK % (hook["phone_number_id"], random.randrange(10**12))
        seal = hmac.new(hook["secret"].encode(), body.encode(), "sha256").hexdigest()
        return hook["path"], f"X-Hub-Signature-256: sha256={seal}\r\n", body

    def data_received(self, data: bytes) -> None:
        self.rest += data
        head, mark, body = self.rest.partition(b"\r\n\r\n")
        if not mark:
            return
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        if len(body) < int(length or 0):
            return
        self.rest = b""
        self.durations.append(time.perf_counter() - self.sent_at)
        status = head[9:12].decode()
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.ask()

    def connection_lost(self, _error: Exception | None) -> None:
        if not self.done.done():
            self.statuses["broken"] = self.statuses.get("broken", 0) + 1
        self.finish()

    def finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)
            self.transport.close()


def run_load(plan: dict[str, Any]) -> Figures:
    """Spread the clients over processes and combine their results."""
    share = {**plan, "clients": plan["clients"] // PROCESSES}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "bench.load"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    wanted = json.dumps(share)
    for process in started:
        assert process.stdin
        process.stdin.write(wanted)
        process.stdin.close()
    parts = []
    for process in started:
        assert process.stdout
        parts.append(json.loads(process.stdout.read()))
        process.wait()
    took = sorted(one for part in parts for one in part["took"])
    statuses: dict[str, int] = {}
    for part in parts:
        for status, count in part["statuses"].items():
            statuses[status] = statuses.get(status, 0) + count
    if not took:
        raise RuntimeError(f"nothing was answered: {statuses}")
    return Figures(
        per_second=sum(len(part["took"]) / part["seconds"] for part in parts),
        p50_ms=took[len(took) // 2] * 1000,
        p99_ms=took[int(len(took) * 0.99)] * 1000,
        statuses=statuses,
    )


async def _load(plan: dict[str, Any]) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    began = time.perf_counter()
    clients = []
    for _ in range(plan["clients"]):
        _, client = await loop.create_connection(
            lambda: Client(plan, began + plan["seconds"]), "127.0.0.1", plan["port"]
        )
        clients.append(client)
    await asyncio.wait_for(
        asyncio.gather(*(client.done for client in clients)), plan["seconds"] + LONGEST_ANSWER
    )
    statuses: dict[str, int] = {}
    for client in clients:
        for status, count in client.statuses.items():
            statuses[status] = statuses.get(status, 0) + count
    return {
        "seconds": time.perf_counter() - began,
        "took": [took for client in clients for took in client.durations],
        "statuses": statuses,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_load(json.load(sys.stdin)))))
