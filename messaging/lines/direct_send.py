"""Direct Send: utility messages outside the 24-hour window without a template of one's own.

WhatsApp enables it for some accounts. A person switches it on for a line; what the network answers
switches it off again for the whole account.
"""

from typing import Any

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.logs import logger
from core.values.reasons import reason_code
from messaging import refusal_reasons
from messaging.lines import repository as line_repository
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Line
from tenants import audit

CONTENT_KEY, CATEGORY = "direct_send", "utility"
ON, OFF = "on", "off"
DIRECT_SEND_STATES = (OFF, ON, "not_enabled", "blocked", "limited")
KINDS = frozenset({"text", "buttons", "link_button"})
_STATES_BY_REASON = {
    refusal_reasons.DIRECT_SEND_NOT_ENABLED: "not_enabled",
    refusal_reasons.DIRECT_SEND_BLOCKED: "blocked",
    refusal_reasons.DIRECT_SEND_LIMITED: "limited",
}
log = logger(__name__)


def can_send_directly(line: Line, kind: str, content: dict[str, Any]) -> bool:
    """Whether this message can be sent with Direct Send and was not refused there before."""
    return line.direct_send == ON and kind in KINDS and CONTENT_KEY not in content


def as_direct_send(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a message that is sent in this way."""
    return {**content, CONTENT_KEY: CATEGORY}


def set_direct_send(line_id: int, enabled: bool) -> Line:
    """Switch it on or off for all lines of the account, because WhatsApp enables accounts."""
    line = line_repository.get(line_id)
    if not DRIVERS[line.kind].has_templates:
        raise invalid(
            "direct_send", "unsupported_line", "Only WhatsApp Cloud API lines have Direct Send."
        )
    wanted = ON if enabled else OFF
    if line.direct_send != wanted:
        audit.record("lines.direct_send_changed", line.name, was=line.direct_send, now=wanted)
    for one in _lines_of_account(line):
        one.direct_send, one.direct_send_at = wanted, now()
    return line


def record_refusal(line: Line, reason: str) -> None:
    """Remember that the network does not offer Direct Send to the account of this line."""
    state = _STATES_BY_REASON.get(reason_code(reason))
    if state is None or line.direct_send != ON:
        return
    log.warning("direct send unavailable", line=line.id, state=state)
    for one in _lines_of_account(line):
        one.direct_send, one.direct_send_at = state, now()


def _lines_of_account(line: Line) -> list[Line]:
    if not line.account_id:
        return [line]
    same_account = select(Line).where(
        Line.tenant_id == current_tenant_id(),
        Line.account_id == line.account_id,
        Line.removed_at.is_(None),
    )
    return list(db.session.scalars(same_account))
