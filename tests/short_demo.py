"""The demo with days of history instead of weeks: the same pages, in a third of the time."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from deploy.demo.messaging import conversations as demo_conversations
from deploy.demo.messaging import notices as demo_notices
from deploy.demo.restaurant import deliveries as demo_deliveries
from deploy.demo.restaurant import orders as demo_orders
from deploy.demo.shop import store_events as demo_store_events


@contextmanager
def short_demo() -> Iterator[None]:
    with (
        patch.object(demo_conversations, "DAYS", 4),
        patch.object(demo_orders, "DAYS", 4),
        patch.object(demo_deliveries, "DAYS", 3),
        patch.object(demo_store_events, "DAYS", 6),
        patch.object(demo_notices, "DAYS", 3),
    ):
        yield
