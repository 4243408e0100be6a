"""What a printer language must offer. The registry lists the languages by their code."""

from collections.abc import Callable
from dataclasses import dataclass

from printing.rendering.document import Document
from printing.rendering.paper import PaperRoll


def join_bytes(heading: bytes, samples: bytes, ending: bytes) -> bytes:
    return heading + samples + ending


@dataclass(frozen=True)
class PrinterLanguage:
    title: str
    media_type: str
    encode: Callable[[Document, PaperRoll, str | None], bytes]
    """(document, paper, the code page that staff chose)"""
    profile: str | None = "generic"
    """Used when the printer's profile lacks the language. None: every profile has it."""
    can_join: bool = True
    """Bytes sent after bytes make one ticket; XML and pictures do not."""
    page_row: Callable[[str, tuple[str, int], PaperRoll], bytes] | None = None
    """(text, code page, paper): one line of the code-page strip. None: it has no code pages."""
    join_samples: Callable[[bytes, bytes, bytes], bytes] = join_bytes
    """(heading, lines of the strip, ending): the strip."""
    by_agent: bool = True
    """Offered for printers behind an agent."""
