"""Inbound hooks: receipts in any order, and hostile bodies."""

import itertools
import json
import random
import time
from uuid import UUID

from core.db import notify_workers
from core.ids import from_uuid
from core.queue import lanes
from messaging.lines import repository as line_repository
from messaging.models import Line
from tests.chaos.load import CUT_OFF, Crowd
from tests.chaos.outcomes import Outcome, count, queues_empty, wait_until_idle
from tests.chaos.stage import Stage
from tests.factories import Business
from tests.messaging.message_factory import cloud_body, signed, status_value, text_value
from webhooks.inbound.hook_queue import LANE

STATES = ("sent", "delivered", "read")
NEIGHBOURS = 40
Post = tuple[str, dict[str, str], bytes]


def shuffled(stage: Stage) -> Outcome:
    """Every order of the three receipts, with and without copies, and one random order."""
    crowd = Crowd(stage, businesses=1)
    business = crowd.businesses[0]
    line = _line(business)
    stage.network("POST", "/settings", {"receipts": False})
    crowd.send(72)
    queues_empty(stage, crowd, 30)
    sent = stage.ask(
        "SELECT id, network_id FROM messages WHERE tenant_id = %s AND direction = 'out'"
        " AND network_id IS NOT NULL ORDER BY id",
        business.tenant_id,
    )
    orders = list(itertools.permutations(STATES))
    heap: list[Post] = []
    rounds: list[list[Post]] = [[] for _ in range(6)]
    for number, (uuid, network_id) in enumerate(sent):
        ours = from_uuid("msg", UUID(str(uuid)))
        states = list(orders[number % len(orders)])
        copies = states * 2 if number % 2 else states
        posts = [_post(line, status_value(network_id, state, ours)) for state in copies]
        if number % 3 == 2:
            heap += posts
        else:
            for turn, post in enumerate(posts):
                rounds[turn].append(post)
    random.Random(7).shuffle(heap)
    answers = {status for turn in [*rounds, heap] for status in crowd.post_hooks(turn)}
    took = wait_until_idle(stage, crowd)
    outcome = count(stage, crowd)
    ends = stage.ask(
        "SELECT DISTINCT state, cost_usd FROM messages WHERE tenant_id = %s AND direction = 'out'",
        business.tenant_id,
    )
    books = stage.ask(
        "SELECT DISTINCT total FROM (SELECT sum(amount_usd) AS total FROM ledger_entries"
        " WHERE tenant_id = %s GROUP BY message_id) AS each_message",
        business.tenant_id,
    )
    outcome.seconds = took
    outcome.note = f"{len(sent)} messages; ends {[end[0] for end in ends]}; {len(books)} total"
    outcome.expect(answers == {200}, f"hooks answered {sorted(answers)}")
    outcome.expect([end[0] for end in ends] == ["read"], f"ends differ: {ends}")
    outcome.expect(len(books) == 1, f"the ledger differs: {books}")
    return outcome


def poisoned(stage: Stage) -> Outcome:
    crowd = Crowd(stage, businesses=1)
    business = crowd.businesses[0]
    line = _line(business)
    good = [_post(line, text_value(f"neighbour {n}")) for n in range(NEIGHBOURS)]
    posts, poisons = [], _poisons(line)
    for number, post in enumerate(good):
        posts.append(post)
        if number < len(poisons):
            posts.append(poisons[number])
    answers = crowd.post_hooks(posts)
    huge = crowd.post_hooks([(str(line.hook_token), signed(body), body) for body in [_huge()]])
    crowd.send(20)
    outcome_took = _neighbours_in(stage, business, 30)
    queues_empty(stage, crowd, 30)
    _try_to_the_end(stage, business)
    wait_until_idle(stage, crowd)
    outcome = count(stage, crowd)
    neighbours = stage.ask(
        "SELECT count(*) FROM messages WHERE tenant_id = %s AND direction = 'in'"
        " AND text LIKE 'neighbour%%'",
        business.tenant_id,
    )[0][0]
    ends = dict(
        stage.ask(
            "SELECT state, count(*) FROM received_hooks WHERE tenant_id = %s AND target = %s"
            " AND error IS NOT NULL GROUP BY state",
            business.tenant_id,
            str(line.id),
        )
    )
    outcome.seconds = outcome_took
    outcome.note = (
        f"{neighbours} of {NEIGHBOURS} neighbours in; {len(poisons)} poisons, with an error"
        f" {ends}; 10 MB answered {huge[0] or 'by hanging up'}; {len(stage.deaths)} processes died"
    )
    outcome.expect(neighbours == NEIGHBOURS, "neighbours are missing")
    outcome.expect(set(answers) <= {200, 400}, f"hooks answered {sorted(set(answers))}")
    outcome.expect(huge[0] in (413, CUT_OFF), f"10 MB answered {huge}")
    outcome.expect(not stage.deaths, "a process died")
    outcome.expect("waiting" not in ends and ends.get("parked", 0) > 0, "nothing was parked")
    return outcome


def _line(business: Business) -> Line:
    with business.scope():
        line = line_repository.default_line(test=False)
    if line is None:
        raise RuntimeError("the business has no line")
    return line


def _post(line: Line, value: dict[str, object]) -> Post:
    return _raw(line, cloud_body(line, value))


def _raw(line: Line, body: bytes) -> Post:
    return str(line.hook_token), signed(body, str(line.app_secret)), body


def _poisons(line: Line) -> list[Post]:
    plain = cloud_body(line, text_value("poison"))
    deep = b"[" * 10_000 + b"]" * 10_000
    stamp = json.loads(plain)["entry"][0]["changes"][0]["value"]["messages"][0]["timestamp"]
    bodies = [
        plain.replace(b"poison", b"poi\\u0000son"),
        plain.replace(b"poison", b"poi\\ud800son"),
        plain.replace(b'"poison"', deep),
        plain.replace(f'"{stamp}"'.encode(), b"1e400"),
        plain.replace(f'"{stamp}"'.encode(), b'"99999999999999999999"'),
        plain.replace(b"poison", b"poi\xff\xfeson"),
        deep,
        b"1e400",
        b"not json",
        b'{"entry": {"changes": 7}}',
        b"",
    ]
    return [_raw(line, body) for body in bodies]


def _huge() -> bytes:
    return b'{"entry":[],"x":"' + b"x" * (10 * 1024 * 1024) + b'"}'


def _neighbours_in(stage: Stage, business: Business, seconds: float) -> float:
    began = time.monotonic()
    while (took := time.monotonic() - began) < seconds:
        found = stage.ask(
            "SELECT count(*) FROM messages WHERE tenant_id = %s AND text LIKE 'neighbour%%'",
            business.tenant_id,
        )
        if found[0][0] == NEIGHBOURS:
            return took
        time.sleep(0.1)
    return seconds


def _try_to_the_end(stage: Stage, business: Business) -> None:
    """Make everything that waits for its next attempt due now, until nothing waits."""
    for _ in range(12):
        waiting = stage.ask(
            "UPDATE received_hooks SET due_at = now() - interval '1 second'"
            " WHERE tenant_id = %s AND state = 'waiting' RETURNING id",
            business.tenant_id,
        )
        if not waiting:
            return
        with business.scope():
            lanes.mark_due(LANE, business.tenant_id)
            notify_workers("jobs.inbound.hooks.drain")
        time.sleep(1.0)
