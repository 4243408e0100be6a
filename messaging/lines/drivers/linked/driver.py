"""A linked phone: its host (`jobs/linked/`) holds the session and sends."""

from core.i18n.catalogs import N_
from messaging.lines.drivers.base import LineDriver

LINKED = LineDriver(
    title=N_("Linked phone"),
    simulated_title=N_("Linked phone (simulated)"),
    send=None,
    has_sessions=True,
)
