"""Process received hooks: many in one transaction, a failing one in its own."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from core.clock import now
from core.db import current_tenant_id, db, notify_workers, savepoint, tenant_scope
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.sql.db_errors import is_outage
from jobs.engine import round_robin
from jobs.inbound import messages as inbound_messages
from messaging.automations import runs as automation_runs
from messaging.automations import store_events
from messaging.costs.usage import UsageTally
from messaging.journeys import triggers as journey_triggers
from messaging.lines.drivers.base import EchoedMessage, ParsedWebhook
from messaging.lines.drivers.cloud.driver import UnreadableWebhook
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages import receipts
from messaging.messages import receive as message_receive
from messaging.messages.inbound.echoes import store_echo
from messaging.models import Line
from restaurant.payments import provider_events
from restaurant.payments.gateways.base import UnreadableEvent as SignalUnreadable
from restaurant.payments.gateways.registry import GATEWAYS
from webhooks.inbound import hook_queue
from webhooks.inbound import reasons as hook_reasons
from webhooks.inbound.hook_queue import LANE, ClaimedHook
from webhooks.stores.base import ParsedEvent, UnreadableBody
from webhooks.stores.registry import PLATFORMS

log = logger(__name__)

WORK_SECONDS = 30.0
BATCH = 25  # a transaction that waits for a lock of this batch waits for this many hooks
BATCH_SECONDS = 0.5  # or for this long; the rest of the batch is claimed again
TURN_SECONDS = 5.0  # then another tenant's lane comes first
# A hook whose transaction commits after the last look is found by a second look.
RECEIPT_RECHECK_AFTER = timedelta(seconds=2)
LOCK_CONFLICTS = ("40001", "40P01")  # serialization failure, deadlock: a conflict, not an outage


@dataclass(frozen=True)
class HookPart:
    place: str
    apply: Callable[[UsageTally], object]


@dataclass
class HookParts:
    each: list[HookPart] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    """The stored reasons of the parts that are ignored."""


def drain() -> int:
    """Work the lanes in turn, for WORK_SECONDS at most. Returns how many hooks were done."""
    acknowledge_wakeup("jobs.inbound.hooks.drain")
    return round_robin.work_lanes(
        "jobs.inbound.hooks.drain", LANE, WORK_SECONDS, _work, _recheck_lane, turn=TURN_SECONDS
    )


def sweep() -> None:
    """In the sweep's global transaction: hooks that are due again, and lanes without a wake-up."""
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.inbound.hooks.drain")


def find_lost_work() -> int:
    """Find due hooks of tenants without a lane. This is rare, so it runs rarely."""
    acknowledge_wakeup("jobs.inbound.hooks.find_lost_work")
    found = 0
    for tenant_id in lanes.tenants_with_due_work(LANE):
        with tenant_scope(tenant_id):
            due = hook_queue.next_due()
            if due is not None and due <= now():
                lanes.mark_due(LANE, tenant_id)
                notify_workers("jobs.inbound.hooks.drain")
                found += 1
    return found


def _work(tenant_id: int) -> int:
    """Process many hooks in one transaction; if it fails, the same hooks one by one."""
    batch: list[ClaimedHook] = []
    try:
        with tenant_scope(tenant_id):
            batch += hook_queue.claim_hooks(BATCH)
            late, untouched = _apply_batch(batch)
    except Exception as error:
        if _is_outage(error):
            raise
        log.warning(
            "inbound hook batch failed, processing one by one", hooks=len(batch), exc_info=error
        )
        return sum(_work_one(tenant_id) for _ in batch)
    for hook in late:
        _work_one(tenant_id, hook)
    return len(batch) - untouched


def _apply_batch(batch: list[ClaimedHook]) -> tuple[list[ClaimedHook], int]:
    """Without savepoints. Returns the hooks that need their own transaction, and how many were not
    processed because the batch took long: their locks end with the transaction.
    """
    ends = time.monotonic() + BATCH_SECONDS
    tally, lines = UsageTally(), LineCache()
    done: list[ClaimedHook] = []
    late: list[ClaimedHook] = []
    untouched = 0
    for place, hook in enumerate(batch):
        if place and time.monotonic() > ends:
            untouched = len(batch) - place
            break
        try:
            parts = _parts(hook, lines, alone=False)
        except UnreadableWebhook as error:
            _retry_hook(hook, [str(error)])
            continue
        try:
            for one in parts.each:
                one.apply(tally)
        except (receipts.NeedsOwnTransaction, receipts.ReceiptTooEarly):
            late.append(hook)
            continue
        if parts.dropped:
            hook_queue.mark_done(hook, parts.dropped)
        else:
            done.append(hook)
    tally.write()
    hook_queue.mark_all_done(done)
    return late, untouched


def _work_one(tenant_id: int, hook: ClaimedHook | None = None) -> int:
    """One hook in a transaction, each part in a savepoint: a failing part does not affect the
    others.
    """
    with tenant_scope(tenant_id):
        found = [hook_queue.claim_hook(hook)] if hook else hook_queue.claim_hooks()
        claimed = next((one for one in found if one is not None), None)
        if claimed is not None:
            _apply_parts(claimed)
    return int(claimed is not None)


def _apply_parts(hook: ClaimedHook) -> None:
    tally = UsageTally()
    faults: list[str] = []
    waiting: list[str] = []
    try:
        parts = _parts(hook, LineCache(), alone=True)
    except UnreadableWebhook as error:
        _retry_hook(hook, [str(error)])
        return
    for part in parts.each:
        own_tally = UsageTally()
        try:
            with savepoint():
                part.apply(own_tally)
            tally.join(own_tally)
        except receipts.ReceiptTooEarly:
            waiting.append(
                hook_reasons.with_values(hook_reasons.RECEIPT_UNMATCHED, place=part.place)
            )
        except Exception as error:
            if _is_outage(error):
                raise
            log.warning("inbound hook part failed", hook=hook.id, place=part.place, exc_info=error)
            faults.append(
                hook_reasons.with_values(
                    hook_reasons.PART_FAILED, place=part.place, error=type(error).__name__
                )
            )
    tally.write()
    if faults:
        _retry_hook(hook, faults + waiting)
    elif waiting and not hook_queue.is_last_try(hook):
        hook_queue.retry_or_park(hook, waiting)
    else:
        hook_queue.mark_done(hook, parts.dropped + waiting)


def _retry_hook(hook: ClaimedHook, faults: list[str]) -> None:
    state = hook_queue.retry_or_park(hook, faults)
    log.warning("inbound hook not processed", hook=hook.id, kind=hook.kind, state=state)


def _recheck_lane(tenant_id: int, worked: int) -> None:
    """After the release, because marks made while the lane was held had no effect."""
    with tenant_scope(tenant_id):
        due = hook_queue.next_due()
        if worked:
            recheck_at = now() + RECEIPT_RECHECK_AFTER
            due = min(due, recheck_at) if due else recheck_at
        if lanes.mark_next(LANE, tenant_id, due):
            notify_workers("jobs.inbound.hooks.drain")


def _parts(hook: ClaimedHook, lines: "LineCache", *, alone: bool) -> HookParts:
    """All parts of a hook, not yet applied. Raises UnreadableWebhook."""
    if hook.kind in PLATFORMS:
        return _parts_of_store(hook)
    if hook.kind in GATEWAYS:
        return _parts_of_provider(hook)
    driver = DRIVERS.get(hook.kind)
    if driver is None or driver.parse_webhook is None:
        raise UnreadableWebhook(hook_reasons.with_values(hook_reasons.UNKNOWN_KIND, kind=hook.kind))
    parts = HookParts()
    for parsed in driver.parse_webhook(hook.body):
        line = lines.of(hook, parsed)
        if line is None:
            number = parsed.phone_number_id
            parts.dropped.append(
                hook_reasons.with_values(hook_reasons.UNKNOWN_NUMBER, number=number)
            )
        else:
            parts.each += _parts_of_line(line, parsed, alone)
            parts.dropped += parsed.skipped
    return parts


def _parts_of_store(hook: ClaimedHook) -> HookParts:
    try:
        read = store_events.parse_hook(hook)
    except UnreadableBody as error:
        raise UnreadableWebhook(str(error)) from None
    parts = [HookPart(one.kind, partial(_receive_store_event, hook, one)) for one in read.events]
    return HookParts(parts, [read.nothing] if read.nothing else [])


def _parts_of_provider(hook: ClaimedHook) -> HookParts:
    """A payment provider's event: stored in its own row, which another job confirms."""
    account_id = hook.target
    try:
        provider_events.parse_event(account_id, hook.body)
    except SignalUnreadable as error:
        raise UnreadableWebhook(str(error)) from None
    signed = hook.facts.get("signed") == "yes"

    def receive(_tally: UsageTally) -> None:
        provider_events.receive_event(account_id, hook.body, signed=signed, hook_id=hook.id)

    return HookParts([HookPart("payment event", receive)])


def _receive_store_event(hook: ClaimedHook, store_event: ParsedEvent, _tally: UsageTally) -> None:
    """Store a store's or form's event, then start the automations that it triggers."""
    event = store_events.store_event(store_event, hook)
    if event is not None:
        automation_runs.start_runs(event)
        journey_triggers.start_for_store_event(event)


def _parts_of_line(line: Line, parsed: ParsedWebhook, alone: bool) -> Iterator[HookPart]:
    for number, message in enumerate(parsed.messages, 1):
        yield HookPart(
            f"message {number}", partial(inbound_messages.receive_and_react, line, message)
        )
    for number, echo in enumerate(parsed.echoes, 1):
        yield HookPart(f"echo {number}", partial(_store_echo, line, echo))
    for number, receipt in enumerate(parsed.receipts, 1):
        receive = partial(receipts.receive_receipt, line, receipt, alone=alone)
        yield HookPart(f"receipt {number}", receive)
    for number, update in enumerate(parsed.updates, 1):
        yield HookPart(
            f"update {number}", partial(message_receive.receive_line_update, line, update)
        )


def _store_echo(line: Line, echo: EchoedMessage, _tally: UsageTally) -> None:
    store_echo(line, echo)


class LineCache:
    """The lines of one transaction, each read once."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], Line | None] = {}

    def of(self, hook: ClaimedHook, parsed: ParsedWebhook) -> Line | None:
        """The hooks of one app may concern several numbers. Each goes to its own line; None if
        there is no line with that number.
        """
        key = (hook.target, parsed.phone_number_id)
        if key not in self.known:
            condition = Line.id == int(hook.target)
            query = select(Line).where(
                Line.tenant_id == current_tenant_id(),
                Line.removed_at.is_(None),
                Line.phone_number_id == parsed.phone_number_id if key[1] else condition,
            )
            self.known[key] = db.session.scalars(query.order_by(condition.desc()).limit(1)).first()
        return self.known[key]


def _is_outage(error: Exception) -> bool:
    """True for an outage, but not for a lock conflict."""
    lost = isinstance(error, DBAPIError) and getattr(error.orig, "pgcode", "") in LOCK_CONFLICTS
    return is_outage(error) and not lost
