"""States and messages of printers and agents in the reader's language."""

from datetime import datetime

from flask import Flask
from flask_babel import gettext

from core.clock import parse_rfc3339

N_ = str  # collected for translation here, translated where it is shown
MESSAGES = (
    N_("Its print agent was removed."),
    N_("Its print agent does not answer."),
    N_("It does not ask for its tickets."),
    N_("No word came back about this ticket."),
    N_("The printer did not take it in time."),
    N_("The printer says that it is offline."),
    N_("Called off: the other printer has printed this ticket."),
)
RENDER_FAILED = N_("This ticket could not be made ready for the printer:")


def printer_message(text: str) -> str:
    if text in MESSAGES:
        return str(gettext(text))
    if text.startswith(RENDER_FAILED):
        return f"{gettext(RENDER_FAILED)}{text.removeprefix(RENDER_FAILED)}"
    return text


def parse_moment(text: str) -> datetime:
    return parse_rfc3339(text)


def station_name(name: str) -> str:
    """Kitchen and Bar in the reader's language; other names unchanged."""
    return str(gettext(name))


def setup_printing_labels(app: Flask) -> None:
    app.add_template_filter(station_name, "station_name")
    app.add_template_filter(printer_message, "printer_words")
    app.add_template_filter(parse_moment, "moment")
