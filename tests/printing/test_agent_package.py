"""The agent's package: one reproducible file that installs itself."""

import ast
import hashlib
import os
import plistlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

from deploy.print_agent.pack import pack
from printing import agent_package
from printing.agent import VERSION, autostart
from printing.agent.__main__ import EXIT_PAIR_AGAIN, EXIT_USAGE
from printing.agent.polling import save_pairing
from printing.agent.server_client import Pairing

ROOT = Path(__file__).parents[2]


def runs(folder, *options, **environment):
    """-I -S: without this repository and without installed packages."""
    return subprocess.run(
        [sys.executable, "-I", "-S", "print-agent.pyz", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_one_file_runs_on_a_computer_without_the_rest(tmp_path):
    pack(tmp_path / "print-agent.pyz")
    done = runs(tmp_path, "--data", "data")
    assert done.returncode == EXIT_USAGE, done.stderr
    assert "is not paired yet" in done.stdout


def test_the_same_sources_give_the_same_file(tmp_path, monkeypatch):
    """A build of the file has the checksum that the portal shows."""
    copied = tmp_path / "agent"
    copied.mkdir()
    for source in sorted((ROOT / "printing" / "agent").glob("*.py"), reverse=True):
        (copied / source.name).write_bytes(source.read_bytes())  # other dates and another order
    first = agent_package.build()
    monkeypatch.setattr(agent_package, "_SOURCE", copied)
    assert agent_package.build() == first
    assert agent_package.package().sha256 == hashlib.sha256(first).hexdigest()


def test_the_file_needs_nothing_but_the_standard_library(tmp_path):
    pack(tmp_path / "print-agent.pyz")
    with zipfile.ZipFile(tmp_path / "print-agent.pyz") as archive:
        names = archive.namelist()
        sources = [archive.read(name).decode() for name in names]
    assert all(name.startswith("printing/") or name == "__main__.py" for name in names)
    imported = set()
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                imported |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module or "")
    ours = {name for name in imported if name.split(".")[0] == "printing"}
    assert {name.split(".")[0] for name in imported - ours} <= sys.stdlib_module_names
    assert all(name.startswith("printing.agent") for name in ours)


def test_an_old_python_is_told_what_is_missing(tmp_path):
    with zipfile.ZipFile(pack_into(tmp_path)) as archive:
        main = archive.read("__main__.py").decode()
    old = "import sys\nsys.version_info = (3, 9, 2)\n" + main.replace("import sys\n", "", 1)
    done = subprocess.run([sys.executable, "-c", old], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; this is 3.9" in done.stderr


def pack_into(folder):
    pack(folder / "print-agent.pyz")
    return folder / "print-agent.pyz"


def test_on_linux_it_installs_itself_as_a_service_of_the_user(tmp_path):
    """One command installs it; the download may be deleted afterwards."""
    pack_into(tmp_path)
    home, tools, data = (tmp_path / name for name in ("home", "tools", "data"))
    for folder in (home, tools, data):
        folder.mkdir()
    for tool in ("systemctl", "loginctl"):
        (tools / tool).write_text(f'#!/bin/sh\necho {tool} "$@" >> "{tmp_path}/calls"\n')
        (tools / tool).chmod(0o755)
    known = Pairing("https://comanda.example", "7KQ2-M9XD", "agt_x", "agt_1", "Bistro", "", 25)
    save_pairing(data / "agent.json", known)
    script = (
        "import os, runpy, sys; os.geteuid = lambda: 1000; "
        "sys.argv = ['print-agent.pyz', '--data', 'data', '--install']; "
        "runpy.run_path('print-agent.pyz', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(home)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "starts with this computer" in done.stdout
    unit = (home / ".config/systemd/user" / autostart.UNIT).read_text()
    (command,) = re.findall(r"ExecStart=(.*)", unit)
    assert command.endswith(f'"{data}/print-agent.pyz" "--data" "{data}"')
    assert (data / "print-agent.pyz").read_bytes() == agent_package.build()
    assert (tmp_path / "calls").read_text().splitlines() == [
        "systemctl --user daemon-reload",
        f"systemctl --user enable {autostart.UNIT}",
        f"systemctl --user restart {autostart.UNIT}",
        "loginctl enable-linger",
    ]
    assert f"RestartPreventExitStatus={EXIT_USAGE} {EXIT_PAIR_AGAIN}" in unit


def test_macos_and_windows_start_it_with_the_same_command():
    folder = Path("/Users/ay şe/.print-agent")
    program = autostart.Program(("/usr/bin/python3", f"{folder}/print-agent.pyz"), folder)
    known = plistlib.loads(autostart.plist_bytes(program))
    assert known["ProgramArguments"][:2] == list(program.command)
    assert known["RunAtLoad"] is True
    task = ET.fromstring(autostart.task_xml(program, "TILL\\a&b").partition("\n")[2])  # noqa: S314
    space = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
    assert task.findtext(".//t:Command", namespaces=space) == "/usr/bin/python3"
    assert task.findtext(".//t:LogonTrigger/t:UserId", namespaces=space) == "TILL\\a&b"
    arguments = task.findtext(".//t:Arguments", namespaces=space)
    assert arguments.startswith(f'"{folder}/print-agent.pyz" --log')


def test_the_unit_gives_up_where_a_person_is_needed():
    unit = (ROOT / "deploy" / "print_agent" / "print-agent.service").read_text()
    assert f"RestartPreventExitStatus={EXIT_USAGE} {EXIT_PAIR_AGAIN}" in unit
    (command,) = re.findall(r"ExecStart=(.*)", unit)
    guide = (ROOT / "docs" / "print-agent.md").read_text()
    assert command.split()[1] in guide
    for setting in ("SERVER", "PAIR"):
        assert f"${{{setting}}}" in command
        assert f"{setting}=" in guide


def test_it_shows_its_version(tmp_path):
    pack_into(tmp_path)
    assert runs(tmp_path, "--version").stdout.strip() == VERSION
