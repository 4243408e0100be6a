"""An image as bits for a thermal head: eight dots per byte, 1 is black."""

from PIL import Image, ImageChops

from printing.rendering.raster import to_black_and_white


def to_bits(picture: Image.Image) -> tuple[int, int, bytes]:
    """Return bytes per row, rows, and data."""
    black = ImageChops.invert(to_black_and_white(picture).convert("L")).convert("1")
    return (black.width + 7) // 8, black.height, black.tobytes()


def low_high(number: int) -> bytes:
    return number.to_bytes(2, "little")
