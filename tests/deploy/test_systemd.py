"""The units start what exists, in a cage, and systemd understands them where there is one."""

import importlib.util
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
INSTALLED = "/opt/comanda/current"


def keys_of(unit: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for line in unit.read_text().splitlines():
        if line and line[0] not in "#[":
            name, _, value = line.partition("=")
            found[name].append(value)
    return found


def test_every_process_has_a_unit() -> None:
    names = {unit.name for unit in UNITS}
    assert names == {
        "comanda-web.service",
        "comanda-worker@.service",
        "comanda-scheduler.service",
        "comanda-linked-host@.service",
        "comanda-live.service",
        "comanda-migrate.service",
    }


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_it_runs_in_a_cage(unit: Path) -> None:
    keys = keys_of(unit)
    assert keys["User"] == ["comanda"]
    for name in ("NoNewPrivileges", "PrivateTmp", "ProtectHome", "RestrictNamespaces"):
        assert keys[name] == ["yes"], name
    assert keys["ProtectSystem"] == ["strict"]
    assert keys["CapabilityBoundingSet"] == [""]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_what_it_starts_exists(unit: Path) -> None:
    program, *arguments = keys_of(unit)["ExecStart"][0].split()
    assert program.startswith(f"{INSTALLED}/.venv/bin/")
    if arguments[0] == "-m":
        assert importlib.util.find_spec(arguments[1])
    else:
        assert (Path(sys.executable).parent / Path(program).name).is_file()
    for place in keys_of(unit)["EnvironmentFile"] + keys_of(unit)["Documentation"]:
        place = place.replace("worker-%i", "worker-1").removeprefix("-/opt")
        place = f"/opt{place}" if place.startswith("/comanda/current") else place
        inside = place.removeprefix("file://").removeprefix(f"{INSTALLED}/")
        assert inside.startswith(("/etc/", "-/etc/")) or (ROOT / inside).is_file(), place


def test_only_the_migration_knows_the_owner() -> None:
    readers = [unit.name for unit in UNITS if "migrate.env" in unit.read_text()]
    assert readers == ["comanda-migrate.service"]


def test_only_the_hosts_know_the_sessions() -> None:
    readers = [unit.name for unit in UNITS if "linked.env" in unit.read_text()]
    assert readers == ["comanda-linked-host@.service"]


def test_the_operators_command_is_shell() -> None:
    script = ROOT / "deploy" / "systemd" / "comanda"
    assert subprocess.run(["sh", "-n", script], check=False).returncode == 0


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_understands_them(tmp_path: Path) -> None:
    bin_folder = str(Path(sys.executable).parent)
    for unit in UNITS:
        text = unit.read_text().replace(f"{INSTALLED}/.venv/bin", bin_folder)
        (tmp_path / unit.name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *sorted(map(str, tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        check=False,
    )
    complaints = [line for line in done.stderr.splitlines() if "comanda" in line]
    assert not complaints
    assert done.returncode == 0, done.stderr
