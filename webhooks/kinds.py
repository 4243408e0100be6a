"""Which events there are. An endpoint subscribes to some of them, or to `*`, all."""

from core.errors import invalid

ALL = "*"
TEST = "webhooks.test"

GROUPS: dict[str, tuple[str, ...]] = {
    "messages": (
        "messages.upsert",
        "messages.sent",
        "messages.delivered",
        "messages.read",
        "messages.failed",
        "messages.expired",
        "messages.cancelled",
        "messages.unknown",
    ),
    "restaurant": (
        "restaurant.order_created",
        "restaurant.order_updated",
        "restaurant.order_cancelled",
        "restaurant.delivery_updated",
        "restaurant.payment_succeeded",
        "restaurant.payment_failed",
        "restaurant.payment_refunded",
        "restaurant.payment_review",
    ),
    "instances": (
        "instances.connected",
        "instances.disconnected",
        "instances.qr",
        "instances.restricted",
    ),
    "printing": ("printing.job_failed", "printing.printer_offline", "printing.printer_online"),
    "account": ("contacts.opted_out", "campaigns.finished", "usage.threshold_reached", TEST),
}
KINDS = tuple(kind for group in GROUPS.values() for kind in group)


def chosen(events: list[str]) -> list[str]:
    """In the order of the list above; `*` makes the others superfluous."""
    if ALL in events:
        return [ALL]
    unknown = sorted(set(events) - set(KINDS))
    if unknown:
        raise invalid(
            "events",
            "unknown_event",
            "There is no event {name}. Choose from {known}, or * for all.",
            name=unknown[0][:64],
            known=", ".join(KINDS),
        )
    if not events:
        raise invalid("events", "no_events", "Choose at least one event, or * for all.")
    return [kind for kind in KINDS if kind in events]


def wants(events: list[str], kind: str) -> bool:
    """A test goes to the endpoint that is tested, whatever it subscribes to, and to no other."""
    return kind != TEST and (kind in events or ALL in events)
