"""A square canvas for the demo's dishes, and their colours."""

import math
from collections.abc import Sequence
from io import BytesIO

from PIL import Image, ImageDraw

SIDE = 440
_SMOOTH = 2  # drawn at twice the size, then reduced
_UNIT = SIDE * _SMOOTH / 100

WHITE, CREAM, RIM, STEEL = "#ffffff", "#fff8ec", "#e9e2d4", "#d5dbe1"
BREAD, CRUST, GOLD, YOLK, CHEESE = "#e8b56a", "#c98a3f", "#eab54a", "#f7b32b", "#f9cf5b"
RED, DARK_RED, GREEN, LEAF, OLIVE = "#d9483b", "#a92f2a", "#6aa84f", "#3f8a4a", "#4a5a34"
MEAT, COFFEE, TEA, GLASS = "#7a4630", "#4b2e20", "#b5441c", "#e3f0f4"


class Picture:
    """Shapes on a square of 100 by 100."""

    def __init__(self, background: str, table: str) -> None:
        side = SIDE * _SMOOTH
        self.image = Image.new("RGB", (side, side), background)
        self.draw = ImageDraw.Draw(self.image)
        self.oval(50, 118, 96, 62, table)

    def oval(
        self, x: float, y: float, wide: float, high: float, fill: str, turn: float = 0
    ) -> None:
        """An ellipse around its centre; `wide` and `high` are its radii."""
        if not turn:
            edges = (x - wide, y - high, x + wide, y + high)
            self.draw.ellipse([edge * _UNIT for edge in edges], fill=fill)
            return
        angle = math.radians(turn)
        points = []
        for step in range(48):
            at = math.tau * step / 48
            across, down = wide * math.cos(at), high * math.sin(at)
            points.append(
                (
                    x + across * math.cos(angle) - down * math.sin(angle),
                    y + across * math.sin(angle) + down * math.cos(angle),
                )
            )
        self.shape(points, fill)

    def disc(self, x: float, y: float, radius: float, fill: str) -> None:
        self.oval(x, y, radius, radius, fill)

    def box(
        self, left: float, top: float, right: float, bottom: float, fill: str, round_: float = 0
    ) -> None:
        edges = [edge * _UNIT for edge in (left, top, right, bottom)]
        self.draw.rounded_rectangle(edges, radius=round_ * _UNIT, fill=fill)

    def shape(self, points: Sequence[tuple[float, float]], fill: str) -> None:
        self.draw.polygon([(x * _UNIT, y * _UNIT) for x, y in points], fill=fill)

    def stick(self, x: float, y: float, x2: float, y2: float, thick: float, fill: str) -> None:
        """A line with round ends."""
        width = round(thick * _UNIT)
        self.draw.line([x * _UNIT, y * _UNIT, x2 * _UNIT, y2 * _UNIT], fill=fill, width=width)
        self.disc(x, y, thick / 2, fill)
        self.disc(x2, y2, thick / 2, fill)

    def slice(self, x: float, y: float, radius: float, start: float, end: float, fill: str) -> None:
        edges = (x - radius, y - radius, x + radius, y + radius)
        self.draw.pieslice([edge * _UNIT for edge in edges], start, end, fill=fill)

    def plate(self, shadow: str, fill: str = WHITE) -> None:
        self.disc(51, 54, 41, shadow)
        self.disc(50, 51, 41, fill)
        self.disc(50, 51, 31, RIM)
        self.disc(50, 51, 30, CREAM)

    def steam(self) -> None:
        for x in (42, 50, 58):
            self.stick(x, 20, x + 2, 14, 1.6, WHITE)
            self.stick(x + 2, 14, x, 8, 1.6, WHITE)

    def bytes(self) -> bytes:
        file = BytesIO()
        self.image.reduce(_SMOOTH).save(file, "PNG", compress_level=1)
        return file.getvalue()
