"""The agent as it leaves the house: one file, and the unit that runs it."""

import re
import subprocess
import sys
from pathlib import Path

from deploy.print_agent.pack import pack
from printing.agent.__main__ import PAIR_AGAIN, USAGE

ROOT = Path(__file__).parents[2]


def test_one_file_runs_on_a_computer_without_the_rest(tmp_path):
    pack(tmp_path / "print-agent.pyz")
    # -I -S: neither this repository nor any installed package is there to help.
    done = subprocess.run(
        [sys.executable, "-I", "-S", "print-agent.pyz", "--data", "data"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == USAGE, done.stderr
    assert "is not paired yet" in done.stdout


def test_the_unit_gives_up_where_a_person_is_needed():
    unit = (ROOT / "deploy" / "print_agent" / "print-agent.service").read_text()
    assert f"RestartPreventExitStatus={USAGE} {PAIR_AGAIN}" in unit
    (command,) = re.findall(r"ExecStart=(.*)", unit)
    guide = (ROOT / "docs" / "print-agent.md").read_text()
    assert command.split()[1] in guide
    for setting in ("SERVER", "PAIR"):
        assert f"${{{setting}}}" in command
        assert f"{setting}=" in guide
