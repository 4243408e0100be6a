"""Folders stay small, and names are words that an engineer would search for."""

import ast
import re
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
# The same words with their usual meaning: polygons, charts, rolls of paper, files, processes.
USUAL_NAMES = {"_rings", "ring_slices", "roll", "PaperRoll", "tell", "_listen_for_signals"}
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


def retired_definitions(source):
    """Functions and classes whose names contain a retired word."""
    return [
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.name not in USUAL_NAMES
        and RETIRED_WORDS & {word.lower() for word in re.findall("[A-Z]?[a-z0-9]+", node.name)}
    ]


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


def test_no_function_or_class_has_a_retired_name():
    found = {
        file.relative_to(ROOT).as_posix(): names
        for file in python_files()
        if file.relative_to(ROOT).parts[0] not in ("migrations", "tests")
        if (names := retired_definitions(file.read_text()))
    }
    assert found == {}


def test_a_retired_function_or_class_would_be_found():
    source = "class SendDesk:\n    def _tell_news(self): ...\n    def ring_slices(self): ..."
    assert retired_definitions(source) == ["SendDesk", "_tell_news"]
