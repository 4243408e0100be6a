"""One table of moves. A late receipt is ignored by name, not by accident."""

OUT_STATES = (
    "scheduled",
    "queued",
    "sending",
    "sent",
    "delivered",
    "read",
    "failed",
    "expired",
    "cancelled",
    "unknown",
)

STATE_TRANSITIONS: dict[str, frozenset[str]] = {
    "scheduled": frozenset({"queued", "cancelled", "expired"}),
    "queued": frozenset({"sending", "failed", "expired", "cancelled"}),
    "sending": frozenset({"queued", "sent", "delivered", "read", "failed", "unknown"}),
    "sent": frozenset({"delivered", "read", "failed"}),
    "delivered": frozenset({"read"}),
    "read": frozenset(),
    # The network's own word settles what we could not know.
    "unknown": frozenset({"sent", "delivered", "read", "failed"}),
    # A receipt that says it arrived proves it, whichever of the two came first.
    "failed": frozenset({"delivered", "read"}),
    "expired": frozenset(),
    "cancelled": frozenset(),
}

PENDING_STATES = frozenset({"scheduled", "queued", "sending"})
# Nothing more is to be expected; a failure that was none is the rare exception.
FINAL_STATES = frozenset({"read", "failed", "expired", "cancelled"})


def can_transition(state: str, to: str) -> bool:
    return to in STATE_TRANSITIONS[state]


def states_before(to: str) -> list[str]:
    """The states from which `to` can be reached: for a conditional update."""
    return [state for state, onward in STATE_TRANSITIONS.items() if to in onward]
