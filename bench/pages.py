"""How much processor time does a page of the portal need, and how many statements?

`python -m bench.pages [page …]` runs this row alone; `measure(stack)` is one row of the benchmark.
Each page is requested in this process, signed in as the demo's owner, with the demo's data. The
time is processor time: of the app, and of the PostgreSQL process that runs its statements.
"""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import mean, median
from threading import get_ident
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from redis.connection import AbstractConnection
from sqlalchemy import event

from bench.results import write
from bench.setup.stack import ROOT, Stack, running
from core.db import db, global_scope
from deploy.demo import loader as demo

MOST_MS = 10.0
TURNS, WARM_TURNS = 40, 5
TOKEN = re.compile(r'name="csrf_token"[^>]*value="([^"]+)"')


@dataclass(frozen=True)
class Page:
    """A page; with `link`, the first page that this pattern matches in the page at `path`."""

    name: str
    path: str
    link: str = ""


# The pages that are open during a working day: the ones the staff works in (inbox, board, orders,
# contacts, campaigns), the ones that managers check (home, tables, printing, reports), and the ones
# a developer follows messages on. Pages for setting something up once are left out.
PAGES = (
    Page("home", "/home"),
    Page("inbox", "/inbox"),
    Page("conversation", "/inbox", r"/inbox/cnv_\w+"),
    Page("messages", "/messages"),
    Page("message", "/messages", r"/messages/msg_\w+"),
    Page("contacts", "/contacts"),
    Page("contact", "/contacts", r"/contacts/con_\w+"),
    Page("campaigns", "/campaigns"),
    Page("campaign", "/campaigns", r"/campaigns/cmp_\w+"),
    Page("board", "/orders/board"),
    Page("kitchen", "/orders/board?view=kitchen"),
    Page("orders", "/orders"),
    Page("order", "/orders", r"/orders/[A-Z]+-\d+-\d+"),
    Page("menu", "/menus", r"/menus/mnu_\w+"),
    Page("tables", "/restaurants", r"/restaurants/\w+/tables"),
    Page("print_jobs", "/print-jobs"),
    Page("reports", "/reports/orders"),
    Page("lines", "/lines"),
    Page("webhooks", "/webhooks"),
    Page("usage", "/usage"),
    Page("diner", "/restaurants", r"/r/[\w-]+/menu"),
)


@dataclass
class Work:
    """What one request asked for."""

    statements: list[str] = field(default_factory=list)
    redis_commands: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class PageCost:
    web_ms: float
    database_ms: float
    least_ms: float
    """The sum in the fastest turn. Other programs on the machine can only add to it."""
    statements: int
    redis_commands: int

    @property
    def total_ms(self) -> float:
        return self.web_ms + self.database_ms


@contextmanager
def recorded_work(app: Flask) -> Iterator[Work]:
    """Record the SQL statements and Redis commands of the requests in the block.

    A test client runs a request in the thread that calls it. Other threads of the process wait at
    Redis for receipts, and their commands belong to no page.
    """
    work = Work()
    caller = get_ident()

    def keep_statement(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        work.statements.append(statement)

    plain = AbstractConnection.send_packed_command

    def keep_command(self: Any, command: Any, *args: Any, **more: Any) -> Any:
        if get_ident() == caller:
            parts = [command] if isinstance(command, bytes) else command
            work.redis_commands.append(b"".join(parts)[:200].decode(errors="replace"))
        return plain(self, command, *args, **more)  # type: ignore[no-untyped-call]

    with app.app_context():
        engine = db.engine
    # First, because a later listener replaces prepared statements by their names.
    event.listen(engine, "before_cursor_execute", keep_statement, insert=True)
    AbstractConnection.send_packed_command = keep_command  # type: ignore[method-assign]
    try:
        yield work
    finally:
        event.remove(engine, "before_cursor_execute", keep_statement)
        AbstractConnection.send_packed_command = plain  # type: ignore[method-assign]


def sign_in(client: FlaskClient, email: str, password: str) -> None:
    token = TOKEN.search(client.get("/signin").text)
    fields = {"email": email, "password": password, "csrf_token": token[1] if token else ""}
    answer = client.post("/signin", data=fields)
    if answer.status_code != 302:
        raise RuntimeError(f"signing in was answered with {answer.status_code}")


def find_paths(client: FlaskClient, pages: Sequence[Page] = PAGES) -> dict[str, str]:
    """The path of each page, with the ids that the lists link to."""
    return {page.name: _path(client, page) for page in pages}


def _path(client: FlaskClient, page: Page) -> str:
    if not page.link:
        return page.path
    for path in re.findall(rf'href="[^"]*?({page.link})["?]', client.get(page.path).text):
        if client.get(path).status_code == 200:  # the page of a campaign's draft is another one
            return str(path)
    raise RuntimeError(f"{page.path} links to no {page.name}")


def measure_pages(app: Flask, paths: Mapping[str, str], client: FlaskClient) -> dict[str, PageCost]:
    """Medians over many turns; a turn requests every page once."""
    backend = _backend_schedule(app)
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in paths}
    for turn in range(WARM_TURNS + TURNS):
        for name, path in paths.items():
            times = _times(client, path, backend)
            if turn >= WARM_TURNS:
                samples[name].append(times)
    return {name: _cost(app, client, paths[name], times) for name, times in samples.items()}


def _cost(app: Flask, client: FlaskClient, path: str, times: list[tuple[float, float]]) -> PageCost:
    with recorded_work(app) as work:
        client.get(path)
    return PageCost(
        web_ms=round(median(web for web, _ in times), 2),
        database_ms=round(median(database for _, database in times), 2),
        least_ms=round(min(web + database for web, database in times), 2),
        statements=len(work.statements),
        redis_commands=len(work.redis_commands),
    )


def _times(client: FlaskClient, path: str, backend: Path) -> tuple[float, float]:
    before, began = _nanoseconds(backend), time.process_time()
    answer = client.get(path)
    elapsed = time.process_time() - began
    if answer.status_code != 200:
        raise RuntimeError(f"{path} was answered with {answer.status_code}")
    return elapsed * 1000, (_nanoseconds(backend) - before) / 1e6


def _backend_schedule(app: Flask) -> Path:
    """The scheduler's figures of the PostgreSQL process of the pool's only connection in use."""
    with app.app_context(), global_scope() as session:
        pid = session.connection().exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
    return Path(f"/proc/{pid}/schedstat")


def _nanoseconds(schedule: Path) -> int:
    return int(schedule.read_text().split()[0])


def measure(stack: Stack) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.pages", "measure"],
        env=stack.env,
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    costs = {
        name: PageCost(**cost) for name, cost in json.loads(done.stdout.splitlines()[-1]).items()
    }
    return row_of(costs)


def row_of(costs: Mapping[str, PageCost]) -> dict[str, Any]:
    """The value is the mean of the pages; the baseline is the limit for each of them."""
    average = mean(cost.total_ms for cost in costs.values())
    return {
        "value": round(average, 1),
        "unit": "ms CPU",
        "floor": MOST_MS,
        "ratio": round(average / MOST_MS, 3),
        "pages": {name: asdict(cost) for name, cost in costs.items()},
    }


def measure_demo(names: Sequence[str] = ()) -> dict[str, PageCost]:
    """Load the demo if it is missing, and measure these pages, or all."""
    from wsgi import create_app

    app = create_app()
    with app.app_context():
        demo.load(app.extensions["comanda"])
    client = app.test_client()
    sign_in(client, demo.OWNER, demo.PASSWORD)
    pages = [page for page in PAGES if not names or page.name in names]
    return measure_pages(app, find_paths(client, pages), client)


def table(costs: Mapping[str, PageCost]) -> str:
    heads = ("app ms", "sql ms", "sum", "least", "statements", "redis")
    lines = [f"{'page':<16}" + "".join(f"{head:>12}" for head in heads)]
    for name, cost in costs.items():
        figures = (
            cost.web_ms,
            cost.database_ms,
            round(cost.total_ms, 2),
            cost.least_ms,
            cost.statements,
            cost.redis_commands,
        )
        lines.append(f"{name:<16}" + "".join(f"{figure:>12}" for figure in figures))
    return "\n".join(lines)


def main(names: list[str]) -> int:
    if names[:1] == ["measure"]:
        costs = measure_demo(names[1:])
        print(table(costs), file=sys.stderr)
        print(json.dumps({name: asdict(cost) for name, cost in costs.items()}))
        return 0
    with running(1) as stack:
        row = measure(stack)
    write({"pages": row})
    costs = {name: PageCost(**cost) for name, cost in row["pages"].items()}
    print(table(costs))
    return 0 if all(cost.total_ms <= MOST_MS for cost in costs.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
