"""All QR codes are made in one place; every format has the same modules."""

import io
import re

import pytest
from PIL import Image

from core.values import qr_codes

ADDRESS = "https://comanda.example/lemar?table=12&k=Zx81"


def test_the_border_is_the_quiet_zone_around_the_code():
    bare = qr_codes.modules(ADDRESS, border=0)
    framed = qr_codes.modules(ADDRESS, border=4)
    assert len(framed) == len(bare) + 8
    assert not any(any(row) for row in framed[:4] + framed[-4:])
    assert [row[4:-4] for row in framed[4:-4]] == bare


@pytest.mark.parametrize("correction", ["low", "medium"])
def test_the_svg_path_covers_the_dark_modules_and_no_other(correction):
    rows = qr_codes.modules(ADDRESS, correction=correction, border=2)
    drawing = qr_codes.svg(ADDRESS, correction=correction, border=2)
    dark = {(x, y) for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark}
    drawn = set()
    for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", drawing):
        drawn |= {(int(x) + step, int(y)) for step in range(int(length))}
    assert drawn == dark
    assert "width" not in drawing


def test_the_png_shows_each_module_as_a_square():
    rows = qr_codes.modules(ADDRESS)
    with Image.open(io.BytesIO(qr_codes.png(ADDRESS, module_size=3))) as picture:
        grey = picture.convert("L")
    assert grey.size == (len(rows) * 3, len(rows) * 3)
    seen = [
        [grey.getpixel((x * 3 + 1, y * 3 + 1)) < 128 for x in range(len(rows))]
        for y in range(len(rows))
    ]
    assert seen == rows


def test_runs_are_groups_of_dark_modules():
    assert qr_codes.runs([False, True, True, False, True]) == [(1, 2), (4, 1)]
    assert qr_codes.runs([False, False]) == []
