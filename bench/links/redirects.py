"""How long does a short link take, from the request to the redirect, while a campaign is read?

`python -m bench.links.redirects` runs this row alone; `measure(stack)` is one row of the benchmark.
People click at a steady rate, each on a link of their own, and every click is counted. There is no
baseline, but a limit for the 99th percentile.
"""

import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import quantiles
from typing import Any

from bench.setup.stack import ROOT, Stack, running
from core.app_setup import create_worker_app
from core.clock import now
from core.db import db, tenant_scope
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.repository import CampaignInput
from messaging.contacts import identities as contact_identities
from messaging.links import short_links
from messaging.links.short_links import NewLink

LIMIT_MS = 30.0
TENANTS, LINKS_EACH = 10, 200
CLIENTS, PER_SECOND = 16, 100
SECONDS, WARM_SECONDS = 20.0, 3.0
AGENT = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36"


def measure(stack: Stack) -> dict[str, Any]:
    """The 99th percentile in milliseconds."""
    tenants = [str(one["tenant_id"]) for one in stack.people[:TENANTS]]
    codes = json.loads(_finish(stack.env, "links", *tenants))
    place = ROOT / ".data" / "bench" / "links.json"
    place.write_text(json.dumps(codes))
    port = str(stack.web_port)
    _finish(stack.env, "click", port, str(place), str(WARM_SECONDS))
    seen = json.loads(_finish(stack.env, "click", port, str(place), str(SECONDS)))
    return {
        "value": seen["p99_ms"],
        "unit": "ms",
        "floor": LIMIT_MS,
        "ratio": round(seen["p99_ms"] / LIMIT_MS, 3),
        "p50_ms": seen["p50_ms"],
        "clicks": seen["clicks"],
        "clicks_per_second": PER_SECOND,
    }


def make_links(tenant_ids: list[str]) -> list[str]:
    """A campaign in each tenant, with a link of its own for each recipient."""
    made = []
    for tenant_id in map(int, tenant_ids):
        with tenant_scope(tenant_id):
            campaign = campaign_repository.add(CampaignInput(name="Bench", text="Hello"))
            links = [
                NewLink(
                    short_links.new_code(),
                    contact_identities.find_or_create(f"90555{n:07d}", "", "Guest", now()).id,
                    "https://example.com/menu",
                )
                for n in range(LINKS_EACH)
            ]
            db.session.flush()
            short_links.store_links(campaign.id, links)
            made += [one.code for one in links]
    return made


def click(port: int, codes: list[str], seconds: float) -> dict[str, float]:
    """Each connection clicks at its own times; a late answer does not delay the others.

    A click is measured from the time at which it was due, so waiting for a connection counts.
    """
    begin = time.perf_counter() + 0.2
    times: list[list[float]] = [[] for _ in range(CLIENTS)]
    pause = CLIENTS / PER_SECOND

    def follow(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.connect()
        due, at = begin + number / PER_SECOND, number
        while due < begin + seconds:
            time.sleep(max(0.0, due - time.perf_counter()))
            connection.request("GET", f"/l/{codes[at % len(codes)]}", headers={"User-Agent": AGENT})
            answer = connection.getresponse()
            answer.read()
            if answer.status != 302:
                raise RuntimeError(f"the link answered {answer.status}")
            times[number].append((time.perf_counter() - due) * 1000)
            due, at = due + pause, at + CLIENTS

    threads = [threading.Thread(target=follow, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    every = [one for found in times for one in found]
    marks = quantiles(every, n=100)
    return {
        "p50_ms": round(marks[49], 1),
        "p99_ms": round(marks[98], 1),
        "clicks": len(every),
    }


def _finish(env: Mapping[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "bench.links.redirects", *arguments],
        env=dict(env),
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout.strip().splitlines()[-1]


def main(names: list[str]) -> int:
    if names[:1] == ["links"]:
        with create_worker_app().app_context():
            print(json.dumps(make_links(names[1:])))
        return 0
    if names[:1] == ["click"]:
        codes = json.loads(Path(names[2]).read_text())
        print(json.dumps(click(int(names[1]), codes, float(names[3]))))
        return 0
    with running(TENANTS) as stack:
        row = measure(stack)
    print(json.dumps({"redirects": row}))
    return 0 if row["ratio"] <= 1 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
