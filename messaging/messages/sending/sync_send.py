"""Send a message and wait for the network's response: from this process if it can leave at once,
otherwise by a worker.
"""

import time

from core.queue.wakeups import WakeUp
from messaging.lines.repository import LineRoute
from messaging.messages.accept import (
    IdempotencyRecord,
    PreparedMessage,
    accept_in_own_transaction,
)
from messaging.messages.sending.direct import DirectSender
from messaging.messages.settle import MessageOutcome
from messaging.messages.sync_wait import wait_for_outcome


def send_and_wait(
    sender: DirectSender,
    ready: PreparedMessage,
    line: LineRoute,
    once: IdempotencyRecord | None,
    seconds: float,
) -> MessageOutcome | None:
    """Accept the message, then wait for its outcome. None: it is not known in time.

    Raises IdempotencyKeyReused and the refusals of accepting.
    """
    until = time.monotonic() + seconds
    result = sender.send(ready, line, once, until)
    if result is None:
        accept_in_own_transaction(ready, once)
    elif not result.queued:
        return result.outcome
    left = max(until - time.monotonic(), 0.0)
    return wait_for_outcome(ready.ticket.id, WakeUp("jobs.sending.worker.drain"), left)
