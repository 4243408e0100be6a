"""Real processes, really killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.deploy.local.processes import BACK_WITHIN_SECONDS, eventually, gone
from tests.timeouts import allow_for_load

ROOT = Path(__file__).parents[3]

Start = Callable[..., subprocess.Popen[str]]


def pids(file: Path) -> list[int]:
    return [int(line) for line in file.read_text().split()] if file.is_file() else []


@pytest.fixture
def start_stage(tmp_path: Path) -> Iterator[Start]:
    started = []

    def start(*names: str) -> subprocess.Popen[str]:
        stage = subprocess.Popen(
            [sys.executable, "-m", "tests.deploy.local.supervised_programs", str(tmp_path), *names],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        started.append(stage)
        stage.before = ""
        for line in stage.stdout:
            if line.startswith("ready"):
                break
            stage.before += line
        return stage

    yield start
    for stage in started:
        stage.kill()
        stage.communicate()


@pytest.mark.timing
def test_a_killed_child_is_back_and_its_log_goes_on(start_stage, tmp_path):
    start_stage("steady")
    [first] = pids(tmp_path / "steady")
    os.kill(first, signal.SIGKILL)
    killed = time.monotonic()
    eventually(lambda: len(pids(tmp_path / "steady")) == 2)
    assert time.monotonic() - killed < BACK_WITHIN_SECONDS
    log = tmp_path / "logs" / "steady.log"
    eventually(lambda: log.read_text().count("at work") == 2)


@pytest.mark.timing
def test_a_child_that_keeps_dying_is_still_back_within_five_seconds(start_stage, tmp_path):
    start_stage("steady")
    for deaths in range(1, 5):
        os.kill(pids(tmp_path / "steady")[-1], signal.SIGKILL)
        eventually(lambda deaths=deaths: len(pids(tmp_path / "steady")) == deaths + 1)


def test_what_a_dead_child_left_behind_ends_with_it(start_stage, tmp_path):
    start_stage("parent")
    [orphan] = eventually(lambda: pids(tmp_path / "parent.child"))
    os.kill(pids(tmp_path / "parent")[0], signal.SIGKILL)
    eventually(lambda: gone(orphan))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_stop_it_leaves_nothing(start_stage, tmp_path, number):
    stage = start_stage("steady", "stubborn", "parent")
    eventually(lambda: pids(tmp_path / "parent.child"))
    everybody = [
        pid
        for name in ("steady", "stubborn", "parent", "parent.child")
        for pid in pids(tmp_path / name)
    ]
    assert len(everybody) == 4
    assert not any(gone(pid) for pid in everybody)
    stage.send_signal(number)
    assert stage.wait(allow_for_load(10)) == 0
    assert all(gone(pid) for pid in everybody)


@pytest.mark.timing
def test_a_second_ctrl_c_does_not_wait_for_the_stubborn(start_stage, tmp_path):
    stage = start_stage("stubborn")
    stage.send_signal(signal.SIGINT)
    time.sleep(0.6)
    stage.send_signal(signal.SIGINT)
    asked = time.monotonic()
    assert stage.wait(allow_for_load(5)) == 0
    assert time.monotonic() - asked < 0.4


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of a death")
def test_killing_the_supervisor_takes_its_children_along(start_stage, tmp_path):
    stage = start_stage("steady")
    [child] = pids(tmp_path / "steady")
    stage.kill()
    eventually(lambda: gone(child))


def test_a_child_that_cannot_start_is_named_with_its_reason(start_stage, tmp_path):
    stage = start_stage("broken")
    assert stage.wait(allow_for_load(10)) == 1
    assert "the reason is here" in (tmp_path / "logs" / "broken.log").read_text()


def test_a_reader_that_stopped_reading_does_not_stop_the_supervisor(start_stage, tmp_path):
    """The pipe is not read after `ready`, and the program prints more than the pipe can hold."""
    start_stage("talker")
    log = tmp_path / "logs" / "talker.log"
    eventually(lambda: log.is_file() and log.stat().st_size > 1_000_000)
    os.kill(pids(tmp_path / "talker")[-1], signal.SIGKILL)
    eventually(lambda: len(pids(tmp_path / "talker")) == 2)


def test_routine_lines_of_a_child_are_in_its_file_and_not_on_the_screen(start_stage, tmp_path):
    """Regression: access log lines followed the list that `make run` prints last."""
    stage = start_stage("logger")
    log = tmp_path / "logs" / "logger.log"
    eventually(lambda: "the end" in log.read_text())
    stage.send_signal(signal.SIGTERM)
    text = stage.before + stage.stdout.read()
    shown = [line.partition("| ")[2] for line in text.splitlines() if "| " in line]
    assert [line.split()[0] for line in shown] == [
        "2026-11-16T04:16:49.6Z",
        '{"event":',
        "Traceback",
        "the",
    ]
    assert log.read_text().count("answered") == 2
