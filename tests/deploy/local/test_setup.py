"""`make` on a machine that lacks something, and the locks it installs from."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from core.i18n.compile import compile_translations

ROOT = Path(__file__).parents[3]
LOCKS = ("requirements.lock", "requirements-dev.lock")


def set_up(path: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "deploy/local/setup.sh"],
        cwd=ROOT,
        env={"PATH": str(path)} | env,
        capture_output=True,
        text=True,
        check=False,
    )


def a_python(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_no_python_is_one_sentence(tmp_path):
    done = set_up(tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("Comanda needs Python 3.11 or newer and found none")
    assert len(done.stderr.splitlines()) == 1


def test_an_old_or_broken_python_is_none(tmp_path):
    a_python(tmp_path, "python3", "exit 1")
    a_python(tmp_path, "python3.12", "exit 127")
    assert "found none" in set_up(tmp_path).stderr


def test_a_python_without_venv_is_one_sentence(tmp_path):
    a_python(tmp_path, "python3", 'case "$2" in *venv*) exit 1;; esac')
    done = set_up(tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("python3 cannot make virtual environments")
    assert len(done.stderr.splitlines()) == 1


def test_the_first_python_that_can_is_used(tmp_path):
    a_python(tmp_path, "python3", "exit 1")
    a_python(tmp_path, "python3.12", '[ "$1" = -c ] || echo "installs with $1"')
    assert set_up(tmp_path).stdout == "installs with deploy/local/install.py\n"
    a_python(tmp_path, "mine", '[ "$1" = -c ] || echo "mine"')
    assert set_up(tmp_path, PYTHON=str(tmp_path / "mine")).stdout == "mine\n"


def test_make_alone_shows_what_there_is():
    completed = subprocess.run(
        ["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True, env=os.environ
    ).stdout
    targets = re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"run", "test"} <= set(targets)
    assert re.findall(r"^  make ([a-z]+) +\S", completed, re.MULTILINE) == targets


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_has_a_hash_and_no_address(name):
    text = (ROOT / name).read_text()
    packages = re.split(r"\n(?=[a-z0-9])", text)
    assert len(packages) > 50
    assert [p.splitlines()[0] for p in packages if "--hash=sha256:" not in p] == []
    assert not re.search(r"://|--index|--find-links", text)


def test_what_is_tested_is_what_is_deployed():
    deployed, tested = (
        set(re.findall(r"^([a-z0-9._-]+==\S+)", (ROOT / name).read_text(), re.MULTILINE))
        for name in LOCKS
    )
    assert deployed < tested


def test_every_dependency_we_name_is_locked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    named = [*project["dependencies"], *extras["local"], *extras["dev"]]
    locked = re.findall(r"^([a-z0-9._-]+)==", (ROOT / LOCKS[1]).read_text(), re.MULTILINE)
    assert {re.match(r"[\w.-]+", line)[0].lower() for line in named} <= set(locked)


def test_translations_are_compiled_when_they_are_newer(tmp_path):
    folder = tmp_path / "tr" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    source = folder / "messages.po"
    source.write_text(
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
        'msgid "Team"\nmsgstr "Ekip"\n'
    )
    assert compile_translations(tmp_path) == [folder / "messages.mo"]
    assert b"Ekip" in (folder / "messages.mo").read_bytes()
    assert compile_translations(tmp_path) == []
    os.utime(source, (2**31, 2**31))
    assert compile_translations(tmp_path) == [folder / "messages.mo"]
