"""GET /reports/ads: conversations, orders and revenue of each ad."""

from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.v1 import v1
from api.v1.schemas.ad_report import AdReportAnswer, AdReportQuery
from api.v1.usage import lines_of_query
from core.db import tenant_scope
from core.values.date_ranges import DateRange
from messaging.costs import usage as message_usage
from restaurant.ads.revenue import AdRevenue, ad_report

TAG = Tag(name="Usage")


@v1.get(
    "/reports/ads",
    tags=[TAG],
    summary="Get conversations, orders and revenue by ad",
    responses={200: AdReportAnswer},
)
@key_may("usage")
def ads_report(query: AdReportQuery) -> dict[str, Any]:
    """The same figures as on the page and in its CSV file. Test messages are left out."""
    period = message_usage.usage_period(query.since, query.until)
    span = DateRange(period.since, period.until)
    with tenant_scope(g.tenant_id):
        made = ad_report(span, lines_of_query(query), with_orders="orders" in g.caller.key.scopes)
    return {
        "since": span.since.isoformat(),
        "until": span.until.isoformat(),
        "currency": made.currency,
        "ads": [_ad_json(one) for one in made.ads],
    }


def _ad_json(one: AdRevenue) -> dict[str, Any]:
    return {
        "source_id": one.source_id,
        "source_type": one.source_type,
        "source_url": one.source_url,
        "headline": one.headline,
        "conversations": one.conversations,
        "orders": one.orders,
        "spent": None if one.spent is None else str(one.spent),
    }
