"""Points at which a process can be killed on purpose. Used only by `make chaos`.

FAULT=step:n kills the process the n-th time it reaches that step; FAULT=step:n:stop freezes it
there instead. Without FAULT a step costs one comparison. Production refuses to start with FAULT
set.
"""

import asyncio
import os
import signal
from dataclasses import dataclass
from threading import Lock

STEPS = (
    "claim",
    "before_connect",
    "after_bytes",
    "after_answer",
    "before_settle_commit",
    "after_settle_commit",
    "payment_claimed",
    "payment_answered",
    "payment_settled",
    "share_reserved",
    "share_stored",
    "campaign_gathered",
    "campaign_claimed",
    "campaign_accepted",
    "campaign_handed",
)
BYTES_LEAVE_SECONDS = 0.02  # by then the kernel has the bytes that were written to the socket


@dataclass
class Fault:
    step: str
    left: int
    how: signal.Signals


_fault: Fault | None = None
_lock = Lock()


def parse_fault(text: str) -> Fault | None:
    """None for an empty setting. Raises ValueError with a message for the operator."""
    if not text:
        return None
    step, _, rest = text.partition(":")
    times, _, how = rest.partition(":")
    if step not in STEPS or not times.isdecimal() or int(times) < 1 or how not in ("", "stop"):
        raise ValueError(f"must be step:n or step:n:stop with a step of {', '.join(STEPS)}")
    return Fault(step, int(times), signal.SIGSTOP if how else signal.SIGKILL)


def arm(text: str) -> None:
    global _fault
    _fault = parse_fault(text)


def fault_point(step: str) -> None:
    if _fault is None or _fault.step != step:
        return
    with _lock:
        _fault.left -= 1
        if _fault.left == 0:
            os.kill(os.getpid(), _fault.how)


def fault_point_soon(step: str) -> None:
    """For a step that is complete only after the event loop has run again."""
    if _fault is not None and _fault.step == step:
        asyncio.get_running_loop().call_later(BYTES_LEAVE_SECONDS, fault_point, step)
