"""A process dies where it is told to, and nowhere else."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from core import chaos
from core.settings import Settings, SettingsError, refuse_unsafe_production


@pytest.fixture
def kills(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    found: list[int] = []
    monkeypatch.setattr(chaos.os, "kill", lambda _pid, how: found.append(how))
    yield found
    chaos.arm("")


def test_without_a_fault_nothing_happens(kills: list[int]) -> None:
    chaos.arm("")
    for step in chaos.STEPS:
        chaos.fault_point(step)
    assert kills == []


def test_it_dies_at_its_step_the_nth_time_only(kills: list[int]) -> None:
    chaos.arm("claim:3")
    chaos.fault_point("claim")
    chaos.fault_point("after_answer")
    chaos.fault_point("claim")
    assert kills == []
    chaos.fault_point("claim")
    chaos.fault_point("claim")
    assert kills == [signal.SIGKILL]


def test_it_can_freeze_instead(kills: list[int]) -> None:
    chaos.arm("after_answer:1:stop")
    chaos.fault_point("after_answer")
    assert kills == [signal.SIGSTOP]


def test_a_step_that_is_over_a_little_later(kills: list[int]) -> None:
    chaos.arm("after_bytes:1")

    async def go() -> None:
        chaos.fault_point_soon("after_bytes")
        assert kills == []
        await asyncio.sleep(chaos.BYTES_LEAVE_SECONDS * 3)

    asyncio.run(go())
    assert kills == [signal.SIGKILL]


def test_a_real_process_is_gone() -> None:
    code = (
        "from core import chaos; chaos.arm('claim:1'); chaos.fault_point('claim'); print('alive')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (-signal.SIGKILL, b"")


@pytest.mark.parametrize("told", ["claim", "claim:0", "claim:x", "lunch:1", "claim:1:slowly"])
def test_what_is_no_step_is_refused(told: str) -> None:
    with pytest.raises(ValueError, match="step"):
        chaos.parse_fault(told)


def test_production_refuses_it(settings: Settings) -> None:
    safe = {
        "app_env": "production",
        "mail_url": "smtp://localhost",
        "allow_loopback": False,
        "linked_network": "whatsapp",
    }
    refuse_unsafe_production(settings.model_copy(update=safe))
    with pytest.raises(SettingsError, match="FAULT"):
        refuse_unsafe_production(settings.model_copy(update={**safe, "fault": "claim:1"}))
