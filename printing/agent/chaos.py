"""Steps at which tests can kill the agent, to count the printed tickets afterwards.

PRINT_AGENT_FAULT=step:n kills it the n-th time it reaches that step. It is refused unless
PRINT_AGENT_ALLOW_FAULTS=1 is set as well.
"""

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

STEPS = (
    "after_fetch",  # the job is in the journal, nothing is printed
    "before_print",  # recorded as started, no byte is sent
    "after_print",  # the ticket is printed, but not recorded as done
    "before_ack",  # recorded as done, but not reported
    "after_ack",  # reported, but the report is not recorded
)


@dataclass
class Fault:
    step: str
    left: int


_fault: Fault | None = None
_lock = Lock()


def arm(environment: Mapping[str, str]) -> None:
    """Raises ValueError with a sentence for people."""
    global _fault
    setting = environment.get("PRINT_AGENT_FAULT", "")
    if not setting:
        _fault = None
        return
    if environment.get("PRINT_AGENT_ALLOW_FAULTS") != "1":
        raise ValueError("PRINT_AGENT_FAULT is for tests; set PRINT_AGENT_ALLOW_FAULTS=1 as well")
    step, _, times = setting.partition(":")
    if step not in STEPS or not times.isdecimal() or int(times) < 1:
        raise ValueError(f"PRINT_AGENT_FAULT must be step:n with a step of {', '.join(STEPS)}")
    _fault = Fault(step, int(times))


def at(step: str) -> None:
    if _fault is None or _fault.step != step:
        return
    with _lock:
        _fault.left -= 1
        if _fault.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
