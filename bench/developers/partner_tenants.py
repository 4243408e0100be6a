"""Create tenants by the partner API: `python -m bench.developers.partner_tenants [10000]`.

Real web processes answer over HTTP. Each tenant is created with an Idempotency-Key; one in ten
requests is repeated, as a client does after a lost answer. It fails unless every tenant exists once
and another partner sees none of them. The rate is the rate of the whole run.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

import urllib3

from bench.results import write
from bench.setup.stack import running
from core.app_setup import create_worker_app
from core.db import global_scope
from tenants.partners import keys, partners

TENANTS, CLIENTS, REPEAT_EACH = 10_000, 8, 10
LIMIT_SECONDS = 30 * 60


class Partner:
    def __init__(self, url: str, key: str, clients: int) -> None:
        self.url, self.key = url, key
        self.http = urllib3.PoolManager(maxsize=clients)
        self.waits = 0
        self.lock = Lock()

    def call(self, method: str, path: str, body: Any = None, once: str = "") -> Any:
        headers = {"Authorization": f"Bearer {self.key}"}
        if once:
            headers["Idempotency-Key"] = once
        while True:
            reply = self.http.request(
                method, f"{self.url}/api/v1/partner{path}", json=body, headers=headers
            )
            if reply.status != 429:
                break
            with self.lock:
                self.waits += 1
            time.sleep(float(reply.headers["Retry-After"]))
        if reply.status >= 300:
            raise RuntimeError(f"{method} {path}: {reply.status} {reply.data[:300]!r}")
        return reply.json()

    def create(self, number: int) -> int:
        body = {"name": f"Business {number}", "plan": "starter", "reference": f"c-{number}"}
        made = self.call("POST", "/tenants", body, once=f"tenant-{number}")
        if number % REPEAT_EACH == 0:
            again = self.call("POST", "/tenants", body, once=f"tenant-{number}")
            if again["id"] != made["id"]:
                raise RuntimeError(f"{number} was created twice")
        return int(made["id"])

    def listed(self) -> list[int]:
        found, after = [], ""
        while True:
            page = self.call("GET", f"/tenants?limit=200{after}")
            found += [one["id"] for one in page["data"]]
            if page["next"] is None:
                return found
            after = f"&after={page['next']}"


def new_partner(name: str) -> str:
    with global_scope():
        partner = partners.add(name, [], 1_000_000)
        return keys.create(partner, "Bench")[1]


def run(tenants: int, clients: int) -> dict[str, Any]:
    with running(1) as stack:
        os.environ.update(stack.env)
        with create_worker_app().app_context():
            ours, theirs = new_partner("Bench partner"), new_partner("Other partner")
        url = f"http://127.0.0.1:{stack.web_port}"
        partner, other = Partner(url, ours, clients), Partner(url, theirs, clients)
        began = time.perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            made = list(pool.map(partner.create, range(tenants)))
        seconds = time.perf_counter() - began
        if sorted(partner.listed()) != sorted(set(made)) or len(set(made)) != tenants:
            raise RuntimeError("the list is not what was created")
        if other.listed():
            raise RuntimeError("another partner sees tenants of this one")
    rate = tenants / seconds
    return {
        "tenants": tenants,
        "seconds": round(seconds, 1),
        "per_second": round(rate, 1),
        "seconds_for_10000": round(10_000 / rate),
        "waits_for_the_rate_limit": partner.waits,
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tenants", type=int, nargs="?", default=TENANTS)
    options.add_argument("--clients", type=int, default=CLIENTS)
    given = options.parse_args()
    figures = run(given.tenants, given.clients)
    print(figures)
    write(
        {
            "partner_tenants": {
                "value": figures["per_second"],
                "unit": f"tenants/s of {figures['tenants']}",
                "minutes_for_10000": round(figures["seconds_for_10000"] / 60, 1),
            }
        }
    )
    if figures["seconds_for_10000"] > LIMIT_SECONDS:
        sys.exit("10,000 tenants take longer than 30 minutes")


if __name__ == "__main__":
    main()
