"""Printers that a print agent at the restaurant reaches."""

from core.adapters import N_
from printing.connections.base import Connection

AGENT = Connection(
    title=N_("Print agent"),
    summary=N_("A small computer at the restaurant reaches network, USB and serial printers."),
)
