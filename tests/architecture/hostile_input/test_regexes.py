"""No regular expression takes more than linear time, whatever a stranger sends."""

import re
import time
from heapq import nlargest
from itertools import islice
from typing import Any

import pytest

from tests.architecture.hostile_input.regexes import (
    FoundPattern,
    constants_of_modules,
    every_pattern,
    hostile_texts,
)

SHORT, LONG = 4_096, 65_536  # the longest text that the app accepts from a person
SECONDS = 0.010
SHORT_SECONDS = 0.020  # a linear pattern needs a tenth of it even on a busy machine
CLEARLY_TOO_LONG = 10 * SHORT_SECONDS  # in processor time no disturbance adds that much
MEASURED_AGAIN = 10  # of the short texts: one measurement may be too high
MOST_TIMES = 4 * LONG // SHORT  # a linear pattern takes 16 times as long, a quadratic one 256 times


def seconds(pattern: re.Pattern[Any], way: str, text: Any, times: int = 3) -> float:
    """The best of several times, in processor time, so that a busy machine does not matter."""
    method = getattr(pattern, way)
    given = (text[:0], text) if way == "sub" else (text,)
    best = float("inf")
    for _ in range(times):
        began = time.thread_time()
        method(*given)
        best = min(best, time.thread_time() - began)
        if not SECONDS / 100 < best < CLEARLY_TOO_LONG:
            break
    return best


def fault(pattern: re.Pattern[Any], way: str) -> str:
    """Empty when the pattern is linear. Finds the worst short text, then makes it long."""
    once = []
    for number, text in enumerate(hostile_texts(pattern, SHORT)):
        took = seconds(pattern, way, text, times=1)
        if SHORT_SECONDS < took < CLEARLY_TOO_LONG:
            took = seconds(pattern, way, text)
        if took > SHORT_SECONDS:
            return f"{way}: {took * 1000:.0f} ms for {SHORT} characters, {text[:30]!r}…"
        once.append((took, number))
    slowest = {number for _, number in nlargest(MEASURED_AGAIN, once)}
    worst, place = max(
        (seconds(pattern, way, text), number)
        for number, text in enumerate(hostile_texts(pattern, SHORT))
        if number in slowest
    )
    text = next(islice(hostile_texts(pattern, LONG), place, None))
    took = seconds(pattern, way, text)
    if took > SECONDS and took > MOST_TIMES * worst:
        return f"{way}: {took * 1000:.0f} ms for {LONG} characters, {text[:30]!r}…"
    return ""


def test_every_regular_expression_is_linear():
    found, _ = every_pattern()
    assert len(found) > 100
    faults = [
        f"{one.place} {one.pattern.pattern[:60]!r} {why}"
        for one in found
        for way in sorted(one.ways)
        if (why := fault(one.pattern, way))
    ]
    assert not faults, "\n" + "\n".join(faults)


def test_every_regular_expression_can_be_known_before_the_code_runs():
    found, unknown = every_pattern()
    assert not unknown
    known = {one.pattern.pattern for one in found}
    assert not [place for place, one in constants_of_modules() if one.pattern not in known]


@pytest.mark.parametrize(
    ("pattern", "way"),
    [
        (r"#\s*(\w{4})\s*[-–— ]?\s*(\w{4})\b", "search"),
        (r"\s*([0-9]{1,2})\s*[x×*]\s*(.+?)\s*(?::[^:]*)?", "fullmatch"),
        (r"\[([^\]]*)\]", "sub"),
        (r"\{\{(.*?)\}\}", "sub"),
        (r"\s*\s*x", "match"),
    ],
)
def test_a_slow_one_is_found(pattern, way):
    assert fault(re.compile(pattern), way)


def test_how_a_pattern_is_used_is_known():
    found, _ = every_pattern()
    used: dict[str, FoundPattern] = {one.place.split(":")[0]: one for one in found}
    assert used["restaurant/sites/hours.py"].ways == {"fullmatch"}
