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

MOVES: dict[str, frozenset[str]] = {
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

WAITING = frozenset({"scheduled", "queued", "sending"})
# Nothing more is to be expected; a failure that was none is the rare exception.
ENDS = frozenset({"read", "failed", "expired", "cancelled"})


def may_move(state: str, to: str) -> bool:
    return to in MOVES[state]


def may_become(to: str) -> list[str]:
    """The states from which `to` can be reached: for a conditional update."""
    return [state for state, onward in MOVES.items() if to in onward]
