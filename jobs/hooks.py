"""Work off what was posted to us: many hooks in one transaction, a troublesome one on its own."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from core import lanes
from core.clock import now
from core.db import current_tenant_id, db, global_scope, ring, savepoint, tenant_scope
from core.faults import is_outage
from core.logs import logger
from core.rings import hear
from jobs import inbound, turns
from messaging import automations, hooks, receipts, receiving, store_events
from messaging.hooks import LANE, Hook
from messaging.lines import Parsed, cloud
from messaging.lines.cloud import Unreadable
from messaging.models import Line
from messaging.usage import Tally
from restaurant import signals
from restaurant.gateways import Unreadable as SignalUnreadable
from restaurant.gateways.book import PROVIDERS
from webhooks.stores import KINDS
from webhooks.stores.neutral import NotUnderstood
from webhooks.stores.neutral import StoreEvent as Told

log = logger(__name__)

WORK_SECONDS = 30.0
BATCH = 25  # what waits for a lock of ours waits for this many
BATCH_SECONDS = 0.5  # or for this long; the rest of the batch is claimed again
TURN_SECONDS = 5.0  # then another tenant's lane comes first
# A hook whose transaction ends after our last look is found by a second one.
SECOND_LOOK = timedelta(seconds=2)
LOST_RACES = ("40001", "40P01")  # serialization, deadlock: not an outage, only bad luck


@dataclass(frozen=True)
class Part:
    place: str
    apply: Callable[[Tally], object]


@dataclass
class Parts:
    each: list[Part] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    """What is nobody's."""


def drain() -> int:
    """Lanes in turn, for half a minute at most."""
    hear("jobs.hooks.drain")
    done, more = turns.take(LANE, WORK_SECONDS, _work, _look_again, turn=TURN_SECONDS)
    if more:
        with global_scope():
            ring("jobs.hooks.drain")
    return done


def sweep() -> None:
    """In the sweep's global transaction: what is due again, and lanes that nobody rang for."""
    if lanes.wake_due(LANE):
        ring("jobs.hooks.drain")


def find_forgotten() -> int:
    """Hooks that are due in a tenant without a lane: rare, so looked for rarely."""
    hear("jobs.hooks.find_forgotten")
    found = 0
    for tenant_id in lanes.due_anywhere(LANE):
        with tenant_scope(tenant_id):
            due = hooks.next_due()
            if due is not None and due <= now():
                lanes.mark_due(LANE, tenant_id)
                ring("jobs.hooks.drain")
                found += 1
    return found


def _work(tenant_id: int) -> int:
    """Many hooks in one transaction; when it fails, the same ones each on their own."""
    batch: list[Hook] = []
    try:
        with tenant_scope(tenant_id):
            batch += hooks.claim(BATCH)
            late, untouched = _apply_together(batch)
    except Exception as error:
        if _is_outage(error):
            raise
        log.warning("hooks are taken one by one", hooks=len(batch), exc_info=error)
        return sum(_work_carefully(tenant_id) for _ in batch)
    for hook in late:
        _work_carefully(tenant_id, hook)
    return len(batch) - untouched


def _apply_together(batch: list[Hook]) -> tuple[list[Hook], int]:
    """Without savepoints. Returns the hooks that need a transaction of their own, and how many
    were left because the batch took long: their locks go with the transaction."""
    ends = time.monotonic() + BATCH_SECONDS
    tally, lines = Tally(), Lines()
    done: list[Hook] = []
    late: list[Hook] = []
    untouched = 0
    for place, hook in enumerate(batch):
        if place and time.monotonic() > ends:
            untouched = len(batch) - place
            break
        try:
            parts = _parts(hook, lines, alone=False)
        except Unreadable as error:
            _again(hook, [str(error)])
            continue
        try:
            for one in parts.each:
                one.apply(tally)
        except (receipts.NeedsRoom, receipts.TooEarly):
            late.append(hook)
            continue
        if parts.dropped:
            hooks.done(hook, "; ".join(parts.dropped))
        else:
            done.append(hook)
    tally.write()
    hooks.all_done(done)
    return late, untouched


def _work_carefully(tenant_id: int, hook: Hook | None = None) -> int:
    """One hook in a transaction, each part in a savepoint: a bad part spares its neighbours."""
    with tenant_scope(tenant_id):
        found = [hooks.claim_again(hook)] if hook else hooks.claim()
        mine = next((one for one in found if one is not None), None)
        if mine is not None:
            _apply_carefully(mine)
    return int(mine is not None)


def _apply_carefully(hook: Hook) -> None:
    tally = Tally()
    faults: list[str] = []
    waiting: list[str] = []
    try:
        parts = _parts(hook, Lines(), alone=True)
    except Unreadable as error:
        _again(hook, [str(error)])
        return
    for part in parts.each:
        mine = Tally()
        try:
            with savepoint():
                part.apply(mine)
            tally.join(mine)
        except receipts.TooEarly as early:
            waiting.append(f"{part.place}: {early}")
        except Exception as error:
            if _is_outage(error):
                raise
            log.warning("part of a hook failed", hook=hook.id, place=part.place, exc_info=error)
            faults.append(f"{part.place}: {type(error).__name__}")
    tally.write()
    if faults:
        _again(hook, faults + waiting)
    elif waiting and not hooks.last_try(hook):
        hooks.again(hook, "; ".join(waiting))
    else:
        hooks.done(hook, "; ".join(parts.dropped + waiting) or None)


def _again(hook: Hook, faults: list[str]) -> None:
    state = hooks.again(hook, "; ".join(faults))
    log.warning("hook not understood", hook=hook.id, kind=hook.kind, state=state)


def _look_again(tenant_id: int, worked: int) -> None:
    """After the release: marks that were made meanwhile did nothing."""
    with tenant_scope(tenant_id):
        due = hooks.next_due()
        if due is not None and due <= now():
            lanes.mark_due(LANE, tenant_id)
            ring("jobs.hooks.drain")
        elif due is not None or worked:
            second = now() + SECOND_LOOK
            lanes.mark_later(LANE, tenant_id, min(due, second) if due and worked else due or second)


def _parts(hook: Hook, lines: "Lines", *, alone: bool) -> Parts:
    """Everything a hook holds, not yet applied. Raises Unreadable."""
    if hook.kind in KINDS:
        return _parts_of_store(hook)
    if hook.kind in PROVIDERS:
        return _parts_of_provider(hook)
    if hook.kind != "cloud":
        raise Unreadable(f"nobody knows hooks of the kind {hook.kind}")
    parts = Parts()
    for parsed in cloud.parse(hook.body):
        line = lines.of(hook, parsed)
        if line is None:
            parts.dropped.append(f"{parsed.phone_number_id} is not the number of a line")
        else:
            parts.each += _parts_of(line, parsed, alone)
            parts.dropped += parsed.skipped
    return parts


def _parts_of_store(hook: Hook) -> Parts:
    try:
        read = store_events.read(hook)
    except NotUnderstood as error:
        raise Unreadable(str(error)) from None
    told = [Part(one.kind, partial(_receive_told, hook, one)) for one in read.events]
    return Parts(told, [read.nothing] if read.nothing else [])


def _parts_of_provider(hook: Hook) -> Parts:
    """A payment provider's signal: a row of its own, which another job has confirmed."""
    account_id = hook.target
    try:
        signals.readable(account_id, hook.body)
    except SignalUnreadable as error:
        raise Unreadable(str(error)) from None
    signed = hook.facts.get("signed") == "yes"

    def receive(_tally: Tally) -> None:
        signals.receive(account_id, hook.body, signed=signed, hook_id=hook.id)

    return Parts([Part("signal", receive)])


def _receive_told(hook: Hook, told: Told, _tally: Tally) -> None:
    """A store's or form's word: written down, then answered by the automations that wait for it."""
    event = store_events.keep(told, hook)
    if event is not None:
        automations.receive(event)


def _parts_of(line: Line, parsed: Parsed, alone: bool) -> Iterator[Part]:
    for number, message in enumerate(parsed.messages, 1):
        yield Part(f"message {number}", partial(inbound.receive, line, message))
    for number, receipt in enumerate(parsed.receipts, 1):
        take = partial(receipts.receive_receipt, line, receipt, alone=alone)
        yield Part(f"receipt {number}", take)
    for number, news in enumerate(parsed.news, 1):
        yield Part(f"news {number}", partial(receiving.receive_news, line, news))


class Lines:
    """A transaction's lines, each read once."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], Line | None] = {}

    def of(self, hook: Hook, parsed: Parsed) -> Line | None:
        """One app's hooks may tell of several numbers: each goes to its own line, or to none."""
        key = (hook.target, parsed.phone_number_id)
        if key not in self.known:
            mine = Line.id == int(hook.target)
            query = select(Line).where(
                Line.tenant_id == current_tenant_id(),
                Line.removed_at.is_(None),
                Line.phone_number_id == parsed.phone_number_id if key[1] else mine,
            )
            self.known[key] = db.session.scalars(query.order_by(mine.desc()).limit(1)).first()
        return self.known[key]


def _is_outage(error: Exception) -> bool:
    """A lost race for a lock is not one."""
    lost = isinstance(error, DBAPIError) and getattr(error.orig, "pgcode", "") in LOST_RACES
    return is_outage(error) and not lost
