"""A real agent process, killed at each step: no ticket is lost; possible copies are marked."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from printing.agent import chaos
from printing.agent.journal import Journal, PrintJob
from tests.printing.fake_print_server import CODE
from tests.timeouts import allow_for_load

ROOT = Path(__file__).parent.parent.parent
TICKETS = [f"t{number}" for number in range(4)]
pytestmark = pytest.mark.timeout(60)


def start(counter, data: Path, fault: str = "", **environment: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "printing.agent", "--server", counter.url, "--pair", CODE]
    if fault:
        environment |= {"PRINT_AGENT_FAULT": fault, "PRINT_AGENT_ALLOW_FAULTS": "1"}
    return subprocess.Popen(
        [*command, "--data", str(data), "--no-scan"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def stop(agent: subprocess.Popen) -> str:
    agent.send_signal(signal.SIGTERM)
    said, _ = agent.communicate(timeout=allow_for_load(15))
    assert agent.returncode == 0, said
    return said


@pytest.mark.parametrize(
    ("step", "on_paper"),
    [
        ("after_fetch", ["t0", "t1", "t2", "t3"]),
        ("before_print", ["t0", "REPRINT t1", "t2", "t3"]),
        ("after_print", ["t0", "t1", "REPRINT t1", "t2", "t3"]),
        ("before_ack", ["t0", "t1", "t2", "t3"]),
        ("after_ack", ["t0", "t1", "t2", "t3"]),
    ],
)
def test_killed_at_a_step_it_loses_nothing(counter, epson, tmp_path, step, on_paper):
    for ticket in TICKETS:
        counter.order(ticket, "kitchen")
    first = start(counter, tmp_path, f"{step}:2")
    assert first.wait(allow_for_load(20)) == -signal.SIGKILL
    first.communicate()
    second = start(counter, tmp_path)
    counter.wait(counter.all_in)
    said = stop(second)
    assert epson.tickets() == on_paper
    assert "Paired" not in said  # the code is used up; it continues with its token
    copies = {t for t in TICKETS if counter.tickets[t].results[-1]["reprint"]}
    assert copies == ({"t1"} if "REPRINT t1" in on_paper else set())


def test_a_revoked_agent_ends_with_its_own_code_and_can_be_paired_again(counter, epson, tmp_path):
    agent = start(counter, tmp_path)
    counter.wait(lambda: counter.polls > 0)
    counter.revoke()
    said, _ = agent.communicate(timeout=allow_for_load(15))
    assert agent.returncode == 3
    assert "disconnected in the portal" in said
    counter.order("t1", "kitchen")
    refused = start(counter, tmp_path / "other")
    said, _ = refused.communicate(timeout=allow_for_load(15))
    assert refused.returncode == 3
    assert "This code is not known." in said
    assert epson.paper == b""


def test_a_fault_is_refused_unless_it_is_a_test():
    with pytest.raises(ValueError, match="for tests"):
        chaos.arm({"PRINT_AGENT_FAULT": "after_print:1"})
    with pytest.raises(ValueError, match="step:n"):
        chaos.arm({"PRINT_AGENT_FAULT": "lunch:1", "PRINT_AGENT_ALLOW_FAULTS": "1"})
    chaos.arm({})


def job(fence: int = 1, **more) -> PrintJob:
    return PrintJob("pj_1", "kitchen", fence, "ORD-1", "text/plain", b"data", b"again", **more)


@pytest.fixture
def journal(tmp_path):
    kept = Journal(tmp_path / "journal.sqlite")
    yield kept
    kept.close()


def test_the_same_job_again_is_not_printed_again(journal):
    assert journal.add(job())
    assert not journal.add(job())
    assert not journal.add(job(fence=2))
    assert journal.next_for("kitchen").fence == 2


def test_what_is_printed_and_unheard_is_told_under_the_new_fence(journal):
    journal.add(job())
    journal.done(job(), {"outcome": "printed"})
    assert not journal.add(job(fence=2))
    assert [one.fence for one in journal.unreported()] == [2]


def test_a_result_that_was_refused_is_reported_again_when_the_job_comes_back(journal):
    journal.add(job())
    journal.done(job(), {"outcome": "printed"})
    journal.mark_reported(job(), counted=False)
    assert not journal.add(job(fence=2))
    assert [one.fence for one in journal.unreported()] == [2]


@pytest.mark.parametrize(
    ("outcome", "copy"), [("failed", False), ("unsure", True), ("printed", True)]
)
def test_what_the_server_knows_and_wants_again_is_printed_again(journal, outcome, copy):
    journal.add(job())
    journal.done(job(), {"outcome": outcome})
    journal.mark_reported(job())
    assert journal.add(job(fence=2))
    assert journal.next_for("kitchen").copy is copy


def test_what_was_begun_when_it_died_may_be_a_copy(journal):
    journal.add(job())
    journal.started(job())
    assert journal.next_for("kitchen") is None
    assert journal.begin() == 1
    assert journal.next_for("kitchen").copy


def test_a_new_pairing_forgets_what_was_not_printed_and_remembers_doubt(journal):
    journal.add(job())
    journal.release_unprinted()
    assert journal.in_hand() == []
    journal.add(job(fence=2))
    journal.started(job())
    journal.release_unprinted()
    assert journal.add(job(fence=3))
    assert journal.next_for("kitchen").copy


def test_a_journal_that_cannot_be_read_is_set_aside(tmp_path):
    (tmp_path / "journal.sqlite").write_bytes(b"not a database at all, whatever it was" * 40)
    journal = Journal(tmp_path / "journal.sqlite")
    assert journal.add(job())
    journal.close()
    assert list(tmp_path.glob("journal.broken-*"))
