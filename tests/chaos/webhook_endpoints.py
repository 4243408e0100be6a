"""Customers' servers: hostile ones, forbidden addresses, a rotated secret, killed workers."""

import asyncio
import gzip
import statistics
import threading
import time
from collections import Counter
from contextlib import ExitStack
from typing import Any

import psutil
from standardwebhooks import Webhook, WebhookVerificationError

from core.db import db
from core.http import Policy
from core.http.async_client import Client
from jobs.webhooks.poster import PER_ENDPOINT
from tests.chaos.load import Crowd
from tests.chaos.outcomes import Outcome
from tests.chaos.sending import RESUMED_SECONDS
from tests.chaos.stage import WORKERS, Stage
from tests.core.http import servers as http_servers
from tests.core.http.blocked_addresses import ADDRESSES, ANSWERS, URLS
from tests.core.http.servers import (
    Server,
    lenient_resolver,
    ok_response,
    replies_with,
    sends_slowly,
)
from tests.factories import Business
from tests.webhooks.receivers import Receiver, add_endpoint, wait_until
from webhooks import endpoints
from webhooks.delivery import post as webhook_post
from webhooks.delivery.claim import ClaimedDelivery, EndpointBatch
from webhooks.events import publish_webhook_event

QUIET, BUSY = 60, 120
PACE = 0.05
LONGEST_ATTEMPT_MS = 15_500
MOST_GROWTH = 60 * 1024 * 1024
NOISE_SECONDS = 0.25  # everything shares two cores, so a doubling below this is noise
BOMB = gzip.compress(b"\0" * 20_000_000)

STATES = "SELECT state, count(*) FROM deliveries WHERE tenant_id = ANY(%s) GROUP BY state"
ATTEMPTS = """
SELECT count(*), max(millis), max(length(answer)) FROM delivery_attempts WHERE tenant_id = ANY(%s)
"""
OFF = "SELECT disabled_because FROM endpoints WHERE tenant_id = %s"


def hostile(stage: Stage) -> Outcome:
    """Seven bad endpoints beside a good one, whose deliveries must not be delayed."""
    crowd = Crowd(stage, businesses=9)
    good, shared, *bad = crowd.businesses
    outcome = Outcome()
    with ExitStack() as opened:
        inside = opened.enter_context(Server(ok_response()))
        poured = Poured()
        servers = {
            "drip": Server(sends_slowly(_head(b"Content-Length: 1000000"), b"x", 0.5)),
            "slow headers": Server(sends_slowly(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x", 0.5)),
            "endless": Server(poured.talk),
            "bomb": Server(
                replies_with(
                    _head(b"Content-Encoding: gzip", b"Content-Length: %d" % len(BOMB)) + BOMB
                )
            ),
            "redirect": Server(
                replies_with(
                    b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n"
                    b"Location: http://127.0.0.1:%d/\r\n\r\n" % inside.port
                )
            ),
            "410": Server(replies_with(b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n")),
            "429": Server(
                replies_with(b"HTTP/1.1 429 Slow\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n")
            ),
        }
        for server in servers.values():
            opened.enter_context(server)
        quick, beside = Receiver(), Receiver()
        opened.callback(quick.close)
        opened.callback(beside.close)
        add_endpoint(good, quick.url)
        add_endpoint(shared, beside.url)
        add_endpoint(shared, _url(servers["drip"]))  # the same account has a good and a bad one
        alone = _latency(good, quick, QUIET)
        before = _memory(stage)  # with everything loaded that a delivery needs
        for business, server in zip(bad, servers.values(), strict=True):
            add_endpoint(business, _url(server))
            _publish(business, 30)
        stopped = threading.Event()
        crowding = threading.Thread(target=_keep_publishing, args=(stage, shared, stopped))
        crowding.start()
        among = _latency(good, quick, BUSY)
        stopped.set()
        crowding.join()
        waits = wait_until(lambda: len(beside.requests) >= len(_events_of(stage, shared)), 20)
        time.sleep(16.0)  # hanging requests have timed out by now
        grown = _memory(stage) - before
        count, longest, kept = stage.ask(ATTEMPTS, crowd.tenants)[0]
        p95 = _p95(alone), _p95(among)
        outcome.accepted, outcome.terminal = count, len(alone) + len(among)
        outcome.note = (
            f"healthy p95 {p95[0] * 1000:.0f} ms alone, {p95[1] * 1000:.0f} ms beside;"
            f" {count} attempts, longest {longest} ms, {kept} characters kept at most;"
            f" endless server poured {poured.most // 1024} KB at most into its socket;"
            f" memory {grown / 2**20:+.0f} MB; redirects followed {inside.accepted}"
        )
        outcome.expect(p95[1] <= max(2 * p95[0], NOISE_SECONDS), "the healthy one's p95 doubled")
        outcome.expect(bool(waits), "a hanging endpoint held up the other one of its account")
        outcome.expect(longest <= LONGEST_ATTEMPT_MS, "an attempt took longer than 15 s")
        outcome.expect(kept <= 2048, "more than 2 KB were kept")
        outcome.expect(grown < MOST_GROWTH, "memory grew")
        outcome.expect(inside.accepted == 0, "a redirect was followed")
        outcome.expect(
            stage.ask(OFF, bad[list(servers).index("410")].tenant_id) == [("gone",)],
            "410 did not switch the endpoint off",
        )
        outcome.expect(
            len(servers["429"].requests)
            <= PER_ENDPOINT,  # attempts that were in flight when it was disabled
            "429 with Retry-After was not left in peace",
        )
    return outcome


def addresses(stage: Stage) -> Outcome:
    """Every vector as an endpoint's URL, and as what its name resolves to. Production's rules."""
    del stage
    outcome = Outcome()
    with Server(ok_response()) as canary:
        written = [url.replace("{port}", str(canary.port)) for url, _ in URLS]
        for address, _ in ADDRESSES:
            host = f"[{address}]" if ":" in address else address
            written.append(f"http://{host}:{canary.port}/")
        resolved = {
            f"trick{n}.example.com": answer
            for n, answer in enumerate([[a] for a, _ in ADDRESSES] + [a for a, _ in ANSWERS])
        }
        urls = written + [f"http://{name}:{canary.port}/" for name in resolved]
        called: list[Any] = []

        async def post_all() -> int:
            policy = Policy(ports=frozenset({80, 443, canary.port}))
            refused = 0
            async with Client(
                policy,
                resolver=lambda host, port: resolved.get(host) or lenient_resolver(host, port),
            ) as client:
                for url in urls:
                    batch = EndpointBatch("ep", "", url, ("whsec_AAAA",), 0)
                    posted = await webhook_post.post_delivery(
                        client, batch, ClaimedDelivery("", 1, 0, "evt", b"{}")
                    )
                    refused += not posted.delivered
            return refused

        http_servers._watches.append(called.append)
        try:
            refused = asyncio.run(post_all())
        finally:
            http_servers._watches.pop()
        outcome.accepted, outcome.terminal = len(urls), refused
        outcome.note = f"{len(called)} sockets for {len(urls)} vectors"
        outcome.expect(len(urls) >= 200, "too few vectors")
        outcome.expect(refused == len(urls), f"{len(urls) - refused} were called")
        outcome.expect(not called and not canary.accepted, f"sockets to {called[:3]}")
    return outcome


def rotated(stage: Stage) -> Outcome:
    """The first attempt fails, the secret is rotated, the retry carries both signatures."""
    crowd = Crowd(stage, businesses=1)
    business = crowd.businesses[0]
    server = Receiver(*[500] * 4, 200)
    outcome = Outcome()
    try:
        endpoint = add_endpoint(business, server.url)
        old = endpoint.secret
        _publish(business, 4)
        wait_until(lambda: len(server.requests) >= 4, 30)
        with business.scope():
            new = endpoints.rotate_secret(endpoint.id).secret
        began = time.monotonic()
        arrived = wait_until(lambda: _states(stage, crowd) == {"delivered": 4}, 60)
        outcome.seconds = time.monotonic() - began
        verified = Counter(
            (_verifies(old, request), _verifies(new, request)) for request in server.requests
        )
        outcome.accepted, outcome.terminal = 4, 4 if arrived else 0
        outcome.note = (
            f"before: {verified[True, False]} by the old secret alone;"
            f" after: {verified[True, True]} by both; {verified[False, False]} by neither"
        )
        outcome.expect(bool(arrived), "not all arrived")
        outcome.expect(verified[True, True] >= 4, "a retry was not signed with both")
        outcome.expect(set(verified) == {(True, False), (True, True)}, "a signature did not verify")
    finally:
        server.close()
    return outcome


def killed(stage: Stage, step: str, times: int) -> Outcome:
    """kill -9 of both workers while they deliver: at least once, nothing lost."""
    crowd = Crowd(stage)
    server = Receiver()
    server.pause = 0.01
    outcome = Outcome()
    try:
        for business in crowd.businesses:
            add_endpoint(business, server.url)
        stage.end(*WORKERS)
        ids = {one for business in crowd.businesses for one in _publish(business, 100)}
        stage.workers(f"{step}:{times}")
        wait_until(lambda: bool(stage.deaths), 25)
        began = time.monotonic()
        done = wait_until(lambda: _states(stage, crowd) == {"delivered": len(ids)}, RESUMED_SECONDS)
        outcome.seconds = time.monotonic() - began
        seen = Counter(headers["webhook-id"] for headers, _ in server.requests)
        outcome.accepted, outcome.terminal = len(ids), _states(stage, crowd).get("delivered", 0)
        outcome.lost = len(ids - set(seen))
        again = sum(count > 1 for count in seen.values())
        outcome.note = f"{len(stage.deaths)} killed; {again} came twice, as at least once allows"
        outcome.expect(bool(stage.deaths), "nobody was killed")
        outcome.expect(bool(done), "not all delivered within 60 s")
        outcome.expect(outcome.lost == 0, f"{outcome.lost} never arrived")
    finally:
        server.close()
    return outcome


class Poured:
    """An endless body, as fast as the client reads it."""

    def __init__(self) -> None:
        self.most = 0

    def talk(self, connection: Any, server: Any) -> None:
        server.read_request(connection)
        connection.sendall(_head(b"Content-Type: text/plain"))
        sent = 0
        try:
            while not server.stopped.is_set():
                sent += connection.send(b"x" * 65536)
        finally:
            self.most = max(self.most, sent)


def _head(*headers: bytes) -> bytes:
    return b"\r\n".join((b"HTTP/1.1 200 OK", *headers)) + b"\r\n\r\n"


def _url(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}/hook"


def _publish(business: Business, count: int) -> list[str]:
    with business.scope():
        events = [publish_webhook_event("messages.sent", {"data": {"n": n}}) for n in range(count)]
        db.session.flush()
        return [event.id for event in events]


def _latency(business: Business, server: Receiver, count: int) -> list[float]:
    """From the commit of an event to its arrival, one event after the other at a steady pace."""
    told: dict[str, float] = {}
    came: dict[str, float] = {}
    stopped = threading.Event()

    def watch() -> None:
        while not stopped.wait(0.002):
            for headers, _ in list(server.requests):
                came.setdefault(headers["webhook-id"], time.monotonic())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    for _ in range(count):
        [event_id] = _publish(business, 1)
        told[event_id] = time.monotonic()
        time.sleep(PACE)
    wait_until(lambda: set(told) <= set(came), 30)
    stopped.set()
    watcher.join()
    return [came.get(one, at + 30) - at for one, at in told.items()]


def _keep_publishing(stage: Stage, business: Business, stopped: threading.Event) -> None:
    with stage.app.app_context():
        while not stopped.wait(0.2):
            _publish(business, 1)


def _events_of(stage: Stage, business: Business) -> list[Any]:
    return stage.ask("SELECT id FROM events WHERE tenant_id = %s", business.tenant_id)


def _states(stage: Stage, crowd: Crowd) -> dict[str, int]:
    return dict(stage.ask(STATES, crowd.tenants))


def _verifies(secret: str, request: tuple[dict[str, str], bytes]) -> bool:
    headers, body = request
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


def _memory(stage: Stage) -> int:
    return sum(psutil.Process(stage.processes[name].pid).memory_info().rss for name in WORKERS)


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]
