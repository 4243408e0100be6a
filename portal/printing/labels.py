"""Reasons of printers and tickets, and names of stations, in the reader's language."""

from datetime import datetime

from flask import Flask
from flask_babel import gettext

from core.clock import parse_rfc3339
from printing.reasons import PRINTING_REASONS


def printer_reason(stored: str) -> str:
    return PRINTING_REASONS.translated(stored, gettext)


def parse_moment(text: str) -> datetime:
    return parse_rfc3339(text)


def station_name(name: str) -> str:
    """Kitchen and Bar in the reader's language; other stations as they are called."""
    return str(gettext(name))


def setup_printing_labels(app: Flask) -> None:
    app.add_template_filter(station_name, "station_name")
    app.add_template_filter(printer_reason, "printer_reason")
    app.add_template_filter(parse_moment, "moment")
