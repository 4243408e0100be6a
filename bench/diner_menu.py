"""How fast is the diner's menu page, compared with a template that is only filled in?

`python -m bench.diner_menu` runs this row alone; `measure(stack)` is one row of the benchmark. The
baseline is a Flask app whose page is a Jinja template of the same length without any query.
"""

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from flask import Flask, render_template_string

from bench.setup.stack import ROOT, Stack, running
from core.app_setup import create_worker_app
from core.db import tenant_scope
from deploy.local.ports import any_free
from deploy.local.processes.child_process import spawn
from restaurant.menus import menus, publishing
from restaurant.sites import sites, tables

CLIENTS, SECONDS, WARM_SECONDS, ROUNDS = 16, 3.0, 1.5, 3
LEAST = 0.5
DISHES, CATEGORIES = 40, 6


def measure(stack: Stack) -> dict[str, Any]:
    """Pages per second, the service and the baseline in turn."""
    path = _finish(stack.env, "site", str(stack.people[0]["tenant_id"]))
    page = ROOT / ".data" / "bench" / "diner.html"
    page.write_bytes(_get(stack.web_port, path))
    port = any_free()
    command = ["-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--workers", "2", "--blocking-threads", "64", "--no-ws", "--log-level", "warning"]
    floor = spawn(
        [sys.executable, *command, "bench.diner_menu:app"],
        env={**stack.env, "DINER_PAGE": str(page)},
        cwd=ROOT,
        output=subprocess.DEVNULL,
    )
    try:
        _wait(port)
        rounds = []
        for seconds in (WARM_SECONDS, *[SECONDS] * ROUNDS):
            pair = (
                _load(stack.env, stack.web_port, path, seconds),
                _load(stack.env, port, "/", seconds),
            )
            if seconds == SECONDS:
                rounds.append(pair)
    finally:
        floor.terminate()
        floor.wait()
    return {
        "value": round(median(ours for ours, _ in rounds), 1),
        "unit": "pages/s",
        "floor": round(median(least for _, least in rounds), 1),
        "ratio": round(median(ours / least for ours, least in rounds), 3),
    }


def make_app() -> Flask:
    """The baseline: the same bytes from a template with one number to fill in."""
    app = Flask("floor")
    text = Path(os.environ["DINER_PAGE"]).read_text()
    template = "{% raw %}" + text.replace("{% endraw %}", "") + "{% endraw %}{{ table }}"

    @app.get("/")
    def page() -> str:
        return render_template_string(template, table=12)

    return app


def open_site(tenant_id: int) -> str:
    """Publish a menu of a usual size; returns its path."""
    with create_worker_app().app_context(), tenant_scope(tenant_id):
        site = sites.open_site(
            "Bench bistro",
            slug=f"bench-{tenant_id}",
            prefix="BEN",
            currency="TRY",
            time_zone="Europe/Istanbul",
            country="TR",
            languages=["tr", "en"],
        )
        menu = menus.create("Menu", currency="TRY", languages=["tr", "en"])
        for number in range(CATEGORIES):
            category = menus.add_category(menu, {"texts": {"tr": {"name": f"Bölüm {number}"}}})
            for dish in range(DISHES // CATEGORIES):
                texts = {"name": f"Yemek {number}.{dish}", "description": "Taze ve sıcak"}
                menus.add_item(
                    menu, {"category_id": category.id, "texts": {"tr": texts}, "price": "120"}
                )
        publishing.publish(menu.id)
        sites.change(site.id, {"menu_id": menu.id})
        (table,) = tables.add_tables(site, "12")
        return f"/r/{site.slug}/menu?table=12&k={table.token}"


def load(port: int, path: str, seconds: float) -> float:
    """Requests per second of connections that each send the next request once they are answered."""
    until, counts = time.perf_counter() + seconds, [0] * CLIENTS

    def ask(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        while time.perf_counter() < until:
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise RuntimeError(f"the page answered {answer.status}")
            counts[number] += 1

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / seconds


def _get(port: int, path: str) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path)
    answer = connection.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"the menu answered {answer.status}")
    return answer.read()


def _wait(port: int) -> None:
    end = time.monotonic() + 20
    while True:
        try:
            _get(port, "/")
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def _load(env: Mapping[str, str], port: int, path: str, seconds: float) -> float:
    return float(_finish(env, "load", str(port), path, str(seconds)))


def _finish(env: Mapping[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "bench.diner_menu", *arguments],
        env=dict(env),
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip().splitlines()[-1]


def main(names: list[str]) -> int:
    if names[:1] == ["site"]:
        print(open_site(int(names[1])))
        return 0
    if names[:1] == ["load"]:
        print(load(int(names[1]), names[2], float(names[3])))
        return 0
    with running(1) as stack:
        row = measure(stack)
    print(json.dumps({"diner": row}))
    return 0 if row["ratio"] >= LEAST else 1


def __getattr__(name: str) -> Flask:
    """`app` for the web server, created only on access."""
    if name != "app":
        raise AttributeError(name)
    return make_app()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
