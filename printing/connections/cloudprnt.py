"""Star printers that poll by CloudPRNT. Their endpoint is `api/printers/cloudprnt.py`."""

from core.i18n.catalogs import N_
from printing.connections.base import Connection

CLOUDPRNT = Connection(
    title=N_("Star CloudPRNT"),
    summary=N_("A Star printer that polls for its tickets."),
    language="starprnt",
    profile="star",
    path="star",
    address_hint=N_("Enter this address as the CloudPRNT server URL on the printer's web page."),
)
