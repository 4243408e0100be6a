"""Do requests stay fast as messages grow? `python -m bench.message_growth [10000 1000000 10000000]`

Businesses in one database, each with many times the messages of the one before. All get the same
requests over HTTP in turn; prints the 95th percentile of each, and the ratio of the largest to the
smallest. Sizes that do not fit on the disk are left out.
"""

import http.client
import json
import random
import re
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode

from bench.results import write
from bench.setup.preload import LEAN, PEOPLE, Line
from bench.setup.stack import ROOT, Stack, running

SIZES = (10_000, 1_000_000, 10_000_000)
BYTES_EACH = 1_500  # on disk, with indexes and the WAL
TURNS, WARM_TURNS = 40, 5
MOST_GROWTH = 1.5
PAGES = {"list": "/messages", "inbox": "/inbox", "dashboard": "/home", "contacts": "/contacts"}
TOKEN = re.compile(r'name="csrf_token"[^>]*value="([^"]+)"')


class Browser:
    """Signed in as a business's owner."""

    def __init__(self, port: int, person: Mapping[str, Any]) -> None:
        self._door = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._cookies: SimpleCookie = SimpleCookie()
        self._key = person["key"]
        found = TOKEN.search(self._ask("GET", "/signin")[1])
        fields = {"email": person["email"], "password": person["password"]}
        fields["csrf_token"] = found[1] if found else ""
        status, page = self._ask("POST", "/signin", urlencode(fields))
        if status != 302:
            raise RuntimeError(f"signing in was answered with {status}: {page[:300]}")

    def page(self, path: str) -> float:
        return self._timed("GET", path, "", {}, 200)

    def api_list(self) -> float:
        return self._timed("GET", "/api/v1/messages?limit=50", "", self._bearer(), 200)

    def send(self) -> float:
        body = {"phone": f"9054{random.randrange(10**8):08d}", "message": "Masa 4 hazir"}
        return self._timed("POST", "/api/v1/messages/send", json.dumps(body), self._bearer(), 200)

    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}

    def _timed(
        self, method: str, path: str, body: str, headers: Mapping[str, str], right: int
    ) -> float:
        began = time.perf_counter()
        status, page = self._ask(method, path, body, headers)
        if status != right:
            raise RuntimeError(f"{path} was answered with {status}: {page[:300]}")
        return (time.perf_counter() - began) * 1000

    def _ask(
        self, method: str, path: str, body: str = "", headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        cookies = "; ".join(f"{name}={one.value}" for name, one in self._cookies.items())
        request_headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
        self._door.request(method, path, body, {**request_headers, **(headers or {})})
        answer = self._door.getresponse()
        page = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            self._cookies.load(cookie)
        return answer.status, page


def questions() -> dict[str, Callable[[Browser], float]]:
    pages: dict[str, Callable[[Browser], float]] = {
        name: lambda browser, path=path: browser.page(path)  # type: ignore[misc]
        for name, path in PAGES.items()
    }
    return {"send": Browser.send, "api_list": Browser.api_list, **pages}


def measure(stack: Stack, sizes: Sequence[int]) -> dict[str, dict[int, list[float]]]:
    browsers = {
        size: Browser(stack.web_port, person)
        for size, person in zip(sizes, stack.people, strict=False)
    }
    reads = questions()
    times: dict[str, dict[int, list[float]]] = {
        name: {size: [] for size in sizes} for name in reads
    }
    for turn in range(TURNS + WARM_TURNS):
        for name, read in reads.items():
            for size, browser in browsers.items():
                elapsed = read(browser)
                if turn >= WARM_TURNS:
                    times[name][size].append(elapsed)
    return times


def p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def main(names: list[int]) -> int:
    free_bytes = shutil.disk_usage(ROOT).free
    sizes = [size for size in names if size * BYTES_EACH < free_bytes]
    for size in set(names) - set(sizes):
        print(f"no room on the disk for {size} messages", flush=True)
    with running(len(sizes)) as stack:
        for size, person in zip(sizes, stack.people, strict=True):
            began = time.monotonic()
            line = Line(person["tenant_id"], person["line_id"])
            stack.preload(size, [line], (*LEAN, *PEOPLE))
            print(f"{size} messages written in {time.monotonic() - began:.0f} s", flush=True)
        times = measure(stack, sizes)
    small, large = sizes[0], sizes[-1]
    print(f"{'p95 in ms':16}" + "".join(f"{size:>12}" for size in sizes) + "   ratio")
    results: dict[str, dict[str, Any]] = {}
    for name, found in times.items():
        every = [p95(found[size]) for size in sizes]
        ratio = every[-1] / every[0]
        print(f"{name:16}" + "".join(f"{one:12.1f}" for one in every) + f"{ratio:8.2f}")
        results[f"growth_{name}"] = {
            "value": round(every[-1], 1),
            "unit": f"ms p95 at {large}",
            "floor": round(every[0], 1),
            "ratio": round(ratio, 3),
            "floor_at": small,
        }
    write(results)
    return 0 if all(row["ratio"] <= MOST_GROWTH for row in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main([int(one) for one in sys.argv[1:]] or list(SIZES)))
