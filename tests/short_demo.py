"""The demo with days of history instead of weeks: the same pages, in a third of the time."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from portal.operator import history, order_history, road_history, shop_history, traffic


@contextmanager
def short_demo() -> Iterator[None]:
    with (
        patch.object(history, "DAYS", 4),
        patch.object(order_history, "DAYS", 4),
        patch.object(road_history, "DAYS", 3),
        patch.object(shop_history, "DAYS", 6),
        patch.object(traffic, "DAYS", 3),
    ):
        yield
