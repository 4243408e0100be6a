"""A generated photo: a sky, a sun and a hill, slightly different each time."""

import os
import struct
import zlib

WIDTH, HEIGHT = 320, 240


def sample_png() -> bytes:
    """Return a PNG, encoded here: an image with three colours needs no library."""
    light, across, high, tilt = os.urandom(4)
    hue, slope = light / 255, tilt / 425 - 0.3
    sun = 60 + across * (WIDTH - 120) // 255, 40 + high * 60 // 255
    rows = bytearray()
    for y in range(HEIGHT):
        rows.append(0)  # no filter
        fade = y / HEIGHT
        sky = (int(120 + 110 * hue), int(150 + 60 * fade), int(230 - 90 * fade))
        hill = (40, int(110 + 50 * hue), 70)
        for x in range(WIDTH):
            if y > 160 + slope * (x - WIDTH / 2):
                rows.extend(hill)
            elif (x - sun[0]) ** 2 + (y - sun[1]) ** 2 < 28**2:
                rows.extend((250, 214, 110))
            else:
                rows.extend(sky)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(bytes(rows), 6))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
