"""A printer profile with its paper: width, columns and usable code pages."""

from dataclasses import dataclass
from functools import cached_property

from printing.rendering import raster
from printing.rendering.layout import Row
from printing.rendering.profiles import Profile, UnsupportedFormat, can_write, code_pages, profile
from printing.rendering.text import transliterate


@dataclass(frozen=True)
class PaperRoll:
    profile: Profile
    width_mm: int
    pages: tuple[tuple[str, int], ...]
    right_to_left: bool = False

    @classmethod
    def of(
        cls, code: str, width_mm: int, code_page: str | None, right_to_left: bool = False
    ) -> "PaperRoll":
        known = profile(code)
        if width_mm not in known.dots:
            raise UnsupportedFormat(f"paper is 58 or 80 mm wide, not {width_mm}")
        return cls(known, width_mm, code_pages(known, code_page), right_to_left)

    @property
    def columns(self) -> int:
        return self.profile.columns[self.width_mm]

    @cached_property
    def sheet(self) -> raster.RasterPage:
        dots = self.profile.dots[self.width_mm]
        return raster.RasterPage(dots, self.columns, self.right_to_left)

    def write(self, text: str) -> str:
        """Replace letters that none of its code pages has."""
        return transliterate(
            text, lambda char: any(can_write(page, char) for page, _ in self.pages)
        )

    def page_for(self, row: Row) -> tuple[str, int] | None:
        """Return the code page for a line; None if the line has to be drawn."""
        if self.right_to_left:
            return None
        text = row.lead + row.text + row.end
        return next((pair for pair in self.pages if can_write(pair[0], text)), None)
