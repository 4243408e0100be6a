"""Two machines, a client that repeats with idempotency keys, and everything killed at random."""

import http.client
import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from uuid import UUID

import psycopg2
from sqlalchemy.exc import SQLAlchemyError

from core.ids import from_uuid
from tests.chaos.linked import _linked, _times
from tests.chaos.load import Crowd, new_phone
from tests.chaos.outcomes import Outcome, count, queues_empty, wait_until_idle
from tests.chaos.printing import Kitchen
from tests.chaos.stage import WORKERS, Stage
from tests.factories import Business
from tests.hosts.fleet import ALL, Fleet
from tests.hosts.machines import two_machines
from tests.hosts.proxy import Proxy
from tests.printing.agent_process import wait_until
from tests.webhooks.receivers import Receiver, add_endpoint

SENDS = int(os.environ.get("CHAOS_HOSTS_SENDS", "3000"))
SECONDS = float(os.environ.get("CHAOS_HOSTS_SECONDS", "600"))
KILL_EVERY = (3.0, 8.0)
LINKED_EVERY, PRINT_EVERY = 50, 20.0
CLIENTS = 12
OWN = ("web", "live", "scheduler", *WORKERS)
SETTLED_SECONDS = float(os.environ.get("CHAOS_HOSTS_SETTLED", "180"))
WEB_PORT, LIVE_PORT = 8000, 8020
NOT_QUOTED = """
SELECT count(*) FROM messages AS m WHERE m.tenant_id = ANY(%s) AND m.direction = 'out'
   AND m.state IN ('sent', 'delivered', 'read') AND NOT EXISTS (
       SELECT FROM ledger_entries AS l WHERE l.tenant_id = m.tenant_id AND l.message_id = m.id)
"""
SUMS = """
SELECT (SELECT coalesce(sum(amount_usd), 0) FROM ledger_entries WHERE tenant_id = ANY(%s)),
       (SELECT coalesce(sum(spend_usd), 0) FROM usage_months WHERE tenant_id = ANY(%s)),
       (SELECT coalesce(sum(messages), 0) FROM usage_months WHERE tenant_id = ANY(%s)),
       (SELECT count(*) FROM messages WHERE tenant_id = ANY(%s) AND direction = 'out'),
       (SELECT count(*) FROM ledger_entries WHERE tenant_id = ANY(%s))
"""
SAME_TEXT = """
SELECT text FROM messages WHERE tenant_id = ANY(%s) AND direction = 'out'
 GROUP BY text HAVING count(*) > 1
"""
EVENTS = "SELECT id, type, sequence FROM events WHERE tenant_id = ANY(%s)"


def killed(stage: Stage) -> Outcome:
    with on_two_machines(stage) as (fleet, _), ExitStack() as opened:
        crowd = Crowd(stage, businesses=3, prefer="")
        receiver = Receiver()
        opened.callback(receiver.close)
        port = int(receiver.url.rpartition(":")[2].partition("/")[0])
        fleet.reach(port)
        for business in crowd.businesses:
            add_endpoint(business, receiver.url)
        lines = [_linked(stage, tenant_id) for tenant_id in crowd.tenants]
        kitchen = Kitchen(stage)
        opened.callback(kitchen.close)
        sends = Sends(crowd, lines)
        killer = Killer(stage, fleet)
        tickets: list[str] = []
        over = threading.Event()
        printing = threading.Thread(target=_order, args=(kitchen, tickets, over), daemon=True)
        began = time.monotonic()
        sending = threading.Thread(target=sends.run, args=(SENDS, SECONDS), daemon=True)
        for one in (sending, printing):
            one.start()
        killer.run_while(sending.is_alive)
        over.set()
        printing.join(60)
        worked = time.monotonic() - began
        outcome = _examine(stage, crowd, sends, receiver)
        printed = wait_until(kitchen.settled, SETTLED_SECONDS, kitchen.agent) < SETTLED_SECONDS
        missing = set(tickets) - set(kitchen.printer.printed())
        outcome.expect(printed and not missing, f"{len(missing)} tickets were not printed")
        unmarked = kitchen.printer.doubled() - kitchen.printer.marked()
        outcome.expect(unmarked <= 0, f"{unmarked} tickets printed twice without a mark")
        outcome.note = (
            f"{worked:.0f} s, {killer.kills.total()} kills {dict(killer.kills)};"
            f" answers {dict(sends.answers)}; {len(tickets)} tickets; {outcome.note}"
        )
        return outcome


@contextmanager
def on_two_machines(stage: Stage) -> Iterator[tuple[Fleet, Proxy]]:
    """In place of the stage's own processes, behind the same address."""
    settings, folder = stage.settings, stage.settings.data_dir / "hosts"
    folder.mkdir(exist_ok=True)
    stage.end(*OWN)
    ports = [int(url.rpartition(":")[2].partition("/")[0]) for url in (
        settings.database_url, settings.simulator_url, settings.base_url)]  # fmt: skip
    with ExitStack() as opened:
        opened.callback(restore, stage)
        proxy = Proxy(settings.port)
        opened.callback(proxy.close)
        ports.append(stage.valkey.server.port)
        machines = opened.enter_context(two_machines(("host-a", "host-b"), ports))
        # LIVE_URL: the proxy passes /live/ and the polls of print agents on.
        fleet = Fleet(machines, settings, folder, WEB_PORT, LIVE_PORT)
        opened.callback(fleet.close)
        fleet.start_all(ALL)
        fleet.wait_until_up()
        fleet.add_to(proxy)
        fleet.watch()
        yield fleet, proxy


def restore(stage: Stage) -> None:
    for name in OWN:
        stage.start(name)
    stage.wait_until_ready(180)


class Killer:
    """Kills a process, a whole machine, PostgreSQL or Valkey every few seconds."""

    def __init__(self, stage: Stage, fleet: Fleet) -> None:
        self.stage, self.fleet = stage, fleet
        self.kills: Counter[str] = Counter()

    def run_while(self, busy: Callable[[], bool]) -> None:
        """In the main thread: Linux ends a server with the thread that started it."""
        dice = random.Random()
        while busy():
            time.sleep(dice.uniform(*KILL_EVERY))
            what = dice.choices(
                [*ALL, "machine", "postgresql", "valkey"], [4, 3, 3, 1, 1, 2, 1, 1, 1]
            )[0]
            self.kills[what] += 1
            machine = dice.choice(self.fleet.machines)
            if what == "postgresql":
                self.stage.database.stop_at_once()
                time.sleep(1.0)
                self.stage.database.start()
            elif what == "valkey":
                self.stage.valkey.kill()
                time.sleep(1.0)
                self.stage.valkey.start()
            else:
                self.fleet.kill(machine, *(ALL if what == "machine" else (what,)))


class Sends:
    """Each message has a key of its own and is asked for until it is promised."""

    def __init__(self, crowd: Crowd, lines: list[int]) -> None:
        self.crowd, self.lines = crowd, lines
        self.answers: Counter[str] = Counter()
        self.promised: dict[str, str] = {}
        self.linked: dict[str, tuple[str, str]] = {}
        """By text: the phone it went to and the id of the message."""
        self.refused: list[str] = []
        self._lock = threading.Lock()

    def run(self, count: int, seconds: float) -> None:
        pause, began = seconds / count, time.monotonic()
        with ThreadPoolExecutor(CLIENTS) as clients:
            for number in range(count):
                time.sleep(max(0.0, began + number * pause - time.monotonic()))
                clients.submit(self._until_promised, number)

    def _until_promised(self, number: int) -> None:
        place = number % len(self.lines)
        business, phone = self.crowd.businesses[place], new_phone()
        text = f"Message {number} of the two hosts"
        body: dict[str, object] = {"phone": phone, "message": text}
        if is_linked := number % LINKED_EVERY == LINKED_EVERY - 1:
            body["instance_id"] = self.lines[place]
        headers = {**business.bearer, "Idempotency-Key": f"hosts-{number}"}
        if is_linked or number % 2:
            headers["Prefer"] = "respond-async"
        while True:
            status, answer = self._ask(business, headers, body)
            if status in (200, 202):
                with self._lock:
                    self.promised[text] = answer["id"]
                    if is_linked:
                        self.linked[text] = (phone, answer["id"])
                return
            if 400 <= status < 500 and status not in (409, 429):
                with self._lock:
                    self.refused.append(f"{status} {answer}")
                return
            time.sleep(random.uniform(0.3, 1.0))

    def _ask(
        self, business: Business, headers: dict[str, str], body: dict[str, object]
    ) -> tuple[int, dict[str, str]]:
        try:
            status, raw = self.crowd.call("POST", "/api/v1/messages/send", headers, body)
            answer = json.loads(raw)
        except (OSError, http.client.HTTPException, ValueError) as error:
            status, answer = 0, {"error": type(error).__name__}
        with self._lock:
            self.answers[str(status or answer["error"])] += 1
        return status, answer


def _order(kitchen: Kitchen, tickets: list[str], over: threading.Event) -> None:
    """Orders now and then; while the database is down none is made."""
    while not over.wait(PRINT_EVERY):
        try:
            tickets.extend(kitchen.order(1))
        except (SQLAlchemyError, psycopg2.Error):
            continue
        kitchen.agent.mind()


def _examine(stage: Stage, crowd: Crowd, sends: Sends, receiver: Receiver) -> Outcome:
    drained = queues_empty(stage, crowd, SETTLED_SECONDS)
    wait_until_idle(stage, crowd, SETTLED_SECONDS)
    mine = crowd.tenants
    crowd.promised = list(sends.promised.values())
    linked = {ours for _, ours in sends.linked.values()}
    outcome = count(stage, crowd, elsewhere=linked)
    outcome.seconds = drained
    texts = [_times(stage, phone, text) for text, (phone, _) in sends.linked.items()]
    outcome.doubled += sum(times > 1 for times in texts)
    arrived = wait_until(lambda: not _undelivered(stage, mine, receiver), SETTLED_SECONDS)
    undelivered = _undelivered(stage, mine, receiver)
    ledger, spend, quota, accepted, entries = stage.ask(SUMS, *[mine] * 5)[0]
    unquoted = stage.ask(NOT_QUOTED, mine)[0][0]
    outcome.note = (
        f"{len(sends.promised)} of {len(sends.promised) + len(sends.refused)} promised,"
        f" {len(linked)} by linked phones; {entries} ledger entries, {ledger} USD = {spend} USD;"
        f" {len(receiver.requests)} webhooks, all events after {arrived:.0f} s"
    )
    for holds, sentence in (
        (not sends.refused, f"refused: {sends.refused[:2]}"),
        (not stage.ask(SAME_TEXT, mine), "two messages for one key"),
        (accepted == len(sends.promised), f"{accepted} stored, {len(sends.promised)} promised"),
        (sum(times > 1 for times in texts) == 0, "a linked phone sent a message twice"),
        (quota == accepted, f"quota {quota}, accepted {accepted}"),
        (ledger == spend, f"ledger {ledger} USD, usage {spend} USD"),
        (unquoted == 0, f"{unquoted} sent without a ledger entry"),
        (not undelivered, f"{undelivered} events were never delivered"),
    ):
        outcome.expect(holds, sentence)
    return outcome


def _undelivered(stage: Stage, tenants: list[int], receiver: Receiver) -> dict[str, int]:
    """How many, by type."""
    events = {from_uuid("evt", UUID(str(row[0]))): row[1:] for row in stage.ask(EVENTS, tenants)}
    with receiver.lock:
        seen = {headers.get("webhook-id", "") for headers, _ in receiver.requests}
    missing = [one for key, one in events.items() if key not in seen]
    return dict(Counter(f"{kind}, {number and 'numbered'}" for kind, number in missing))
