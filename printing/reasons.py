"""Why a printer does not work or a ticket was not printed: codes, and the sentence of each."""

from core.values.reasons import ReasonSentences, encode_other, encode_reason
from core.values.text import one_line

N_ = str  # collected for translation here, translated where it is shown

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
        AGENT_REMOVED: N_("Its print agent was removed."),
        AGENT_SILENT: N_("Its print agent does not answer."),
        PRINTER_SILENT: N_("It does not ask for its tickets."),
        NO_RESULT: N_("No word came back about this ticket."),
        NOT_TAKEN: N_("The printer did not take it in time."),
        REPORTED_OFFLINE: N_("The printer says that it is offline."),
        PRINTED_ELSEWHERE: N_("Called off: the other printer has printed this ticket."),
        RENDER_FAILED: N_("This ticket could not be made ready for the printer:"),
    }
)


def render_failed(error: Exception) -> str:
    return encode_reason(RENDER_FAILED, detail=type(error).__name__)


def device_text(text: str) -> str:
    """The words of a printer or an agent, as they came."""
    return encode_other(one_line(text, 200))
