"""The printer languages. A new one is a module beside this one and a line in `LANGUAGES`."""

from printing.rendering.encoders.base import PrinterLanguage
from printing.rendering.encoders.epos import EPOS
from printing.rendering.encoders.escpos import ESCPOS
from printing.rendering.encoders.plain_text import PLAIN_TEXT
from printing.rendering.encoders.png import PNG
from printing.rendering.encoders.starprnt import STARPRNT

LANGUAGES: dict[str, PrinterLanguage] = {
    "escpos": ESCPOS,
    "starprnt": STARPRNT,
    "epos": EPOS,
    "text": PLAIN_TEXT,
    "png": PNG,
}
