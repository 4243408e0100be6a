"""Drawings of the drinks in the demo."""

from deploy.demo.restaurant.pictures.canvas import (
    COFFEE,
    GLASS,
    GREEN,
    LEAF,
    RED,
    RIM,
    TEA,
    WHITE,
    Picture,
)


def _glass(art: Picture, fill: str, top: float, shadow: str) -> None:
    art.oval(50, 86, 22, 3.6, shadow)
    art.shape([(30, 22), (70, 22), (65, 86), (35, 86)], GLASS)
    left = 30 + 5 * (top - 22) / 64
    art.shape([(left + 2, top), (98 - left, top), (63.2, 83), (36.8, 83)], fill)


def ayran() -> Picture:
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


def tea() -> Picture:
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


def turkish_coffee() -> Picture:
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


def espresso() -> Picture:
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


def lemonade() -> Picture:
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


def wine() -> Picture:
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
