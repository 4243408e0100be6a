"""The previous release is replaced by this one, process by process, while customers send.

The code of the previous release comes from the history; without it the row is skipped.
"""

import http.client
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from core.ids import from_uuid
from core.settings import Settings
from deploy.local.servers.databases import LINKED_HOST_ROLE, OWNER
from tests.chaos.hosts.two_hosts import LIVE_PORT, OWN, WEB_PORT, restore
from tests.chaos.load import new_phone
from tests.chaos.outcomes import Outcome, count, queues_empty, wait_until_idle
from tests.chaos.stage import Death, Stage
from tests.hosts.fleet import ALL, NEWEST, ROOT, Fleet, Release
from tests.hosts.machines import Machine, two_machines
from tests.hosts.proxy import Proxy
from tests.printing.agent_process import wait_until
from tests.webhooks.receivers import Receiver

# The tag of the first release, or the last commit before the migrations that follow it.
PREVIOUS = ("v1.0.0", "1.0.0", "d593ddf8")
DATABASE, STORE = "comanda_rolling", "comanda_rolling_linked"
PER_SECOND, CLIENTS = 8.0, 10
PAUSE_SECONDS, SETTLED_SECONDS = 2.0, 120.0
SCHEDULED, SCHEDULED_AFTER = 12, 45
EVENTS = "SELECT id, type FROM events WHERE tenant_id = ANY(%s)"
# Run by the code of the previous release.
MAKE_BUSINESSES = """
import json, sys
from core.db import global_scope
from core.http import Policy
from core.settings import load_settings
from messaging.lines.simulated_line import add_simulated_line
from tests.factories import make_business
from webhooks import endpoints
from webhooks.endpoints import EndpointFields
from wsgi import build_app

settings = load_settings()
made = []
with build_app(settings).app_context():
    for number in range(3):
        business = make_business(f"Lokanta {number}")
        with business.scope():
            secret = settings.simulator_secret
            add_simulated_line("Front desk", settings.base_url, secret, test=False, default=True)
            fields = EndpointFields(url=sys.argv[1], events=["*"])
            endpoints.register(fields, Policy(allow_loopback=True))
        made.append({"tenant_id": business.tenant_id, "key": business.key})
print(json.dumps(made))
"""
COMPILE = "from core.i18n.compile import compile_translations; compile_translations()"


@dataclass
class View:
    """The parts of a stage that counting needs, for the other database."""

    stage: Stage
    deaths: list[Death] = field(default_factory=list)

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with closing(self.stage.database.server.connect(DATABASE)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(sql, values)
                return cursor.fetchall() if cursor.description else []

    def network(self, method: str, path: str, body: Any = None) -> Any:
        return self.stage.network(method, path, body)


@dataclass
class Customers:
    url: str
    keys: list[str]
    tenants: list[int]
    promised: list[str] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    odd: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, number: int, **more: Any) -> None:
        body = {"phone": new_phone(), "message": f"Rolling message {number}", **more}
        headers = {
            "Authorization": f"Bearer {self.keys[number % len(self.keys)]}",
            "Content-Type": "application/json",
            "Idempotency-Key": f"rolling-{number}-{more}",
        }
        if number % 2 or more:
            headers["Prefer"] = "respond-async"
        where = urlsplit(self.url)
        connection = http.client.HTTPConnection(str(where.hostname), where.port, timeout=60)
        try:
            connection.request("POST", "/api/v1/messages/send", json.dumps(body), headers)
            answer = connection.getresponse()
            status, found = str(answer.status), json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            status, found = type(error).__name__, {}
        finally:
            connection.close()
        with self.lock:
            self.answers[status] += 1
            if status in ("200", "202"):
                self.promised.append(found["id"])

    def send_until(self, over: threading.Event) -> threading.Thread:
        def go() -> None:
            number = 0
            with ThreadPoolExecutor(CLIENTS) as clients:
                while not over.wait(1 / PER_SECOND):
                    clients.submit(self.send, number)
                    number += 1

        thread = threading.Thread(target=go, daemon=True)
        thread.start()
        return thread


def upgraded(stage: Stage) -> Outcome:
    old = previous_release(stage.settings.data_dir)
    if old is None:
        return Outcome(note="skipped: the history has no previous release")
    receiver = Receiver()
    with closing(receiver), _old_fleet(stage, old, receiver) as (fleet, proxy, customers):
        over = threading.Event()
        load = customers.send_until(over)
        due = datetime.now(UTC) + timedelta(seconds=SCHEDULED_AFTER)
        for number in range(SCHEDULED):  # stored by the old release, sent by the new one
            customers.send(number, scheduled_at=due.isoformat(timespec="seconds"))
        time.sleep(PAUSE_SECONDS)
        began = time.monotonic()
        _migrate(fleet, NEWEST)
        migrated = time.monotonic() - began
        time.sleep(PAUSE_SECONDS)
        for name in ALL:
            for machine in fleet.machines:
                with _out_of_the_proxy(proxy, machine, name):
                    fleet.replace(machine, name, NEWEST)
                time.sleep(PAUSE_SECONDS)
        replaced = time.monotonic() - began
        over.set()
        load.join()
        outcome = _examine(stage, customers, receiver)
        bad = {status: times for status, times in proxy.answers.items() if status >= 500}
        outcome.expect(not bad, f"answers of the proxy: {bad}")
        outcome.expect(set(customers.answers) <= {"200", "202"}, f"{dict(customers.answers)}")
        outcome.expect(not fleet.deaths, f"processes ended by themselves: {dict(fleet.deaths)}")
        outcome.note = (
            f"{old.root.name} to this; migrated in {migrated:.1f} s, replaced in {replaced:.0f} s;"
            f" answers {dict(customers.answers)}; {outcome.note}"
        )
        return outcome


@contextmanager
def _out_of_the_proxy(proxy: Proxy, machine: Machine, name: str) -> Iterator[None]:
    """As docs/operations/upgrade.md says. A connection that a closing server had not accepted yet
    is lost otherwise."""
    if name in ("web", "live"):
        proxy.down.add(machine.name)
        time.sleep(PAUSE_SECONDS)
    yield
    proxy.down.discard(machine.name)


def previous_release(folder: Path) -> Release | None:
    for name in PREVIOUS:
        found = _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if found.returncode == 0:
            break
    else:
        return None
    root = folder / "previous" / found.stdout.decode().strip()[:8]
    if not root.is_dir():
        root.mkdir(parents=True)
        packed = _git("archive", name)
        subprocess.run(["tar", "-x", "-C", str(root)], input=packed.stdout, check=True)
        subprocess.run([sys.executable, "-c", COMPILE], cwd=root, check=True)
    return Release(root)


def _git(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)
    except FileNotFoundError:
        return subprocess.CompletedProcess(arguments, 1, b"", b"")


@contextmanager
def _old_fleet(
    stage: Stage, old: Release, receiver: Receiver
) -> Iterator[tuple[Fleet, Proxy, Customers]]:
    """The old release on two machines with a database of its own."""
    settings = _own_database(stage)
    folder = stage.settings.data_dir / "rolling"
    folder.mkdir(exist_ok=True)
    stage.end(*OWN)
    ports = [_port(settings.database_url), _port(settings.simulator_url), settings.port]
    ports += [stage.valkey.server.port, _port(receiver.url)]
    with ExitStack() as opened:
        opened.callback(restore, stage)
        proxy = Proxy(settings.port)
        opened.callback(proxy.close)
        machines = opened.enter_context(two_machines(("host-a", "host-b"), ports))
        fleet = Fleet(machines, settings, folder, WEB_PORT, LIVE_PORT, old)
        opened.callback(fleet.close)
        _migrate(fleet, old)
        made = _run(fleet, old, ["-c", MAKE_BUSINESSES, receiver.url])
        businesses = json.loads(made.splitlines()[-1])
        fleet.start_all(ALL)
        fleet.wait_until_up()
        fleet.add_to(proxy)
        fleet.watch()
        keys = [one["key"] for one in businesses]
        tenants = [one["tenant_id"] for one in businesses]
        yield fleet, proxy, Customers(settings.base_url, keys, tenants)


def _own_database(stage: Stage) -> Settings:
    with closing(stage.database.server.connect()) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            for name, owner in ((DATABASE, OWNER), (STORE, LINKED_HOST_ROLE)):
                cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
                cursor.execute(f"CREATE DATABASE {name} OWNER {owner}")
    settings = stage.settings
    return settings.model_copy(
        update={
            "database_url": f"{settings.database_url.rpartition('/')[0]}/{DATABASE}",
            "migration_database_url": (
                f"{settings.migration_database_url.rpartition('/')[0]}/{DATABASE}"
            ),
            "linked_store_url": f"{settings.linked_store_url.rpartition('/')[0]}/{STORE}",
            "redis_url": f"{settings.redis_url.rpartition('/')[0]}/5",
        }
    )


def _port(url: str) -> int:
    return urlsplit(url.replace("+psycopg2", "")).port or 0


def _migrate(fleet: Fleet, release: Release) -> None:
    _run(fleet, release, ["-m", "flask", "--app", "wsgi", "db", "upgrade"])


def _run(fleet: Fleet, release: Release, arguments: list[str]) -> str:
    environment = fleet.environment(fleet.machines[0]) | {
        "MIGRATION_DATABASE_URL": fleet.settings.migration_database_url,
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=release.root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{arguments[:4]} failed: {done.stderr[-500:]}")
    return done.stdout


def _examine(stage: Stage, customers: Customers, receiver: Receiver) -> Outcome:
    view: Any = View(stage)
    crowd: Any = customers
    drained = queues_empty(view, crowd, SETTLED_SECONDS)
    wait_until_idle(view, crowd, SETTLED_SECONDS)
    outcome = count(view, crowd)
    outcome.seconds = drained

    def missing() -> int:
        events = {from_uuid("evt", UUID(str(row[0]))) for row in view.ask(EVENTS, crowd.tenants)}
        with receiver.lock:
            return len(events - {headers.get("webhook-id") for headers, _ in receiver.requests})

    wait_until(lambda: missing() == 0, SETTLED_SECONDS)
    outcome.expect(missing() == 0, f"{missing()} events were never delivered")
    outcome.expect(outcome.ever_unknown == 0, f"{outcome.ever_unknown} became unknown")
    sum_sql = "SELECT sum(messages) FROM usage_months WHERE tenant_id = ANY(%s)"
    quota = view.ask(sum_sql, crowd.tenants)[0][0]
    outcome.expect(quota == outcome.accepted, f"quota {quota}, accepted {outcome.accepted}")
    outcome.note = f"{len(receiver.requests)} webhooks"
    return outcome
