"""QR codes as rows of modules, as an SVG picture or as a PNG picture.

Every QR code on a screen, a sheet of table codes or a ticket is made here.
"""

from io import BytesIO
from typing import Literal

import qrcode
from PIL import Image

Correction = Literal["low", "medium"]
LEVELS = {
    "low": qrcode.constants.ERROR_CORRECT_L,
    "medium": qrcode.constants.ERROR_CORRECT_M,
}
QUIET_ZONE = 4  # modules; the standard asks for four around a printed code


def modules(
    text: str, *, correction: Correction = "medium", border: int = QUIET_ZONE
) -> list[list[bool]]:
    """The rows of the code, True for a dark module.

    Low correction makes a smaller code and is enough for a screen. Medium correction still reads
    after a scratch or a stain.
    """
    code = qrcode.QRCode(error_correction=LEVELS[correction], border=border)
    code.add_data(text)
    code.make(fit=True)
    return [[bool(dark) for dark in row] for row in code.get_matrix()]


def svg(
    text: str,
    *,
    correction: Correction = "medium",
    border: int = QUIET_ZONE,
    module_size: int | None = None,
) -> str:
    """An SVG element with one dark path on white.

    It fills its container; with `module_size` it has a size of its own and is a whole file.
    """
    rows = modules(text, correction=correction, border=border)
    side = len(rows)
    size = f' width="{side * module_size}" height="{side * module_size}"' if module_size else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{size} viewBox="0 0 {side} {side}"'
        f' shape-rendering="crispEdges"><path fill="#fff" d="M0 0h{side}v{side}H0z"/>'
        f'<path d="{_path(rows)}"/></svg>'
    )


def png(
    text: str, *, correction: Correction = "medium", border: int = QUIET_ZONE, module_size: int
) -> bytes:
    rows = modules(text, correction=correction, border=border)
    side = len(rows)
    picture = Image.new("1", (side, side))
    picture.putdata([0 if dark else 1 for row in rows for dark in row])
    out = BytesIO()
    enlarged = (side * module_size, side * module_size)
    picture.resize(enlarged, Image.Resampling.NEAREST).save(out, "PNG", optimize=True)
    return out.getvalue()


def runs(row: list[bool]) -> list[tuple[int, int]]:
    """Start and length of each group of dark modules in a row."""
    found = []
    start = None
    for at, dark in enumerate([*row, False]):
        if dark and start is None:
            start = at
        elif not dark and start is not None:
            found.append((start, at - start))
            start = None
    return found


def _path(rows: list[list[bool]]) -> str:
    return "".join(
        f"M{start} {y}h{length}v1h-{length}z"
        for y, row in enumerate(rows)
        for start, length in runs(row)
    )
