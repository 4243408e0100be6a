"""Compares every accepted message in the database with the network's own records."""

import time
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from core.ids import from_uuid
from tests.chaos.load import Crowd
from tests.chaos.stage import Stage

TERMINAL = {"sent", "delivered", "read", "failed", "expired", "cancelled"}
WENT_OUT = {"sent", "delivered", "read"}

AT_WORK = """
SELECT (SELECT count(*) FROM messages WHERE tenant_id = ANY(%s) AND direction = 'out'
           AND state IN ('queued', 'sending', 'scheduled')),
       (SELECT count(*) FROM received_hooks WHERE tenant_id = ANY(%s) AND state = 'waiting')
"""
ALL = "SELECT id, state FROM messages WHERE tenant_id = ANY(%s) AND direction = 'out'"
EVER_UNKNOWN = """
SELECT count(DISTINCT message_id) FROM message_changes
 WHERE tenant_id = ANY(%s) AND state = 'unknown'
"""
NAMED_TWICE = """
SELECT message_id FROM network_ids WHERE tenant_id = ANY(%s)
 GROUP BY message_id HAVING count(*) > 1
"""
PUBLISHED_TWICE = """
SELECT message_id, state FROM message_changes
 WHERE tenant_id = ANY(%s) AND state NOT IN ('queued', 'sending')
 GROUP BY message_id, state HAVING count(*) > 1
"""
CHARGED_TWICE = """
SELECT message_id FROM ledger_entries WHERE tenant_id = ANY(%s) AND kind = 'quote'
 GROUP BY message_id HAVING count(*) > 1
"""


@dataclass
class Outcome:
    """One row of the table. `faults` lists the checks that failed, as text."""

    accepted: int = 0
    terminal: int = 0
    unknown: int = 0
    ever_unknown: int = 0
    in_flight: int = 0
    doubled: int = 0
    lost: int = 0
    seconds: float = 0.0
    """Until nothing waited to be sent any more."""
    whole: float = 0.0
    note: str = ""
    faults: list[str] = field(default_factory=list)

    def expect(self, holds: bool, sentence: str) -> None:
        if not holds:
            self.faults.append(sentence)

    def as_json(self) -> dict[str, Any]:
        return {
            **self.__dict__,
            "seconds": round(self.seconds, 1),
            "whole": round(self.whole, 1),
            "ok": not self.faults,
        }


def queues_empty(stage: Stage, crowd: Crowd, seconds: float) -> float:
    """Wait until no message waits to be sent. Returns the seconds it took, at most `seconds`."""
    began = time.monotonic()
    while (took := time.monotonic() - began) < seconds:
        if stage.ask(AT_WORK, crowd.tenants, crowd.tenants)[0][0] == 0:
            return took
        time.sleep(0.1)
    return seconds


def wait_until_idle(stage: Stage, crowd: Crowd, seconds: float = 60.0) -> float:
    """Wait until nothing waits to be sent, received or processed."""
    began = time.monotonic()
    while (took := time.monotonic() - began) < seconds:
        waiting = stage.ask(AT_WORK, crowd.tenants, crowd.tenants)[0]
        posts = stage.network("GET", "/accepted")["hooks"]["waiting"]
        if waiting == (0, 0) and posts == 0:
            return took
        time.sleep(0.1)
    return seconds


def count(stage: Stage, crowd: Crowd, elsewhere: AbstractSet[str] = frozenset()) -> Outcome:
    """`elsewhere`: messages that did not go through the cloud network, which cannot be asked."""
    mine = crowd.tenants
    states = {from_uuid("msg", UUID(str(row[0]))): row[1] for row in stage.ask(ALL, mine)}
    times = {ours: _times(stage, ours) for ours in states}
    outcome = Outcome(
        accepted=len(states),
        terminal=sum(state in TERMINAL for state in states.values()),
        unknown=sum(state == "unknown" for state in states.values()),
        ever_unknown=stage.ask(EVER_UNKNOWN, mine)[0][0],
        in_flight=sum(death.in_flight for death in stage.deaths),
        doubled=sum(found > 1 for found in times.values()),
    )
    ended = {ours for ours, state in states.items() if state in TERMINAL | {"unknown"}}
    outcome.lost = len(set(crowd.promised) - ended)
    never_left = [
        o
        for o, state in states.items()
        if state in WENT_OUT and not times[o] and o not in elsewhere
    ]
    unsettled = [o for o, state in states.items() if state == "unknown" and times[o]]
    stayed = outcome.accepted - outcome.terminal - outcome.unknown
    network = stage.network("GET", "/accepted")["doubled"]
    for holds, sentence in (
        (outcome.accepted > 0, "nothing was accepted"),
        (stayed == 0, f"{stayed} neither ended nor unknown"),
        (outcome.lost == 0, f"{outcome.lost} promised and lost"),
        (outcome.doubled == 0 == network, f"{outcome.doubled} taken twice by the network"),
        (not unsettled, f"{len(unsettled)} unknown, though the network told of them"),
        (not never_left, f"{len(never_left)} told as sent, but the network has none"),
        (not stage.ask(NAMED_TWICE, mine), "a message has two network ids"),
        (not stage.ask(PUBLISHED_TWICE, mine), "a change was told twice"),
        (not stage.ask(CHARGED_TWICE, mine), "a message was charged twice"),
        (not crowd.odd, f"answers that are not JSON: {crowd.odd[:2]}"),
    ):
        outcome.expect(holds, sentence)
    return outcome


def _times(stage: Stage, ours: str) -> int:
    return int(stage.network("GET", f"/accepted?ours={ours}")["times"])
