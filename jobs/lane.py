"""One tenant's lane of messages, worked until it is empty."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from core import faultpoints, lanes
from core.clock import now
from core.logs import logger
from core.outbound.aio import Client
from core.rings import redis_client
from jobs.linked import tell_hosts
from messaging import claiming, fallback, lines_book, settling, stand_in
from messaging.claiming import Claimed
from messaging.lines import LineFacts, Outcome, Refused, TryLater, Unknown, cloud
from messaging.models import Line
from messaging.pacing import Pacing
from messaging.sending import LANE
from messaging.waiting import tell
from tenants.plans import known_facts

if TYPE_CHECKING:
    from jobs.sends import Drain

log = logger(__name__)

BATCH = 200
GROUP = 32  # a crash strands at most this many
GROUPS_AT_ONCE = 4
SOON_SECONDS = 1.5
VAIN_LOOKS = 3  # at what is due and cannot be had: it waits behind another's retry
LOOK_AGAIN_SECONDS = 0.05  # a transaction that marked the lane while we left may still commit
DOWN = frozenset({"token_expired", "restricted", "quality_low", "logged_out", "disconnected"})


class LaneWork:
    def __init__(
        self, drain: "Drain", client: Client, pacing: Pacing, tenant_id: int, lease: UUID
    ) -> None:
        self.drain = drain
        self.client = client
        self.pacing = pacing
        self.tenant_id = tenant_id
        self.lease = lease
        self.lines: dict[int, tuple[Line, LineFacts]] = {}
        self.sent = 0
        self.lost = False
        self.held = False
        self.linked = False
        self.in_vain = 0

    async def run(self) -> int:
        while time.monotonic() < self.drain.until:
            batch = await self.drain.tenant(self.tenant_id, self.claim)
            if self.linked:
                await self.drain.in_thread(lambda: tell_hosts(self.tenant_id))
            if batch:
                faultpoints.at("claim")
                self.in_vain = 0
                await self.send(batch)
            elif self.lost or not await self.more_soon():
                break
        await self.leave()
        return self.sent

    async def more_soon(self) -> bool:
        """A paced line has its next message in a moment: stay for it."""
        due = await self.drain.tenant(self.tenant_id, lambda: claiming.next_due(self.lines_down()))
        wait = (due - now()).total_seconds() if due is not None else SOON_SECONDS
        if wait <= 0:
            self.in_vain += 1
            wait = LOOK_AGAIN_SECONDS
        if wait >= SOON_SECONDS or self.in_vain > VAIN_LOOKS:
            return False
        await asyncio.sleep(wait)
        return True

    def claim(self) -> list[Claimed]:
        settling.tidy()
        settings = self.drain.settings
        if not lanes.extend(LANE, self.tenant_id, self.lease, settings.lane_lease_seconds):
            self.lost = True
            return []
        self.lines = {line.id: (line, lines_book.facts_of(line)) for line in lines_book.listed()}
        self.linked = any(line.kind == "linked" for line, _ in self.lines.values())
        self.held = known_facts().suspended
        known = {line_id: line for line_id, (line, _) in self.lines.items()}
        if not self.held:
            stand_in.take_over(known)
        batch = claiming.claim(BATCH, settings.lease_seconds, self.lines_down())
        return fallback.as_templates(batch, known, settings.lease_seconds)

    def lines_down(self) -> list[int]:
        moment = now()
        return [
            line.id
            for line, _ in self.lines.values()
            if line.kind == "linked"  # its host sends
            or self.held  # a suspended account's messages wait until it is resumed
            or not line.enabled
            or line.state in DOWN
            or (line.paused_until is not None and line.paused_until > moment)
        ]

    async def send(self, batch: list[Claimed]) -> None:
        """Groups side by side; to one recipient of a line, one after the other."""
        ready, late = self.paced(batch)
        if late:
            await self.drain.tenant(self.tenant_id, lambda: self.put_back(late))
        for wave in _waves(ready):
            groups = [wave[at : at + GROUP] for at in range(0, len(wave), GROUP)]
            for at in range(0, len(groups), GROUPS_AT_ONCE):
                await asyncio.gather(
                    *(self.send_group(g) for g in groups[at : at + GROUPS_AT_ONCE])
                )

    def paced(self, batch: list[Claimed]) -> tuple[list[Claimed], list[tuple[Claimed, float]]]:
        ready: list[Claimed] = []
        late: list[tuple[Claimed, float]] = []
        behind: set[tuple[int, str]] = set()
        for one in batch:
            line_id, phone = one.envelope.line_id, one.envelope.phone
            known = self.lines.get(line_id)
            per_second = float(known[0].per_second) if known else 1.0
            wait = self.pacing.wait(self.tenant_id, line_id, phone, per_second)
            if wait > 0 or (line_id, phone) in behind:
                behind.add((line_id, phone))
                late.append((one, max(wait, 0.01)))
            else:
                ready.append(one)
        return ready, late

    def put_back(self, late: list[tuple[Claimed, float]]) -> None:
        soonest = min(wait for _, wait in late)
        claiming.put_back([one for one, _ in late], soonest)

    async def send_group(self, group: list[Claimed]) -> None:
        begun = await self.drain.tenant(
            self.tenant_id, lambda: claiming.begin(group, self.drain.settings.lease_seconds)
        )
        if not begun:
            return
        faultpoints.at("before_connect")
        outcomes = await asyncio.gather(*(self.send_one(one) for one in begun))
        results = list(zip(begun, outcomes, strict=True))
        told = await self.drain.tenant(self.tenant_id, lambda: self.settle(results))
        faultpoints.at("after_settle_commit")
        await self.drain.in_thread(lambda: tell(told, redis_client()))
        self.sent += len(begun)

    async def send_one(self, one: Claimed) -> Outcome:
        line, facts = self.lines[one.envelope.line_id]
        settings = self.drain.settings
        simulated = line.network == "simulator"
        if simulated and settings.production and not line.test:
            return Refused("line_unavailable", "A simulated line sends no live message.")
        base = settings.simulator_url if simulated else settings.cloud_base_url
        try:
            outcome = await cloud.send(
                self.client, base, settings.cloud_version, facts, one.envelope
            )
        except Exception as error:
            # Whether bytes left is not known here, so nothing may be sent again.
            log.exception("a driver failed", message=one.envelope.message_id)
            return Unknown(f"Our own sending failed: {type(error).__name__}")
        faultpoints.at("after_answer")
        return outcome

    def settle(self, results: list[tuple[Claimed, Outcome]]) -> list[settling.Told]:
        final: list[tuple[Claimed, Outcome]] = []
        for one, outcome in results:
            line_id = one.envelope.line_id
            if isinstance(outcome, TryLater) and outcome.scope == "line":
                self.pacing.pause(self.tenant_id, line_id, outcome.after or 5.0)
            if isinstance(outcome, Refused) and outcome.line_state:
                lines_book.note_trouble(line_id, outcome.line_state, outcome.sentence)
                outcome = replace(outcome, code="line_unavailable")
            final.append((one, outcome))
        known = {line_id: line for line_id, (line, _) in self.lines.items()}
        told = settling.settle(fallback.second_chances(final, known))
        faultpoints.at("before_settle_commit")
        return told

    async def leave(self) -> None:
        """Give the lane back, then look once more, because marks made meanwhile did nothing."""
        kept = await self.drain.tenant(
            self.tenant_id, lambda: lanes.release(LANE, self.tenant_id, self.lease)
        )
        if not kept:
            return
        for pause in (0.0, LOOK_AGAIN_SECONDS):
            await asyncio.sleep(pause)
            await self.drain.tenant(self.tenant_id, self.mark_again)

    def mark_again(self) -> None:
        due = claiming.next_due(self.lines_down())
        if due is None:
            return
        if due > now() or self.in_vain > VAIN_LOOKS:
            lanes.mark_later(LANE, self.tenant_id, due)
        else:
            lanes.mark_due(LANE, self.tenant_id)


def _waves(batch: list[Claimed]) -> Iterator[list[Claimed]]:
    """The first message to each recipient, then the second ones, and so on."""
    waves: list[list[Claimed]] = []
    seen: dict[tuple[int, str], int] = {}
    for one in batch:
        pair = (one.envelope.line_id, one.envelope.phone)
        number = seen.get(pair, 0)
        seen[pair] = number + 1
        if number == len(waves):
            waves.append([])
        waves[number].append(one)
    return iter(waves)
