"""One attempt to send claimed messages, in a worker or in a web process: call the driver of the
line, count the outcomes, settle them.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import psycopg2

from core import chaos
from core.clock import now
from core.http.client import HttpClient
from core.logs import logger
from core.monitoring import metrics
from core.queue.wakeups import WakeUp
from core.settings import Settings
from core.sql.async_pool import Rows
from core.sql.batching import TenantCalls
from messaging import reasons
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import (
    SendAccepted,
    SendOutcome,
    SendRefused,
    SendUnknown,
    TryLater,
)
from messaging.lines.drivers.registry import DRIVERS
from messaging.lines.pacing import LinePacing, MessagePacing, PacedMessage
from messaging.lines.send_lane import LANE
from messaging.messages import claim as message_claim
from messaging.messages import fallback
from messaging.messages import settle as message_settle
from messaging.messages.claim import ClaimedMessage
from messaging.messages.sending.after_commit import AfterCommitOutbox
from messaging.messages.settle import MessageOutcome
from messaging.models import Line
from messaging.reasons import with_detail

log = logger(__name__)

SETTLE_RETRY_DELAYS = (0.2, 0.5, 1.0, 2.0)  # seconds between the tries while the database is down
OUTCOMES = {SendAccepted: "sent", SendRefused: "refused", TryLater: "retry", SendUnknown: "unknown"}

AcceptedResults = list[tuple[ClaimedMessage, SendAccepted]]
Results = list[tuple[ClaimedMessage, SendOutcome]]


async def send_claimed(
    client: HttpClient, settings: Settings, group: list[ClaimedMessage]
) -> tuple[AcceptedResults, Results]:
    """Send the group at once. Returns what the network has accepted, and all other outcomes."""
    chaos.fault_point("before_connect")
    if len(group) == 1:
        outcomes = [await _send_one(client, settings, group[0])]
    else:
        outcomes = await asyncio.gather(*(_send_one(client, settings, one) for one in group))
    results = list(zip(group, outcomes, strict=True))
    _count(results)
    accepted = [(one, out) for one, out in results if isinstance(out, SendAccepted)]
    others: Results = [(one, out) for one, out in results if not isinstance(out, SendAccepted)]
    chaos.fault_point("before_settle_commit")
    return accepted, others


async def _send_one(client: HttpClient, settings: Settings, one: ClaimedMessage) -> SendOutcome:
    departure = one.line_snapshot
    if departure is None:
        raise RuntimeError("a message without a line was taken")
    if departure.network == "simulator" and settings.production and not departure.test:
        return SendRefused("line_unavailable", reasons.SIMULATED_LIVE)
    send = DRIVERS[departure.facts.kind].send
    if send is None:
        raise RuntimeError("a message of a hosted line was taken")
    try:
        outcome = await send(client, settings, departure.network, departure.facts, one.envelope)
    except Exception as error:
        # It is not known whether bytes were sent, so nothing may be sent again.
        log.exception("line driver failed", message=one.envelope.message_id)
        return SendUnknown(with_detail(reasons.SENDING_FAILED, type(error).__name__))
    chaos.fault_point("after_answer")
    return outcome


def _count(results: Results) -> None:
    moment = now()
    metrics.SEND_SECONDS.observe(
        [(moment - one.due_at).total_seconds() for one, _ in results if one.due_at is not None]
    )
    for one, outcome in results:
        metrics.MESSAGES.add(OUTCOMES[type(outcome)])
        if isinstance(outcome, SendUnknown):
            log.warning(
                "message outcome unknown",
                message=one.envelope.message_id,
                line=one.envelope.line_id,
            )


async def settle_accepted(
    calls: TenantCalls,
    tenant_id: int,
    accepted: AcceptedResults,
    outbox: AfterCommitOutbox,
    more: dict[str, Any],
) -> tuple[list[MessageOutcome], Sequence[Any]]:
    """Record what the network has accepted, and put the live updates into the outbox.

    `calls` is SETTLE_SENT, or a statement that does more in the same round trip; `more` are the
    parameters of that, and its results are returned after the outcomes.
    """
    params = message_settle.settle_sent_params(accepted, now()) | more
    settled, moved, *results = (await _settle_with_retry(calls, tenant_id, params))[0]
    outbox.add_live_updates(tenant_id, message_settle.sent_live_updates(settled, moved))
    return message_settle.sent_outcomes(accepted, settled), results


async def settle_one_accepted(
    calls: TenantCalls,
    tenant_id: int,
    one: ClaimedMessage,
    accepted: SendAccepted,
    outbox: AfterCommitOutbox,
) -> MessageOutcome:
    """The same for one message that was not sent from its lane. `calls` is SETTLE_ONE."""
    moment = now()
    params = message_settle.settle_one_params(one, accepted, moment) | {
        "lane": LANE,
        "oldest": message_claim.pending_id_range(moment)["oldest"],
    }
    [(done, moved, held_back)] = await _settle_with_retry(calls, tenant_id, params)
    settled = [one.uuid] if done else []
    conversations = [f"{moved} {one.uuid}"] if moved else []
    outbox.add_live_updates(tenant_id, message_settle.sent_live_updates(settled, conversations))
    if held_back:
        outbox.wakeups.add(WakeUp("jobs.sending.worker.drain"))
    return message_settle.sent_outcomes([(one, accepted)], settled)[0]


async def _settle_with_retry(calls: TenantCalls, tenant_id: int, params: dict[str, Any]) -> Rows:
    """Settle also across a short outage of the database.

    Repeating is safe: the first call has already changed the state of the messages.
    """
    for pause in SETTLE_RETRY_DELAYS:
        try:
            return await calls.run(tenant_id, params)
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            log.warning("settle retried", error=type(error).__name__)
            await calls.pause(pause)
    return await calls.run(tenant_id, params)


def settle_others(
    tenant_id: int,
    results: Sequence[tuple[ClaimedMessage, SendOutcome]],
    pacing: LinePacing | MessagePacing,
) -> list[MessageOutcome]:
    """Settle refusals, retries and lost answers in the tenant's open transaction."""
    final: list[tuple[ClaimedMessage, SendOutcome]] = []
    for one, outcome in results:
        line_id = one.envelope.line_id
        if isinstance(outcome, TryLater) and outcome.scope == "line":
            pacing.pause(tenant_id, line_id, paced_message(one).per_second, outcome.after or 5.0)
        if isinstance(outcome, SendRefused) and outcome.line_state:
            if not one.test:  # a test line stays up: only this message fails
                line_repository.record_line_state(line_id, outcome.line_state, outcome.reason)
            outcome = replace(outcome, code="line_unavailable")
        final.append((one, outcome))
    if any(isinstance(outcome, SendRefused) for _, outcome in final):
        final = fallback.try_fallbacks(final, lines_by_id())
    return message_settle.settle_messages(final)


def lines_by_id() -> dict[int, Line]:
    return {line.id: line for line in line_repository.list_lines()}


def paced_message(one: ClaimedMessage) -> PacedMessage:
    per_second = one.line_snapshot.per_second if one.line_snapshot else 1.0
    return PacedMessage(one.envelope.line_id, one.envelope.phone, per_second)
