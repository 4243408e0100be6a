"""Drawings of what the demo's kitchens make."""

import math
from collections.abc import Sequence

from deploy.demo.restaurant.pictures.canvas import (
    BREAD,
    CHEESE,
    CREAM,
    CRUST,
    DARK_RED,
    GOLD,
    GREEN,
    LEAF,
    MEAT,
    OLIVE,
    RED,
    STEEL,
    WHITE,
    YOLK,
    Picture,
)


def breakfast() -> Picture:
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


def menemen() -> Picture:
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


def omelette() -> Picture:
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


def toast() -> Picture:
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


def burger(cheese: bool = False) -> Picture:
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


def cheeseburger() -> Picture:
    return burger(cheese=True)


def wrap() -> Picture:
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


def tuna() -> Picture:
    art = _sandwich(((GREEN, 5), ("#f3dccb", 8), ("#fbf1e6", 4), (GREEN, 4)), "#cfe7ea", "#b0d6db")
    for x, y in ((30, 61), (46, 63), (62, 60), (74, 62)):
        art.disc(x, y, 1.6, OLIVE)
    return art


def steak_sandwich() -> Picture:
    return _sandwich(((MEAT, 9), ("#e0a43a", 3), ("#8f553c", 7)), "#f0d7cd", "#e3bdad")


def fries() -> Picture:
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


def chicken() -> Picture:
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


def penne() -> Picture:
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


def fritters() -> Picture:
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


def sardines() -> Picture:
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


def green_soup() -> Picture:
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


def tarts() -> Picture:
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
