"""Why a printer does not work or a ticket was not printed: codes, and the sentence of each."""

from core.i18n.catalogs import N_
from core.values.reasons import ReasonSentences, encode_other, encode_reason
from core.values.text import one_line

AGENT_REMOVED = "agent_removed"
AGENT_SILENT = "agent_silent"
PRINTER_SILENT = "printer_silent"
NO_RESULT = "no_result"
NOT_TAKEN = "not_taken"
REPORTED_OFFLINE = "reported_offline"
PRINTED_ELSEWHERE = "printed_elsewhere"
RENDER_FAILED = "render_failed"

PRINTING_REASONS = ReasonSentences(
    {
        AGENT_REMOVED: N_("The print agent for this printer was deleted."),
        AGENT_SILENT: N_("The print agent is not responding."),
        PRINTER_SILENT: N_("The printer is not fetching its tickets."),
        NO_RESULT: N_("Printing was not confirmed for this ticket."),
        NOT_TAKEN: N_("The printer did not accept the ticket in time."),
        REPORTED_OFFLINE: N_("The printer reports that it is offline."),
        PRINTED_ELSEWHERE: N_("Cancelled: another printer has printed this ticket."),
        RENDER_FAILED: N_("This ticket could not be prepared for the printer:"),
    }
)


def render_failed(error: Exception) -> str:
    return encode_reason(RENDER_FAILED, detail=type(error).__name__)


def device_text(text: str) -> str:
    """The words of a printer or an agent, as they came."""
    return encode_other(one_line(text, 200))
