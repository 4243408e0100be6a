"""Lay out a document for a number of columns: from parts to rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import singledispatchmethod

from printing.rendering.document import (
    Align,
    Band,
    Columns,
    Cut,
    Document,
    Heading,
    Item,
    LargeText,
    Note,
    Option,
    Part,
    Qr,
    Removal,
    Rule,
    Space,
    TextLine,
    Total,
)
from printing.rendering.text import column_width, printable, wrap

LARGEST = 5
NARROW = 36
"""With fewer columns, double width would break every second word."""
LONGEST_CODE = 700


@dataclass(frozen=True)
class Row:
    """One printed line: indentation, text, and the text at the far edge."""

    text: str
    lead: str = ""
    end: str = ""
    wide: int = 1
    high: int = 1
    bold: bool = False
    inverse: bool = False
    align: Align = "left"

    def filled(self, columns: int) -> str:
        """Return the text with `end` moved to the edge."""
        space = columns // self.wide - column_width(self.lead)
        if self.end:
            gap = max(
                space - column_width(self.text) - column_width(self.end), 1 if self.text else 0
            )
            return self.text + " " * gap + self.end
        return self.text


@dataclass(frozen=True)
class RuleRow:
    double: bool = False


@dataclass(frozen=True)
class SpaceRow:
    lines: int = 1


@dataclass(frozen=True)
class GapRow:
    """Less than a line: separates two black bands."""

    dots: int = 10


@dataclass(frozen=True)
class QrRow:
    text: str


@dataclass(frozen=True)
class CutRow:
    pass


AnyRow = Row | RuleRow | SpaceRow | GapRow | QrRow | CutRow


def layout_rows(
    document: Document, columns: int, write: Callable[[str], str] = lambda text: text
) -> list[AnyRow]:
    """Return the rows. `write` replaces letters that the printer lacks, before measuring."""
    setter = _Layout(columns, write)
    return [row for part in document.parts for row in setter.rows(part)]


class _Layout:
    def __init__(self, columns: int, write: Callable[[str], str]) -> None:
        self.columns = columns
        self.write = write
        self.double = 1 if columns < NARROW else 2

    def clean(self, text: str) -> str:
        return self.write(printable(text))

    @singledispatchmethod
    def rows(self, part: Part) -> Iterator[AnyRow]:
        raise TypeError(f"no such part: {part!r}")

    @rows.register
    def _(self, part: Heading) -> Iterator[AnyRow]:
        for line in wrap(self.clean(part.text), self.columns // 2):
            yield Row(line, wide=2, high=2, bold=True, align="center")

    @rows.register
    def _(self, part: LargeText) -> Iterator[AnyRow]:
        text = self.clean(part.text)
        size = max(2, min(LARGEST, self.columns // max(column_width(text), 1)))
        for line in wrap(text, self.columns // size):
            yield Row(line, wide=size, high=size, bold=True, align="center")

    @rows.register
    def _(self, part: TextLine) -> Iterator[AnyRow]:
        for line in wrap(self.clean(part.text), self.columns):
            yield Row(line, bold=part.bold, align=part.align)

    @rows.register
    def _(self, part: Item) -> Iterator[AnyRow]:
        size, high = (self.double, 2) if part.large else (1, 1)
        many = f"{part.quantity} × " if part.large else f"{part.quantity} "
        many = self.write(many)
        amount = self.clean(part.amount)
        space = self.columns // size - len(many)
        short = space - column_width(amount) - 1 if amount else space
        first, *more = wrap(self.clean(part.text), max(short, 1))
        yield Row(many + first, end=amount, wide=size, high=high, bold=part.large)
        for line in more:
            yield Row(line, " " * len(many), wide=size, high=high, bold=part.large)

    @rows.register
    def _(self, part: Option) -> Iterator[AnyRow]:
        yield from self._under(part.text, "+ ", part.large, bold=part.large)

    @rows.register
    def _(self, part: Note) -> Iterator[AnyRow]:
        yield from self._under(part.text, "> ", part.large, bold=True)

    def _under(self, text: str, mark: str, large: bool, bold: bool = False) -> Iterator[AnyRow]:
        indent = 4 if large else 2
        high = 2 if large else 1
        lines = wrap(self.clean(text), self.columns - indent - len(mark))
        for number, line in enumerate(lines):
            marked = (mark if number == 0 else " " * len(mark)) + line
            yield Row(marked, " " * indent, high=high, bold=bold)

    @rows.register
    def _(self, part: Removal) -> Iterator[AnyRow]:
        indent, high = (4, 2) if part.large else (2, 1)
        for line in wrap(self.clean(part.text), self.columns - indent - 2):
            yield Row(f" {line} ", " " * indent, high=high, bold=True, inverse=True)

    @rows.register
    def _(self, part: Band) -> Iterator[AnyRow]:
        size, high = (self.double, 2) if part.large else (1, 1)
        space = self.columns // size
        for line in wrap(self.clean(part.text), space - 2):
            left = (space - column_width(line)) // 2
            filled = " " * left + line + " " * (space - column_width(line) - left)
            yield Row(filled, wide=size, high=high, bold=True, inverse=True)
        yield GapRow()

    @rows.register
    def _(self, part: Columns) -> Iterator[AnyRow]:
        yield from self._edges(part.left, part.right, 1, 1, part.bold)

    @rows.register
    def _(self, part: Total) -> Iterator[AnyRow]:
        left, right = self.clean(part.left), self.clean(part.right)
        wide = 2 if column_width(left) + column_width(right) + 1 <= self.columns // 2 else 1
        yield from self._edges(part.left, part.right, wide, 2, bold=True)

    def _edges(self, left: str, right: str, wide: int, high: int, bold: bool) -> Iterator[AnyRow]:
        left, right = self.clean(left), self.clean(right)
        space = self.columns // wide
        if column_width(left) + column_width(right) + 1 <= space:
            yield Row(left, end=right, wide=wide, high=high, bold=bold)
            return
        *above, last = wrap(left, space)
        for line in above:
            yield Row(line, wide=wide, high=high, bold=bold)
        if column_width(last) + column_width(right) + 1 <= space:
            yield Row(last, end=right, wide=wide, high=high, bold=bold)
            return
        yield Row(last, wide=wide, high=high, bold=bold)
        for line in wrap(right, space):
            yield Row("", end=line, wide=wide, high=high, bold=bold)

    @rows.register
    def _(self, part: Rule) -> Iterator[AnyRow]:
        yield RuleRow(part.double)

    @rows.register
    def _(self, part: Space) -> Iterator[AnyRow]:
        yield SpaceRow(max(1, min(part.lines, 8)))

    @rows.register
    def _(self, part: Qr) -> Iterator[AnyRow]:
        text = printable(part.text, LONGEST_CODE)
        if text:
            yield QrRow(text)

    @rows.register
    def _(self, _part: Cut) -> Iterator[AnyRow]:
        yield CutRow()
