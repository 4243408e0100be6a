"""Computes the positions of bars and lines for parts/report_charts.html.

Charts stretch with the page, so positions are percentages; text is placed beside the shapes.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import groupby

Number = int | float | Decimal
FormatNumber = Callable[[Number], str]


@dataclass(frozen=True)
class Bar:
    part: int
    x: float
    y: float
    wide: float
    high: float


@dataclass(frozen=True)
class Column:
    label: str
    values: tuple[str, ...]
    x: float
    wide: float
    bars: tuple[Bar, ...]
    before: str = ""
    """The value of the same day in the previous period, as text."""


@dataclass(frozen=True)
class ColumnChart:
    names: tuple[str, ...]
    columns: list[Column]
    ticks: list[tuple[float, str]]
    """From the top: the offset and the label."""
    lines: list[str] = field(default_factory=list)
    """The previous period as points; interrupted at days without a value."""
    labels: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not any(column.bars for column in self.columns)


@dataclass(frozen=True)
class Slice:
    name: str
    value: str
    percent: int
    offset: float
    length: float


@dataclass(frozen=True)
class Cell:
    day: str
    hour: int
    count: int
    tone: int
    x: float
    y: float


@dataclass(frozen=True)
class HeatMap:
    days: list[str]
    hours: list[int]
    cells: list[Cell]
    wide: float
    high: float


def column_chart(
    points: Sequence[tuple[str, Sequence[Number]]],
    names: Sequence[str],
    show: FormatNumber,
    before: Sequence[Number | None] = (),
) -> ColumnChart:
    """Stacked bars with a line for the previous period; None marks a day without a value."""
    top = _round_up(max([float(sum(values)) for _, values in points]
                    + [float(one or 0) for one in before] + [0.0]))  # fmt: skip
    slot = 100 / max(len(points), 1)
    made = []
    for place, (label, values) in enumerate(points):
        far, bars = 0.0, []
        for part, value in enumerate(values, start=1):
            high = float(value) / top * 100
            if value > 0:
                far += high
                bars.append(Bar(part, place * slot + slot * 0.16, 100 - far, slot * 0.68, high))
        earlier = before[place] if place < len(before) else None
        earlier_text = "" if earlier is None else show(earlier)
        shown = tuple(show(value) for value in values)
        made.append(Column(label, shown, place * slot, slot, tuple(bars), earlier_text))
    middles = [place * slot + slot / 2 for place in range(len(points))]
    lines = _line_segments(zip(middles, before, strict=False), top)
    return ColumnChart(
        tuple(names),
        made,
        [(100 - part * 50, show(_same_kind(points, top * part / 2))) for part in (2, 1)],
        lines if any(before) else [],
        _labels([label for label, _ in points]),
    )


def ring_slices(values: Sequence[tuple[str, Number, str]]) -> list[Slice]:
    """Slices of a ring whose total is 100, largest first."""
    whole = sum(float(value) for _, value, _ in values)
    found, offset = [], 0.0
    for name, value, words in sorted(values, key=lambda one: -one[1]):
        if not value:
            continue
        length = float(value) / whole * 100
        found.append(Slice(name, words, round(length), offset, length))
        offset += length
    return found


def heat_map(found: dict[tuple[int, int], int], weekdays: Sequence[str]) -> HeatMap | None:
    """A week by hours; hours at night without any activity are left out."""
    used = sorted({hour for (_, hour), count in found.items() if count})
    if not used:
        return None
    hours = _used_hours(used)
    top = max(found.values())
    wide, high = 100 / len(hours), 100 / 7
    cells = []
    for row, weekday in enumerate(weekdays):
        for column, hour in enumerate(hours):
            count = found.get((row + 1, hour), 0)
            tone = math.ceil(count / top * 5) if count else 0
            cells.append(Cell(weekday, hour, count, tone, column * wide, row * high))
    return HeatMap(list(weekdays), hours, cells, wide, high)


def percent_change(now: Number, before: Number) -> int | None:
    """The change in percent; None if there is nothing to compare with."""
    return round((float(now) - float(before)) / float(before) * 100) if before else None


def _used_hours(used: list[int]) -> list[int]:
    """The hours from the first to the last one used, across midnight if that is shorter."""
    gaps = [((after - hour - 1) % 24, after) for hour, after in zip(used, [*used[1:], used[0]],
                                                                    strict=True)]  # fmt: skip
    gap, first = max(gaps) if len(used) > 1 else (23, used[0])
    return [(first + number) % 24 for number in range(24 - gap)]


def _line_segments(points: Iterable[tuple[float, Number | None]], top: float) -> list[str]:
    """One path for each run of days with values; a single day becomes a dot."""
    runs = groupby(points, key=lambda one: one[1] is None)
    found = []
    for missing, run in runs:
        drawn = [f"{x:.2f},{100 - float(value or 0) / top * 100:.2f}" for x, value in run]
        if not missing:
            found.append(" ".join(drawn if len(drawn) > 1 else drawn * 2))
    return found


def _round_up(value: float) -> float:
    """The next round number above the value."""
    if value <= 4:
        return max(math.ceil(value), 1) if value == int(value) else math.ceil(value * 2) / 2
    size = 10.0 ** math.floor(math.log10(value))
    return next(float(step * size) for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
                if step * size >= value)  # fmt: skip


def _same_kind(points: Sequence[tuple[str, Sequence[Number]]], value: float) -> Number:
    """An integer for whole counts, so that the scale has no halves."""
    whole = all(isinstance(one, int) for _, values in points for one in values)
    return round(value) if whole and value == round(value) else Decimal(repr(value))


def _labels(labels: list[str]) -> list[str]:
    """As many labels as fit on a phone."""
    if len(labels) <= 7:
        return labels
    last = len(labels) - 1
    return [labels[round(last * part / 4)] for part in range(5)]
