"""Star printers that poll by CloudPRNT. Their endpoint is `api/printers/cloudprnt.py`."""

from core.adapters import N_
from printing.connections.base import Connection

CLOUDPRNT = Connection(
    title=N_("Star CloudPRNT"),
    summary=N_("A Star printer that asks for its tickets by itself."),
    language="starprnt",
    profile="star",
    path="star",
    address_hint=N_("Enter it as the CloudPRNT server URL on the printer's web page."),
)
