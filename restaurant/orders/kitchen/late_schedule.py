"""When the job looks for orders that are late."""

from core.queue import lanes
from restaurant.models import Order

LANE = "late_orders"


def schedule_notice(order: Order) -> None:
    if order.promised_at is not None and order.late_told_at is None:
        lanes.mark_later(LANE, order.tenant_id, order.promised_at)
