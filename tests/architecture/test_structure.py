"""Folders stay small, and module names are words that an engineer would search for."""

import subprocess

import pytest

from tests.architecture.layers import ROOT

MOST_MODULES = 15
UNLIMITED = {"migrations/versions"}  # numbered, in one order
# Words that the code no longer uses; docs/glossary.md has the ones that it does.
# fmt: off
RETIRED_WORDS = {
    "asking", "asleep", "awake", "bell", "book", "bury", "desk", "doomed", "door", "doorplate",
    "doors", "ground", "handing", "hear", "hot", "insist", "judge", "keeping", "letters",
    "lanebook", "moves", "news", "papers", "plates", "praise", "ring", "rings", "roll", "rouse",
    "sheets", "shelf", "shift", "shifts", "signals", "stand_in", "telling", "together", "told",
    "troubles", "turns", "wish", "wishes", "watching",
}
# fmt: on
VAGUE_WORDS = {"common", "helper", "helpers", "manager", "misc", "util", "utils"}


def python_files():
    listed = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def crowded(files):
    """Folders with more modules than a reader takes in at a glance."""
    count = {}
    for file in files:
        if file.name != "__init__.py":
            folder = file.parent.relative_to(ROOT).as_posix()
            count[folder] = count.get(folder, 0) + 1
    return {
        folder: number
        for folder, number in count.items()
        if number > MOST_MODULES and folder not in UNLIMITED
    }


def retired(stem):
    words = set(stem.removeprefix("test_").split("_")) | {stem.removeprefix("test_")}
    return words & (RETIRED_WORDS | VAGUE_WORDS)


def test_a_folder_has_at_most_fifteen_modules():
    assert crowded(python_files()) == {}


def test_a_crowded_folder_would_be_found():
    assert crowded([ROOT / "core" / f"m{number}.py" for number in range(16)]) == {"core": 16}


def test_no_module_has_a_retired_or_vague_name():
    named = {
        file.relative_to(ROOT).as_posix(): sorted(words)
        for file in python_files()
        if not file.is_relative_to(ROOT / "migrations" / "versions")
        if (words := retired(file.stem))
    }
    assert named == {}


@pytest.mark.parametrize("stem", ["lines_book", "rings", "test_post_doors", "utils", "stand_in"])
def test_a_retired_name_would_be_found(stem):
    assert retired(stem)
