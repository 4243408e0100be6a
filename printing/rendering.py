"""From a document to what a printer is sent. The one door of the pure part of this package."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from printing.document import Document

Language = Literal["escpos", "starprnt", "epos", "text", "png"]


@dataclass(frozen=True)
class Paper:
    """A printer as far as its bytes go."""

    language: Language = "escpos"
    profile: str = "generic"
    """A code of printing.profiles.PROFILES."""
    width_mm: int = 80
    """58 or 80"""
    code_page: str | None = None
    """As staff chose it on the strip: "cp857", or "61:cp857" with the number the printer knows it
    by; None is the profile's own choice for each line."""


@dataclass(frozen=True)
class Rendered:
    media_type: str
    data: bytes


def render(document: Document, paper: Paper) -> Rendered:
    raise NotImplementedError


def again_heading(
    paper: Paper, first_time: datetime, *, language: str = "en", time_zone: str = "UTC"
) -> bytes:
    """A REPRINT heading, without a cut: what the agent sends before a ticket that may be a copy."""
    raise NotImplementedError


def code_page_strip(paper: Paper) -> Rendered:
    """Sample text once for each page the printer may have, each under the page's choice: staff
    pick the row that reads right. The choices are `strip_choices(paper)`."""
    raise NotImplementedError


def strip_choices(paper: Paper) -> list[str]:
    """Values for Paper.code_page, as they stand on the strip: "13:cp857"."""
    raise NotImplementedError


def picture(document: Document, width_mm: int = 80) -> bytes:
    """A PNG for people: the paper as it will look."""
    raise NotImplementedError
