"""Printers that a print agent at the restaurant reaches."""

from core.i18n.catalogs import N_
from printing.connections.base import Connection

AGENT = Connection(
    title=N_("Print agent"),
    summary=N_(
        "A small computer at the restaurant that prints to network, USB and serial printers."
    ),
)
