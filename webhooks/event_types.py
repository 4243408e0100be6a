"""All types of events. An endpoint subscribes to some of them, or to `*`, all."""

from core.errors import invalid

ALL_EVENTS = "*"
TEST_EVENT = "webhooks.test"

EVENT_GROUPS: dict[str, tuple[str, ...]] = {
    "messages": (
        "messages.upsert",
        "messages.updated",
        "messages.echo",
        "messages.sent",
        "messages.delivered",
        "messages.read",
        "messages.failed",
        "messages.expired",
        "messages.cancelled",
        "messages.unknown",
        "messages.held",
        "messages.decided",
    ),
    "conversations": (
        "conversations.assigned",
        "conversations.closed",
        "conversations.reopened",
        "conversations.snoozed",
        "conversations.rated",
    ),
    "restaurant": (
        "restaurant.order_created",
        "restaurant.order_updated",
        "restaurant.order_cancelled",
        "restaurant.delivery_updated",
        "restaurant.tab_opened",
        "restaurant.tab_updated",
        "restaurant.tab_settled",
        "restaurant.payment_succeeded",
        "restaurant.payment_failed",
        "restaurant.payment_refunded",
        "restaurant.payment_review",
    ),
    "journeys": (
        "journeys.started",
        "journeys.completed",
        "journeys.stopped",
        "journeys.failed",
    ),
    "instances": (
        "instances.connected",
        "instances.disconnected",
        "instances.qr",
        "instances.restricted",
    ),
    "printing": ("printing.job_failed", "printing.printer_offline", "printing.printer_online"),
    "account": ("contacts.opted_out", "campaigns.finished", "usage.threshold_reached", TEST_EVENT),
}
EVENT_TYPES = tuple(kind for group in EVENT_GROUPS.values() for kind in group)


def clean_subscription(events: list[str]) -> list[str]:
    """In the order of the list above; `*` replaces all others. Raises Invalid."""
    if ALL_EVENTS in events:
        return [ALL_EVENTS]
    unknown = sorted(set(events) - set(EVENT_TYPES))
    if unknown:
        raise invalid(
            "events",
            "unknown_event",
            "The event {name} does not exist. Choose from {known}, or use * for all.",
            name=unknown[0][:64],
            known=", ".join(EVENT_TYPES),
        )
    if not events:
        raise invalid("events", "no_events", "Choose at least one event, or use * for all.")
    return [kind for kind in EVENT_TYPES if kind in events]


def is_subscribed(events: list[str], kind: str) -> bool:
    """A test event goes only to the endpoint under test, whatever it subscribes to."""
    return kind != TEST_EVENT and (kind in events or ALL_EVENTS in events)
