"""Uploaded images are re-encoded within a fixed amount of memory."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from time import sleep

import pytest
from PIL import Image

from core.errors import TryAgain
from core.storage import images
from core.storage.images import TooManyPixels, UnreadableImage, make_preview, reencode_image

# Converts the files named on the command line at once, and prints the memory used.
MEASURED = """
import resource, sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from PIL import Image
from core.storage.images import UnreadableImage, make_preview, reencode_image

small = BytesIO()
Image.new("RGB", (64, 64)).save(small, "JPEG")
reencode_image(BytesIO(small.getvalue()), 32)
make_preview(BytesIO(small.getvalue()), 32)

def draw(name):
    large = lambda file: reencode_image(file, 2560)
    small = lambda file: reencode_image(file, 960, "WEBP")
    for way in (large, small, make_preview):
        try:
            with open(name, "rb") as file:
                way(BytesIO(file.read()))
        except UnreadableImage as why:
            outcomes.append(str(why))
        else:
            outcomes.append("drawn")

outcomes = []
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with ThreadPoolExecutor(8) as hands:
    list(hands.map(draw, sys.argv[1:]))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, set(outcomes))
"""


def megabytes(*files) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, files)],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    taken, _, outcomes = done.stdout.partition(" ")
    return int(taken), outcomes


def saved(path, mode, size, kind, **options):
    Image.new(mode, size).save(path, kind, **options)
    return path


def test_four_large_palette_pictures_cost_little_together(tmp_path):
    """Decoded at full size, a file of 7 KB takes 620 MB, and four at once 2.7 GB."""
    file = saved(tmp_path / "wide.png", "P", (7740, 7740), "PNG", optimize=True)
    assert file.stat().st_size < 100_000
    taken, outcomes = megabytes(file, file, file, file)
    assert taken < 200
    assert "too many pixels" in outcomes


@pytest.mark.parametrize(
    ("mode", "size", "kind", "options", "drawn"),
    [
        ("P", (4000, 4000), "PNG", {"transparency": 0}, True),
        ("RGBA", (4000, 4000), "PNG", {}, True),
        ("RGBA", (20000, 800), "PNG", {}, True),
        ("RGB", (16_000_000, 1), "PNG", {}, False),
        ("RGBA", (2000, 2000), "WEBP", {"lossless": True, "method": 0}, True),
        ("RGB", (4000, 3000), "WEBP", {"method": 0}, False),
        ("RGB", (5712, 4284), "JPEG", {}, True),  # the size that phones use today
        ("RGB", (8000, 8000), "JPEG", {"progressive": True, "subsampling": 0}, False),
        ("RGB", (12000, 12000), "JPEG", {}, False),
    ],
)  # fmt: skip
def test_no_upload_takes_more_than_100_megabytes(tmp_path, mode, size, kind, options, drawn):
    """For every format, mode and shape."""
    file = saved(tmp_path / "picture", mode, size, kind, **options)
    taken, outcomes = megabytes(file)
    assert taken < 100
    assert outcomes.strip() == ("{'drawn'}" if drawn else "{'the picture has too many pixels'}")


def as_file(picture, kind="PNG", **options):
    out = BytesIO()
    picture.save(out, kind, **options)
    return BytesIO(out.getvalue())


def test_a_jpeg_with_a_scan_for_each_colour_is_not_taken_for_a_small_one():
    """libjpeg keeps all of it in memory at any requested size."""
    plain = as_file(Image.new("RGB", (64, 64)), "JPEG")
    assert images._is_one_scan(plain)
    body = plain.getvalue()
    at = body.index(b"\xff\xda")
    one_colour = body[:at] + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" + body[at + 14 :]
    assert not images._is_one_scan(BytesIO(one_colour))
    assert not images._is_one_scan(as_file(Image.new("RGB", (64, 64)), "JPEG", progressive=True))


def test_a_picture_is_put_upright_and_its_clear_parts_become_white():
    exif = Image.Exif()
    exif[images.ORIENTATION] = 6
    drawn = Image.open(BytesIO(reencode_image(as_file(Image.new("RGBA", (80, 40)), exif=exif), 40)))
    assert (drawn.mode, drawn.size) == ("RGB", (20, 40))
    assert min(drawn.getpixel((10, 20))) > 250
    small, mime_type = make_preview(as_file(Image.new("RGBA", (80, 40))))
    assert (mime_type, Image.open(BytesIO(small)).getpixel((1, 1))) == ("image/png", (0, 0, 0, 0))


def test_bands_leave_no_seam(monkeypatch):
    slope = Image.linear_gradient("L").resize((900, 900)).convert("RGB")
    whole = reencode_image(as_file(slope), 300)
    monkeypatch.setattr(images, "BAND_PIXELS", 1)
    assert reencode_image(as_file(slope), 300) == whole


def test_what_cannot_be_read_is_no_picture():
    for body in (b"", b"\x89PNG\r\n broken", b"<svg/>", b"BM" + bytes(60)):
        with pytest.raises(UnreadableImage):
            reencode_image(BytesIO(body), 100)
    with pytest.raises(TooManyPixels):
        reencode_image(as_file(Image.new("1", (4001, 4000))), 100)


def test_only_two_pictures_are_drawn_at_the_same_time(monkeypatch):
    busy, most = [], []

    def slow(*_args, **_options):
        busy.append(1)
        most.append(len(busy))
        sleep(0.02)
        busy.pop()
        return Image.new("RGB", (1, 1))

    monkeypatch.setattr(images, "_small", slow)
    with ThreadPoolExecutor(8) as hands:
        list(hands.map(lambda _: reencode_image(BytesIO(), 1), range(8)))
    assert max(most) == images._decoding.at_once
    monkeypatch.setattr(images._decoding, "seconds", 0)
    with images._decoding_slot(), images._decoding_slot(), pytest.raises(TryAgain):
        reencode_image(BytesIO(), 1)
