"""A linked phone: its host (`jobs/linked/`) holds the session and sends."""

from dataclasses import replace

from core.i18n.catalogs import N_
from core.values.network_address import LID, PHONE
from messaging.lines.drivers.base import Capability, Envelope, LineDriver
from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.registry import MESSAGE_KINDS

PLAIN_KIND = "text"


def _capability(kind: MessageKind) -> Capability:
    if kind.linked_part is not None:
        return "yes"
    return "as_text" if kind.plain_text is not None else "no"


def as_sent(envelope: Envelope) -> Envelope:
    """Return the envelope that the client sends: a kind without a message of its own is a text."""
    kind = MESSAGE_KINDS[envelope.kind]
    if kind.linked_part is not None or kind.plain_text is None:
        return envelope
    return replace(envelope, kind=PLAIN_KIND, text=kind.plain_text(envelope.content))


LINKED = LineDriver(
    title=N_("Linked phone"),
    simulated_title=N_("Linked phone (simulated)"),
    send=None,
    has_sessions=True,
    has_read_receipts=True,
    address_kinds=frozenset({PHONE, LID}),
    capability=_capability,
)
