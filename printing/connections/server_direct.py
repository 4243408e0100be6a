"""Epson printers that poll by Server Direct Print: endpoint `api/printers/server_direct.py`."""

from core.adapters import N_
from printing.connections.base import Connection

SERVER_DIRECT = Connection(
    title=N_("Epson Server Direct Print"),
    summary=N_("An Epson printer that asks for its tickets by itself."),
    language="epos",
    path="epson",
    address_hint=N_("Enter it as the Server Direct Print URL in the printer's web configuration."),
)
