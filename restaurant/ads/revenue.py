"""Conversations, orders and revenue of each ad; the page, the CSV file and the API show these."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from functools import partial

from core.values.date_ranges import DateRange
from core.values.money import quantize
from messaging.campaigns import order_port
from messaging.inbox import ad_arrivals
from restaurant.orders.reports.after_arrival import OrdersAfter, orders_after


@dataclass(frozen=True)
class AdRevenue:
    source_id: str
    source_type: str
    source_url: str
    headline: str
    conversations: int
    orders: int | None
    """Within 72 hours after the first message; None for readers who may not see orders."""
    spent: Decimal | None
    """Of the orders in the report's currency; None like `orders`."""


@dataclass(frozen=True)
class AdReport:
    currency: str
    ads: list[AdRevenue]

    @property
    def has_orders(self) -> bool:
        return any(one.orders for one in self.ads)


def ad_report(
    span: DateRange, line_ids: Collection[int] | None = None, *, with_orders: bool
) -> AdReport:
    """The ads of these days (UTC), the one with the most conversations first."""
    midnight = partial(datetime.combine, time=time.min, tzinfo=UTC)
    currency = order_port.orders_currency()
    ads = ad_arrivals.arrivals_by_ad(
        midnight(span.since), midnight(span.until + timedelta(1)), line_ids
    )
    came = [(str(at), one.contact_id, one.at) for at, ad in enumerate(ads) for one in ad.arrivals]
    bought = orders_after(came, currency) if with_orders else {}
    made = []
    for at, ad in enumerate(ads):
        found = bought.get(str(at), OrdersAfter())
        made.append(
            AdRevenue(
                source_id=ad.source_id,
                source_type=ad.source_type,
                source_url=ad.source_url,
                headline=ad.headline,
                conversations=ad.conversations,
                orders=found.orders if with_orders else None,
                spent=_amount(found.spent, currency) if with_orders else None,
            )
        )
    return AdReport(currency, made)


def _amount(spent: Decimal, currency: str) -> Decimal:
    return quantize(spent, currency) if currency else spent
