"""Customers who send messages and record every answer."""

import http.client
import itertools
import json
import threading
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from core.db import global_scope
from messaging.lines.simulated_line import add_simulated_line
from tenants import people
from tenants.passwords import hash_password
from tests.chaos.stage import Stage
from tests.factories import PASSWORD, Business, make_business, unique_email

CLIENTS = 8
CUT_OFF = 0
_phones = itertools.count(10_000)


def new_phone() -> str:
    """An ordinary phone, each used once: the order per recipient is not tested here."""
    return f"90532{next(_phones):07d}"


class Crowd:
    """A few businesses for one row, and the answers to their sends."""

    def __init__(
        self,
        stage: Stage,
        businesses: int = 3,
        plan: str = "growth",
        prefer: str = "respond-async",
    ) -> None:
        """`prefer`: the header of a send; empty: the caller waits for the network's answer."""
        self.stage = stage
        self.prefer = {"Prefer": prefer} if prefer else {}
        self.promised: list[str] = []
        self.answers: Counter[str] = Counter()
        self.odd: list[str] = []
        """Answers that are neither a promise nor a refusal in JSON."""
        self.promised_at: list[float] = []
        self._lock = threading.Lock()
        password = hash_password(PASSWORD)
        with global_scope():
            owner = people.register(unique_email(), "Derya Aksoy", password, verified=True)
        self.businesses = [make_business(f"Lokanta {n}", plan, owner) for n in range(businesses)]
        for business in self.businesses:
            with business.scope():
                secret = stage.settings.simulator_secret
                add_simulated_line("Front desk", stage.url, secret, test=False, default=True)

    @property
    def tenants(self) -> list[int]:
        return [business.tenant_id for business in self.businesses]

    def send(self, each: int, phone: str = "") -> None:
        """This number of messages from each business, by several concurrent clients."""
        work = [business for _ in range(each) for business in self.businesses]
        with ThreadPoolExecutor(CLIENTS) as clients:
            list(clients.map(lambda business: self.send_one(business, phone), work))

    def send_until(self, stopped: threading.Event, per_second: float) -> threading.Thread:
        """In the background, at a steady rate, regardless of the answers."""

        def go() -> None:
            with ThreadPoolExecutor(CLIENTS) as clients:
                for business in itertools.cycle(self.businesses):
                    if stopped.wait(1 / per_second):
                        return
                    clients.submit(self.send_one, business)

        thread = threading.Thread(target=go, daemon=True)
        thread.start()
        return thread

    def send_one(self, business: Business, phone: str = "") -> int:
        body = {"phone": phone or new_phone(), "message": "Your table is ready"}
        headers = {**business.bearer, **self.prefer}
        try:
            status, raw = self.call("POST", "/api/v1/messages/send", headers, body)
        except (OSError, http.client.HTTPException) as error:
            with self._lock:
                self.answers[type(error).__name__] += 1
            return 0
        with self._lock:
            self.answers[str(status)] += 1
            try:
                answer = json.loads(raw)
            except ValueError:
                self.odd.append(f"{status}: {raw[:80]!r}")
                return status
            if status in (200, 202):
                self.promised.append(answer["id"])
                self.promised_at.append(time.monotonic())
        return status

    def call(
        self, method: str, path: str, headers: dict[str, str], body: Any = None
    ) -> tuple[int, bytes]:
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        where = urlsplit(self.stage.url)
        door = http.client.HTTPConnection(str(where.hostname), where.port, timeout=40)
        try:
            # A server may answer a large body and close the connection before it has all arrived.
            with suppress(BrokenPipeError, ConnectionResetError):
                door.request(method, path, raw, {"Content-Type": "application/json", **headers})
            answer = door.getresponse()
            return answer.status, answer.read()
        finally:
            door.close()

    def burst(self, business: Business, requests: int) -> Counter[int]:
        """As fast as possible, to test the limits."""

        def one(_: int) -> int:
            return self.call("GET", "/api/v1/me", business.bearer)[0]

        with ThreadPoolExecutor(CLIENTS) as clients:
            return Counter(clients.map(one, range(requests)))

    def post_hooks(self, posts: Iterable[tuple[str, dict[str, str], bytes]]) -> list[int]:
        def one(post: tuple[str, dict[str, str], bytes]) -> int:
            token, headers, body = post
            try:
                return self.call("POST", f"/hooks/cloud/{token}", headers, body)[0]
            except (OSError, http.client.HTTPException):
                return CUT_OFF

        with ThreadPoolExecutor(CLIENTS) as clients:
            return list(clients.map(one, posts))
