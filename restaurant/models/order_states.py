"""The states of an order and the transitions between them."""

TRANSITIONS: dict[str, frozenset[str]] = {
    "awaiting_confirmation": frozenset(
        {"awaiting_payment", "scheduled", "sent_to_kitchen", "cancelled"}
    ),
    "awaiting_payment": frozenset({"scheduled", "sent_to_kitchen", "cancelled"}),
    "scheduled": frozenset({"sent_to_kitchen", "cancelled"}),
    "sent_to_kitchen": frozenset({"preparing", "ready", "cancelled"}),
    "preparing": frozenset({"ready", "cancelled"}),
    "ready": frozenset({"served", "out_for_delivery", "delivered", "closed", "cancelled"}),
    "served": frozenset({"closed", "cancelled"}),
    "out_for_delivery": frozenset({"delivered", "ready", "cancelled"}),
    "delivered": frozenset({"closed"}),
    "closed": frozenset({"refunded"}),
    "cancelled": frozenset({"refunded"}),
    "refunded": frozenset(),
}
STATES = tuple(TRANSITIONS)
END_STATES = frozenset({"closed", "cancelled", "refunded"})
ACCEPTS_MORE_ITEMS = frozenset({"sent_to_kitchen", "preparing", "ready", "served"})
IN_THE_KITCHEN = frozenset({"sent_to_kitchen", "preparing"})
# Only a payment makes these transitions, never a person.
PAYMENT_TRANSITIONS = frozenset(
    {("awaiting_payment", "sent_to_kitchen"), ("awaiting_payment", "scheduled")}
)
UNACCEPTED = frozenset({"awaiting_confirmation", "awaiting_payment"})

ORDER_TYPES = ("dine_in", "takeaway", "delivery")
PAYMENT_METHODS = ("pos_at_table", "cash", "card_at_door", "card_link")
_ONLY_FOR = {"served": "dine_in", "out_for_delivery": "delivery"}
_STEPS = {
    "dine_in": ("preparing", "ready", "served", "closed"),
    "takeaway": ("preparing", "ready", "delivered", "closed"),
    "delivery": ("preparing", "ready", "out_for_delivery", "delivered", "closed"),
}


def can_become(state: str, to: str, order_type: str) -> bool:
    return to in TRANSITIONS[state] and _ONLY_FOR.get(to, order_type) == order_type


def states_before(to: str) -> list[str]:
    """The states from which this state can be reached."""
    return [state for state, after in TRANSITIONS.items() if to in after]


def next_step(state: str, order_type: str) -> str | None:
    """The action that the order board offers first; None if there is none."""
    if state in ("awaiting_confirmation", "scheduled"):
        return "sent_to_kitchen"
    steps = _STEPS[order_type]
    ahead = steps[steps.index(state) + 1 :] if state in steps else steps
    return next((to for to in ahead if can_become(state, to, order_type)), None)
