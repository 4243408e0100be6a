"""Linked phones: the host with their sessions is killed while messages are sent and received."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from core.db import tenant_scope
from messaging.lines.drivers.linked import pairing
from tests.chaos.load import Crowd, new_phone
from tests.chaos.outcomes import CHARGED_TWICE, NAMED_TWICE, TERMINAL, Outcome
from tests.chaos.stage import HOSTS, Stage

EACH = 4
LINKED_SECONDS, RESUMED_SECONDS = 30.0, 60.0
STATES = "SELECT state FROM messages WHERE tenant_id = ANY(%s) AND text = ANY(%s)"
EVER_UNKNOWN = """
SELECT count(DISTINCT message_id) FROM message_changes
 WHERE tenant_id = ANY(%s) AND state = 'unknown'
"""


def killed(stage: Stage, step: str, times: int) -> Outcome:
    """A line sends one message at a time: only that one may become unknown."""
    crowd = Crowd(stage)
    stage.start(HOSTS[0], f"{step}:{times}")
    lines = [_linked(stage, tenant_id) for tenant_id in crowd.tenants]
    stage.start(HOSTS[1])
    sent = _send(crowd, lines)
    began = time.monotonic()
    _until(lambda: _waiting(stage, crowd, sent) == 0, RESUMED_SECONDS)
    resumed = time.monotonic() - began
    deaths = len(stage.deaths)
    states = Counter(row[0] for row in stage.ask(STATES, crowd.tenants, list(sent)))
    arrived = {text: _times(stage, phone, text) for text, phone in sent.items()}
    codes = [p for p in stage.network("GET", "/pairings")["pairings"] if p["line_id"] in lines]
    stage.end(*HOSTS)
    outcome = Outcome(
        accepted=states.total(),
        terminal=sum(states[state] for state in TERMINAL),
        unknown=states["unknown"],
        ever_unknown=stage.ask(EVER_UNKNOWN, crowd.tenants)[0][0],
        in_flight=sum(death.in_flight for death in stage.deaths),
        doubled=sum(found > 1 for found in arrived.values()),
        lost=len(sent) - states.total() + states["queued"] + states["sending"],
        seconds=resumed,
        note=f"{deaths} killed, {len(lines)} linked lines",
    )
    never = sum(not found for found in arrived.values())
    for holds, sentence in (
        (deaths > 0, "nobody was killed"),
        (resumed < RESUMED_SECONDS, "not resumed within 60 s"),
        (outcome.lost == 0, f"{outcome.lost} promised and lost"),
        (outcome.doubled == 0, f"{outcome.doubled} reached a phone twice"),
        (never <= outcome.unknown, f"{never} never arrived, {outcome.unknown} are unknown"),
        (outcome.ever_unknown <= len(lines), "more unknown than there are lines"),
        (not codes, "a phone had to be linked again"),
        (not stage.ask(NAMED_TWICE, crowd.tenants), "a message has two network ids"),
        (not stage.ask(CHARGED_TWICE, crowd.tenants), "a message was charged twice"),
    ):
        outcome.expect(holds, sentence)
    return outcome


def _linked(stage: Stage, tenant_id: int) -> int:
    """A new line of this business, linked to its own phone."""
    with tenant_scope(tenant_id):
        line_id = pairing.add_linked_line("Front desk phone", network="simulator").id
    with tenant_scope(tenant_id):
        pairing.start(line_id)
    found: list[dict[str, Any]] = []

    def shown() -> bool:
        pairings = stage.network("GET", "/pairings")["pairings"]
        found[:] = [one for one in pairings if one["line_id"] == line_id]
        return bool(found)

    def connected() -> bool:
        with tenant_scope(tenant_id):
            return pairing.get_linked_line(line_id)[0].state == "connected"

    _until(shown, LINKED_SECONDS)
    scan = {"code": found[0]["code"], "name": "Derya"}
    stage.network("POST", f"/phones/{new_phone()}/scan", scan)
    _until(connected, LINKED_SECONDS)
    return line_id


def _send(crowd: Crowd, lines: list[int]) -> dict[str, str]:
    """Unique texts, and the phones that they are sent to."""
    sent: dict[str, str] = {}
    for turn in range(EACH):
        for business, line_id in zip(crowd.businesses, lines, strict=True):
            text, phone = f"Line {line_id}, message {turn}", new_phone()
            body = {"phone": phone, "message": text, "instance_id": line_id}
            headers = {**business.bearer, "Prefer": "respond-async"}
            status, raw = crowd.call("POST", "/api/v1/messages/send", headers, body)
            if status != 202:
                raise RuntimeError(f"a send was answered with {status}: {raw[:200]!r}")
            sent[text] = phone
    return sent


def _waiting(stage: Stage, crowd: Crowd, sent: dict[str, str]) -> int:
    states = stage.ask(STATES, crowd.tenants, list(sent))
    return sum(state in ("queued", "sending") for (state,) in states)


def _times(stage: Stage, phone: str, text: str) -> int:
    messages = stage.network("GET", f"/phones/{phone}/messages")["messages"]
    return sum(one.get("text") == text for one in messages)


def _until(look: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not look() and time.monotonic() < end:
        time.sleep(0.1)
