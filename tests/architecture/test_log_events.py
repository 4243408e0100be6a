"""Log events are stable texts, and the operator's page lists every warning and error."""

import ast
import re
from functools import cache

import pytest

from tests.architecture.layers import ROOT, modules

LEVELS = ("debug", "info", "warning", "error", "exception", "critical")
PAGE = ROOT / "docs" / "operations" / "log-events.md"
# `subject verb`: lower case, also for names such as Redis; no article, no sentence.
FORM = re.compile(r"[a-z][a-z0-9'/-]*( [a-z0-9'/-]+,?)+")
ARTICLES = ("a ", "an ", "the ")


@cache
def events():
    """Level and text of every log call, but those of the print agent, which logs for people."""
    found = []
    for path in modules():
        if path.parts[:2] == ("printing", "agent"):
            continue
        for node in ast.walk(ast.parse((ROOT / path).read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if node.func.attr in LEVELS and ast.unparse(node.func.value) in ("log", "self.log"):
                found.append((path, node.func.attr, node.args[0]))
    return found


def texts(argument):
    if isinstance(argument, ast.IfExp):
        return [*texts(argument.body), *texts(argument.orelse)]
    return [argument.value] if isinstance(argument, ast.Constant) else [None]


def test_every_event_is_a_fixed_text_of_subject_and_verb():
    seen = 0
    for path, _, argument in events():
        for text in texts(argument):
            assert text is not None, f"{path}:{argument.lineno} logs a computed event"
            assert FORM.fullmatch(text), f"{path}:{argument.lineno} logs {text!r}"
            assert not text.startswith(ARTICLES), f"{path}:{argument.lineno} logs {text!r}"
            seen += 1
    assert seen > 80


@pytest.mark.parametrize(
    ("heading", "levels"),
    [("Errors", {"error", "exception", "critical"}), ("Warnings", {"warning"})],
)
def test_the_page_lists_every_warning_and_error(heading, levels):
    section = PAGE.read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    listed = set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))
    logged = {
        text for _, level, argument in events() if level in levels for text in texts(argument)
    }
    warned = set()
    if heading == "Warnings":  # an event that is also an error is listed there
        errors = {
            text
            for _, level, argument in events()
            if level in ("error", "exception", "critical")
            for text in texts(argument)
        }
        warned = errors & logged
    assert listed == logged - warned
