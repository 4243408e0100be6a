"""CSV and Excel files as answers. No cell is one that a spreadsheet would run as a formula."""

from collections.abc import Iterable, Iterator, Sequence

from flask import Response, stream_with_context

from core.storage import spreadsheets
from core.values.text import csv_lines

BYTE_ORDER_MARK = "\ufeff"  # without it Excel reads the file in an old code page


def csv_response(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Response:
    """Stream a file. `rows` may be a generator that opens a transaction for each batch."""

    def lines() -> Iterator[str]:
        yield BYTE_ORDER_MARK + csv_lines([columns])
        for row in rows:
            yield csv_lines([row])

    answer = Response(stream_with_context(lines()), mimetype="text/csv")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def xlsx_answer(name: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Response:
    """A short list as an Excel workbook, made in memory."""
    answer = Response(spreadsheets.workbook(columns, rows, title=name), mimetype=spreadsheets.MIME)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.xlsx"'
    return answer
