"""Order filters for campaigns: which contacts ordered, where and when, and who ordered again."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, select, text

from core.db import current_tenant_id, db
from core.ids import from_uuid, to_uuid
from messaging.campaigns import order_port as port
from messaging.campaigns.order_port import Column, OrderFilters
from restaurant.models import Order
from restaurant.orders.reports.day_summary import UNSOLD_STATES
from restaurant.sites import sites
from tenants import accounts

ORDERS_AFTER_CAMPAIGN = text("""
SELECT o.contact_id, count(*) AS orders,
       coalesce(sum(o.total) FILTER (WHERE o.currency = :currency), 0) AS spent
  FROM unnest(CAST(:ids AS uuid[]), CAST(:times AS timestamptz[])) AS one (id, since)
  JOIN orders AS o ON o.tenant_id = :tenant_id AND o.contact_id = one.id
   AND o.placed_at >= one.since AND o.placed_at < one.since + :within
 WHERE o.test = :test AND o.state <> ALL(:not_sold)
 GROUP BY o.contact_id
""")

ORDERS_OF_LINKS = text("""
SELECT c.link_code, count(*) AS orders,
       coalesce(sum(o.total) FILTER (WHERE o.currency = :currency), 0) AS spent
  FROM carts AS c
  JOIN orders AS o ON o.tenant_id = :tenant_id AND o.id = c.order_id
 WHERE c.tenant_id = :tenant_id AND c.link_code = ANY(:codes) AND c.link_code <> ''
   AND o.test = :test AND o.state <> ALL(:not_sold)
 GROUP BY c.link_code
""")


class CampaignOrders:
    """Implements the port in messaging/campaigns/order_port.py."""

    def places(self) -> list[tuple[str, str]]:
        return [(site.id, site.name) for site in sites.listed()]

    def condition(
        self, contact_id: Column, ordered: OrderFilters, moment: datetime
    ) -> ColumnElement[bool]:
        """A subquery over the contact's own orders; it uses orders_contact_idx."""
        figures = _aggregate_conditions(ordered, moment, self.currency) or [func.count() > 0]
        answer: ColumnElement[bool] = (
            _orders_of_contact(contact_id, ordered)
            .with_only_columns(and_(*figures))
            .scalar_subquery()
        )
        return answer

    def currency(self, site_id: str) -> str:
        known = {site.id: site.currency for site in sites.list_including_closed()}
        if site_id in known:
            return known[site_id]
        own_currency = accounts.account().currency
        found = Counter(known.values()).most_common()
        return found[0][0] if found and own_currency not in known.values() else own_currency

    def followed(
        self, since: Mapping[str, datetime], days: int, currency: str, *, test: bool
    ) -> dict[str, tuple[int, Decimal]]:
        rows = db.session.execute(
            ORDERS_AFTER_CAMPAIGN,
            {
                "tenant_id": current_tenant_id(),
                "ids": [str(to_uuid("con", one)) for one in since],
                "times": list(since.values()),
                "within": timedelta(days=days),
                "currency": currency,
                "test": test,
                "not_sold": sorted(UNSOLD_STATES),
            },
        )
        return {from_uuid("con", row.contact_id): (row.orders, row.spent) for row in rows}

    def of_links(
        self, codes: Sequence[str], currency: str, *, test: bool
    ) -> dict[str, tuple[int, Decimal]]:
        rows = db.session.execute(
            ORDERS_OF_LINKS,
            {
                "tenant_id": current_tenant_id(),
                "codes": list(codes),
                "currency": currency,
                "test": test,
                "not_sold": sorted(UNSOLD_STATES),
            },
        )
        return {row.link_code: (row.orders, row.spent) for row in rows}


def register() -> None:
    """Called by `restaurant.wiring.wire_domains`."""
    port.register_source(CampaignOrders())


def _orders_of_contact(contact_id: Column, ordered: OrderFilters) -> Any:
    query = select(Order.id).where(
        Order.tenant_id == current_tenant_id(),
        Order.contact_id == contact_id,
        Order.state.not_in(UNSOLD_STATES),
        ~Order.test,
    )
    return query.where(Order.site_id == ordered.site_id) if ordered.site_id else query


def _aggregate_conditions(
    ordered: OrderFilters, moment: datetime, currency: Callable[[str], str]
) -> list[ColumnElement[bool]]:
    """Conditions on all orders of a contact together. A contact without orders matches none."""
    found: list[ColumnElement[bool]] = []
    last = func.max(Order.placed_at)
    if ordered.within_days is not None:
        found.append(func.coalesce(last >= moment - timedelta(days=ordered.within_days), False))
    if ordered.not_for_days is not None:
        found.append(func.coalesce(last < moment - timedelta(days=ordered.not_for_days), False))
    if ordered.at_least is not None:
        found.append(func.count() >= ordered.at_least)
    if ordered.at_most is not None:
        found.append(func.count() <= ordered.at_most)
    if ordered.spent_at_least is not None:
        counted = case((Order.currency == currency(ordered.site_id), Order.total), else_=0)
        found.append(func.coalesce(func.sum(counted), 0) >= ordered.spent_at_least)
    return found
