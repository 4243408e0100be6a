"""Lists as streamed files, without cells that a spreadsheet would run as formulas."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from flask import Response, stream_with_context

from core.storage import spreadsheets
from core.values.text import csv_cell

BYTE_ORDER_MARK = "\ufeff"  # without it Excel assumes a legacy code page


def csv_response(name: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Response:
    """Stream CSV. `rows` may be a generator that opens a transaction for each batch."""

    def lines() -> Iterator[str]:
        yield BYTE_ORDER_MARK + _line(columns)
        for row in rows:
            yield _line(row)

    answer = Response(stream_with_context(lines()), mimetype="text/csv")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def xlsx_answer(name: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Response:
    """A short list as an Excel workbook, built in memory."""
    answer = Response(spreadsheets.workbook(columns, rows, title=name), mimetype=spreadsheets.MIME)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.xlsx"'
    return answer


def _line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow([csv_cell(cell) for cell in cells])
    return out.getvalue()
