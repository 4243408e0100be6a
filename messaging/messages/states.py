"""The one table of state transitions. A late receipt is ignored because it has no transition."""

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
    # A later receipt shows what happened to a message whose send response was lost.
    "unknown": frozenset({"sent", "delivered", "read", "failed"}),
    # A delivery receipt proves delivery, even if a failure came first.
    "failed": frozenset({"delivered", "read"}),
    "expired": frozenset(),
    "cancelled": frozenset(),
}

PENDING_STATES = frozenset({"scheduled", "queued", "sending"})
# No further change is expected, except in the rare case that a failed message was delivered.
FINAL_STATES = frozenset({"read", "failed", "expired", "cancelled"})


def can_transition(state: str, to: str) -> bool:
    return to in STATE_TRANSITIONS[state]


def states_before(to: str) -> list[str]:
    """Return the states from which `to` can be reached, for a conditional update."""
    return [state for state, onward in STATE_TRANSITIONS.items() if to in onward]
