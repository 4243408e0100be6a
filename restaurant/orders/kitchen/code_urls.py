"""The signed address that is printed as a code on a kitchen ticket."""

from collections.abc import Sequence
from datetime import timedelta

from core.security import signed_urls
from restaurant.models import Order, OrderItem

TICKET_PURPOSE = "kitchen-ticket"
TICKET_PATH = "/k/"
LIFETIME = timedelta(days=2)


def ticket_url(order: Order, station: str, items: Sequence[OrderItem]) -> str:
    value = [order.tenant_id, order.id, station, [item.position for item in items]]
    return signed_urls.signed_url(TICKET_PATH, TICKET_PURPOSE, value, LIFETIME)
