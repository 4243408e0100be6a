"""Epson printers that poll by Server Direct Print: endpoint `api/printers/server_direct.py`."""

from core.i18n.catalogs import N_
from printing.connections.base import Connection

SERVER_DIRECT = Connection(
    title=N_("Epson Server Direct Print"),
    summary=N_("An Epson printer that polls for its tickets."),
    language="epos",
    path="epson",
    address_hint=N_(
        "Enter this address as the Server Direct Print URL in the printer's web settings."
    ),
)
