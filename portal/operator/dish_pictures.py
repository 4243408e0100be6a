"""Pictures of the demo's dishes: flat drawings, made when the demo is loaded."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

from PIL import Image, ImageDraw

from core.blobs import Blobs
from restaurant import photos

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
        """An ellipse around its middle; `wide` and `high` are its radii."""
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


def _breakfast() -> Picture:
    art = Picture("#f8dfb0", "#f0cd8c")
    art.plate("#e0b970")
    art.oval(40, 44, 14, 12, WHITE, 20)
    art.disc(40, 44, 6, YOLK)
    art.shape([(56, 34), (72, 38), (60, 48)], CHEESE)
    art.shape([(60, 30), (75, 33), (67, 40)], "#fbe08f")
    for x, y in ((34, 66), (41, 69), (37, 73), (45, 75)):
        art.disc(x, y, 3.4, OLIVE)
        art.disc(x - 0.8, y - 0.8, 1, "#8d9a70")
    for x, y in ((55, 66), (64, 62)):
        art.disc(x, y, 6.5, RED)
        art.disc(x, y, 5, "#ef7a63")
        art.disc(x, y, 1.6, "#f6b1a0")
    art.disc(52, 57, 2, LEAF)
    art.disc(74, 54, 5.5, STEEL)
    art.disc(74, 54, 4.2, "#d98a1c")
    return art


def _menemen() -> Picture:
    art = Picture("#f6d3c0", "#eebfa5")
    art.stick(6, 52, 94, 52, 7, "#a8592f")
    art.disc(51, 55, 37, "#dba184")
    art.disc(50, 52, 37, "#b8693c")
    art.disc(50, 52, 32, "#8d4a28")
    art.disc(50, 52, 30, RED)
    for x, y, turn in ((38, 42, 10), (60, 40, 60), (64, 60, 20), (42, 64, 80), (50, 52, 0)):
        art.oval(x, y, 9, 6, "#f8e3ad", turn)
        art.oval(x + 1, y, 4.5, 3.4, YOLK, turn)
    for x, y, turn in ((50, 38, 30), (34, 54, 70), (56, 68, 10), (68, 50, 80), (48, 60, 120)):
        art.oval(x, y, 4.6, 1.7, GREEN, turn)
    return art


def _omelette() -> Picture:
    art = Picture("#dbe8cf", "#c7dab6")
    art.plate("#adc499")
    art.slice(50, 46, 26, 5, 175, "#d99a2b")
    art.slice(50, 44.5, 26, 5, 175, CHEESE)
    art.stick(30, 50, 70, 50, 3, "#fbe3a2")
    for x, y in ((40, 58), (52, 62), (61, 56)):
        art.slice(x, y, 5, 180, 360, "#8a6a52")
        art.box(x - 1.6, y - 0.4, x + 1.6, y + 4, "#e7d8c4", 1)
    for x, y in ((38, 34), (44, 31), (50, 34), (56, 31), (62, 34)):
        art.oval(x, y, 3.6, 1.9, LEAF, x * 9)
    return art


def _toast() -> Picture:
    art = Picture("#f3d9c3", "#e8c4a5")
    art.plate("#d6a983")
    for left, top in ((26, 30), (48, 44)):
        art.box(left, top + 3, left + 28, top + 27, CRUST, 5)
        art.box(left, top, left + 28, top + 24, BREAD, 5)
        for line in (6, 13, 20):
            art.stick(left + line, top + 4, left + line, top + 20, 1.8, "#b87a34")
    art.shape([(26, 55), (36, 55), (31, 62)], CHEESE)
    for x, y in ((34, 66), (42, 70)):
        art.disc(x, y, 4.4, DARK_RED)
        art.disc(x, y, 2.2, "#c75a4c")
    for x, y in ((64, 34), (70, 38)):
        art.oval(x, y, 4.5, 2, GREEN, 35)
    return art


def _burger(cheese: bool = False) -> Picture:
    art = Picture("#cfe3ee" if not cheese else "#fbe3b0", "#b4d1e1" if not cheese else "#f4d083")
    art.oval(50, 84, 34, 4, "#9bbccf" if not cheese else "#dcb35c")
    art.box(20, 68, 80, 82, CRUST, 7)
    art.box(20, 66, 80, 78, BREAD, 6)
    art.box(17, 57, 83, 68, MEAT, 5)
    if cheese:
        art.shape([(18, 54), (82, 54), (74, 63), (66, 56), (52, 67), (40, 56), (28, 61)], CHEESE)
    art.box(20, 51, 80, 57, RED, 3)
    for x in range(19, 82, 9):
        art.disc(x, 50, 5, GREEN)
    art.slice(50, 48, 32, 180, 360, CRUST)
    art.slice(50, 47, 30, 180, 360, BREAD)
    for x, y in ((40, 28), (50, 23), (60, 28), (34, 37), (47, 35), (58, 38), (68, 36)):
        art.oval(x, y, 2, 1.2, CREAM, x)
    return art


def _cheeseburger() -> Picture:
    return _burger(cheese=True)


def _wrap() -> Picture:
    art = Picture("#d7e7d3", "#bfd8b9")
    art.plate("#a3c29c")
    for x, y in ((34, 40), (48, 56)):
        art.stick(x, y + 2, x + 22, y + 14, 19, CRUST)
        art.stick(x, y, x + 22, y + 12, 19, "#f2d9a8")
        art.oval(x - 2, y - 1, 8, 9.5, "#e2bd7d", 28)
        art.oval(x - 2, y - 1, 6.4, 7.8, MEAT, 28)
        art.oval(x - 4, y - 3, 2.6, 1.6, RED, 40)
        art.oval(x, y + 2, 3, 1.6, GREEN, 10)
        art.oval(x - 1, y - 4, 2, 1.2, "#f3e3ea", 60)
        art.oval(x + 12, y + 3, 1.6, 1, BREAD, 30)
        art.oval(x + 18, y + 9, 1.6, 1, BREAD, 30)
    return art


def _sandwich(filling: Sequence[tuple[str, float]], background: str, table: str) -> Picture:
    art = Picture(background, table)
    art.oval(50, 84, 36, 4, table)
    art.box(16, 72, 84, 83, CRUST, 5)
    art.box(16, 71, 84, 79, BREAD, 4)
    bottom = 72.0
    for colour, high in filling:
        art.box(18, bottom - high, 82, bottom, colour, min(high / 2, 3))
        bottom -= high - 0.6
    art.box(16, bottom - 17, 84, bottom, CRUST, 8)
    art.box(16, bottom - 18, 84, bottom - 3, BREAD, 8)
    for x in (28, 40, 52, 64):
        art.stick(x, bottom - 13, x + 6, bottom - 9, 1.4, "#f4d59c")
    return art


def _tuna() -> Picture:
    art = _sandwich(((GREEN, 5), ("#f3dccb", 8), ("#fbf1e6", 4), (GREEN, 4)), "#cfe7ea", "#b0d6db")
    for x, y in ((30, 61), (46, 63), (62, 60), (74, 62)):
        art.disc(x, y, 1.6, OLIVE)
    return art


def _steak_sandwich() -> Picture:
    return _sandwich(((MEAT, 9), ("#e0a43a", 3), ("#8f553c", 7)), "#f0d7cd", "#e3bdad")


def _fries() -> Picture:
    art = Picture("#fbe7a6", "#f6d878")
    for x, x2, top in ((32, 28, 26), (39, 37, 18), (46, 46, 22), (53, 55, 16), (60, 62, 23),
                       (67, 72, 28), (43, 41, 34), (57, 58, 32)):  # fmt: skip
        art.stick(x, 62, x2, top, 6.4, "#d99a2b")
        art.stick(x - 0.8, 62, x2 - 0.8, top, 4.6, YOLK)
    art.shape([(24, 48), (76, 48), (70, 88), (30, 88)], RED)
    art.slice(50, 48, 14, 0, 180, YOLK)
    for x in (34, 50, 66):
        art.shape([(x - 2.4, 64), (x + 2.4, 64), (x + 1.8, 88), (x - 1.8, 88)], "#ec7465")
    return art


def _chicken() -> Picture:
    art = Picture("#f6e0c4", "#edcda2")
    art.plate("#dbb37d")
    for x, y, turn in ((36, 40, 20), (52, 34, 80), (62, 46, 130), (40, 56, 160), (54, 62, 40)):
        art.oval(x + 0.8, y + 1.6, 9.5, 6.6, "#b5701f", turn)
        art.oval(x, y, 9.5, 6.6, "#dd9433", turn)
        art.oval(x - 2, y - 1.4, 4, 2, "#efb45b", turn)
    art.disc(69, 66, 9, STEEL)
    art.disc(69, 66, 7.4, YOLK)
    art.oval(67, 64, 2.6, 1.4, "#fbd36f", 30)
    art.oval(30, 67, 4, 2, LEAF, 30)
    art.oval(34, 71, 4, 2, GREEN, 70)
    return art


def _penne() -> Picture:
    art = Picture("#d9e0f2", "#c0cbe8")
    art.disc(51, 55, 40, "#a5b3d8")
    art.disc(50, 51, 40, "#3f5f9f")
    art.disc(50, 51, 34, "#34508a")
    art.disc(50, 51, 31, "#eab23c")
    for x, y, turn in ((38, 40, 30), (54, 36, 100), (66, 48, 60), (36, 56, 140), (52, 54, 15),
                       (62, 64, 150), (44, 68, 60), (48, 45, 70)):  # fmt: skip
        across, down = 7 * math.cos(math.radians(turn)), 7 * math.sin(math.radians(turn))
        art.stick(x - across, y - down, x + across, y + down, 6.2, "#cf9427")
        art.stick(x - across, y - down, x + across, y + down, 4.6, "#f8dd92")
        art.oval(x + across, y + down, 1.2, 1.8, "#c98d20", turn)
    for x, y in ((44, 54), (60, 54), (56, 44)):
        art.slice(x, y, 4.6, 180, 360, "#9b7659")
        art.box(x - 1.4, y - 0.4, x + 1.4, y + 3, "#eadcc8", 1)
    for x, y in ((40, 48), (52, 66), (66, 57), (34, 64)):
        art.oval(x, y, 2.6, 1.3, LEAF, x * 11)
    return art


def _glass(art: Picture, fill: str, top: float, shadow: str) -> None:
    art.oval(50, 86, 22, 3.6, shadow)
    art.shape([(30, 22), (70, 22), (65, 86), (35, 86)], GLASS)
    left = 30 + 5 * (top - 22) / 64
    art.shape([(left + 2, top), (98 - left, top), (63.2, 83), (36.8, 83)], fill)


def _ayran() -> Picture:
    art = Picture("#cfe4f5", "#aed0ec")
    art.oval(50, 86, 24, 4, "#8db8da")
    art.shape([(28, 30), (72, 30), (67, 86), (33, 86)], "#b8693c")
    art.shape([(28, 30), (40, 30), (42, 86), (33, 86)], "#cf8253")
    for y in (46, 60, 74):
        art.box(30 + (y - 30) / 11, y, 70 - (y - 30) / 11, y + 2, "#9a5530")
    for x, y, size in ((34, 29, 8), (44, 24, 9), (55, 24, 9), (66, 29, 8), (50, 30, 10)):
        art.disc(x, y, size, WHITE)
    for x, y in ((42, 25), (57, 28), (50, 20)):
        art.disc(x, y, 1.8, "#e6eef5")
    return art


def _tea() -> Picture:
    art = Picture("#f7d9cf", "#efc0b0")
    art.oval(50, 85, 34, 6, "#dba08c")
    art.oval(50, 82, 34, 6, WHITE)
    art.oval(50, 81, 22, 3.4, RED)
    art.oval(50, 80.4, 19, 2.8, WHITE)
    outline = [(34, 24), (66, 24), (62, 42), (59, 52), (64, 68), (60, 80), (40, 80), (36, 68),
               (41, 52), (38, 42)]  # fmt: skip
    art.shape(outline, GLASS)
    art.shape([(36.6, 32), (63.4, 32), (60, 43), (57, 52), (61.6, 68), (58, 77.5), (42, 77.5),
               (38.4, 68), (43, 52), (40, 43)], TEA)  # fmt: skip
    art.oval(50, 32, 13.4, 2.2, "#d5643a")
    art.stick(41, 38, 44.5, 50, 1.6, "#d98260")
    art.box(70, 74, 77, 81, WHITE, 1)
    art.box(73, 77, 80, 84, "#f3ece4", 1)
    art.steam()
    return art


def _turkish_coffee() -> Picture:
    art = Picture("#e7d9cd", "#d6c0ad")
    art.oval(46, 80, 36, 7, "#bfa48d")
    art.oval(46, 77, 36, 7, WHITE)
    art.oval(46, 76, 24, 4.2, "#3f5f9f")
    art.oval(46, 75.4, 21, 3.6, WHITE)
    art.disc(70, 54, 9, WHITE)
    art.disc(70, 54, 5.4, "#d6c0ad")
    art.box(24, 40, 68, 74, WHITE, 14)
    art.box(24, 40, 68, 54, WHITE)
    art.box(24, 52, 68, 57, "#3f5f9f")
    art.box(24, 58, 68, 59.4, "#3f5f9f")
    art.oval(46, 40, 22, 5.4, RIM)
    art.oval(46, 40, 19.6, 4.3, COFFEE)
    art.oval(44, 40, 9, 2, "#86583f")
    for left, top, colour in ((76, 68, "#ef9fb0"), (82, 74, "#f6c3cd")):
        art.box(left, top, left + 11, top + 10, colour, 1.6)
        art.box(left + 1.4, top + 1.4, left + 5, top + 3.4, WHITE, 1)
    art.steam()
    return art


def _espresso() -> Picture:
    art = Picture("#dfe5e8", "#c8d2d7")
    art.oval(50, 82, 36, 6, "#a9b8bf")
    art.oval(50, 79, 36, 6, "#0f766e")
    art.oval(50, 78, 22, 3.4, "#0b5f58")
    art.disc(72, 56, 9, "#0f766e")
    art.disc(72, 56, 5.2, "#dfe5e8")
    art.shape([(28, 40), (72, 40), (65, 76), (35, 76)], "#12897f")
    art.shape([(28, 40), (40, 40), (43, 76), (35, 76)], "#1da094")
    art.oval(50, 40, 22, 5, WHITE)
    art.oval(50, 40, 19.6, 4, COFFEE)
    art.oval(50, 40, 14, 2.6, "#b27a45")
    art.steam()
    return art


def _lemonade() -> Picture:
    art = Picture("#fdf2b8", "#f8e388")
    art.stick(60, 70, 70, 8, 2.6, RED)
    _glass(art, "#f9e27a", 32, "#e0c655")
    for x, y in ((42, 46), (56, 58), (46, 70)):
        art.box(x - 5, y - 5, x + 5, y + 5, "#fcefb4", 1.6)
    art.disc(70, 26, 13, "#e8c52c")
    art.disc(70, 26, 11.4, WHITE)
    for part in range(6):
        art.slice(70, 26, 10.4, part * 60 + 4, part * 60 + 56, "#f8dc4c")
    for x, y, turn in ((36, 24, 30), (43, 18, 80), (48, 25, 140)):
        art.oval(x, y, 6.6, 3.4, GREEN, turn)
        art.oval(x, y, 5.4, 0.6, LEAF, turn)
    return art


def _wine() -> Picture:
    art = Picture("#dcebc4", "#c6dca3")
    art.oval(50, 88, 20, 3.6, "#a9c57f")
    art.oval(50, 86.4, 18, 2.8, GLASS)
    art.box(48.6, 58, 51.4, 87, GLASS)
    art.shape([(32, 14), (68, 14), (69, 36), (31, 36)], GLASS)
    art.slice(50, 36, 19, 0, 180, GLASS)
    art.slice(50, 36, 19, 0, 180, GLASS)
    art.oval(50, 42, 19, 19, GLASS)
    art.slice(50, 40, 17.2, 0, 180, "#d9dd6a")
    art.oval(50, 40, 17.2, 3, "#e9ec9b")
    for x, y in ((44, 48), (54, 46), (50, 52)):
        art.disc(x, y, 1.1, "#f3f5c4")
    art.stick(37, 20, 36.4, 34, 1.8, WHITE)
    return art


def _fritters() -> Picture:
    art = Picture("#d3e6e3", "#b5d5d0")
    art.plate("#96bfb8")
    art.oval(61, 60, 16, 12, "#f7f1e3", 20)
    for x, y in ((54, 58), (60, 64), (66, 57), (62, 53), (70, 63), (56, 66)):
        art.oval(x, y, 2.2, 1.4, "#5b3a3a", x * 7)
    for x, y, turn in ((36, 38, 30), (50, 36, 150), (37, 54, 90)):
        art.oval(x + 0.8, y + 1.6, 10.5, 7.2, "#b5701f", turn)
        art.oval(x, y, 10.5, 7.2, GOLD, turn)
        for dx, dy in ((-4, -1), (2, 2), (4, -2)):
            art.disc(x + dx, y + dy, 1.2, LEAF if dx > 0 else "#f8dc94")
    art.slice(38, 72, 8, 180, 360, "#e8c52c")
    art.slice(38, 72, 6.4, 180, 360, "#fbeb95")
    return art


def _sardines() -> Picture:
    art = Picture("#f7dccb", "#f0c4a8")
    art.plate("#dfa682")
    for y in (36, 48, 60):
        art.shape([(70, y), (80, y - 6), (80, y + 6)], "#6f8798")
        art.oval(50, y + 1, 23, 6, "#5f7788")
        art.oval(50, y, 23, 5.4, "#8fa6b5")
        art.oval(50, y + 2, 20, 2.4, "#c9d6de")
        art.disc(32, y - 1, 1.8, WHITE)
        art.disc(32, y - 1, 1, "#22303a")
        for x in (42, 50, 58):
            art.stick(x, y - 3, x + 3, y + 2, 1.1, "#4f6474")
    for x, y, turn, colour in ((40, 72, 10, RED), (52, 74, 170, GREEN), (62, 71, 20, RED)):
        art.oval(x, y, 7, 1.8, colour, turn)
    return art


def _green_soup() -> Picture:
    art = Picture("#f2e3d5", "#e3cbb4")
    art.disc(51, 55, 40, "#cbab8d")
    art.disc(50, 51, 40, "#b5623c")
    art.disc(50, 51, 34, "#96502f")
    art.disc(50, 51, 31, "#8fb760")
    for step in range(16):
        x, y = 50 + 22 * math.cos(step * 2.4) * (step + 5) / 21, 51 + 1.4 * (step * 11 % 34 - 17)
        art.oval(x, y, 5, 1, LEAF, step * 37)
    for x, y in ((42, 44), (58, 54), (48, 63)):
        art.disc(x, y, 6, DARK_RED)
        art.disc(x, y, 4.8, "#c9584a")
        art.disc(x - 1, y - 1, 1, "#f2c4b5")
        art.disc(x + 2, y + 1, 0.9, "#f2c4b5")
    return art


def _tarts() -> Picture:
    art = Picture("#f9e3d9", "#f2cbb9")
    art.plate("#e2ad95")
    for x, y in ((39, 43), (61, 45), (49, 64)):
        art.disc(x + 0.6, y + 1.6, 13, "#b5793a")
        art.disc(x, y, 13, CRUST)
        art.disc(x, y, 11.4, BREAD)
        art.disc(x, y, 9.6, YOLK)
        for dx, dy, size in ((-3, -3, 2.6), (3, -1, 2), (-1, 4, 2.4), (4, 4, 1.5)):
            art.disc(x + dx, y + dy, size, "#9a5a22")
    art.stick(66, 66, 76, 74, 3, "#8f5a30")
    art.stick(68, 64, 78, 72, 2.4, "#a86d3d")
    return art


_DRAWINGS: dict[str, Callable[[], Picture]] = {
    "Breakfast Plate": _breakfast,
    "Menemen": _menemen,
    "Mushroom & Cheese Omelette": _omelette,
    "Ayvalik Toast": _toast,
    "Hamburger": _burger,
    "Cheeseburger": _cheeseburger,
    "Beef Wrap": _wrap,
    "Tuna Sandwich": _tuna,
    "French Fries": _fries,
    "Crispy Chicken": _chicken,
    "Curry Penne": _penne,
    "Ayran": _ayran,
    "Tea": _tea,
    "Turkish Coffee": _turkish_coffee,
    "Lemonade": _lemonade,
    "Cod Fritters": _fritters,
    "Grilled Sardines": _sardines,
    "Steak Sandwich": _steak_sandwich,
    "Green Soup": _green_soup,
    "Custard Tart": _tarts,
    "Espresso": _espresso,
    "Green Wine": _wine,
}


def keep_pictures(blobs: Blobs, tenant_id: int) -> dict[str, str]:
    """By a dish's English name: the key of its photo. Call it outside a transaction."""

    def keep(name: str) -> str:
        return photos.keep(blobs, _DRAWINGS[name]().bytes(), tenant_id)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(_DRAWINGS, pool.map(keep, _DRAWINGS), strict=True))
