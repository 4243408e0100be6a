"""GET /usage and /usage/costs: messages sent and received, and their cost."""

from datetime import date
from decimal import Decimal
from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.v1 import v1
from api.v1.schemas.usage import (
    CostsAnswer,
    PeriodQuery,
    UsageAnswer,
)
from core.db import tenant_scope
from core.values.money import json_number
from messaging.api_caller import ApiCaller
from messaging.costs import usage as message_usage
from messaging.costs.free_messages import free_messages
from messaging.costs.usage import Period

TAG = Tag(name="Usage")


@v1.get(
    "/usage",
    tags=[TAG],
    summary="Get message counts by day and line",
    responses={200: UsageAnswer},
)
@key_may("usage")
def usage_by_day(query: PeriodQuery) -> dict[str, Any]:
    """How many messages were sent, delivered, read, failed and received."""
    since, until = _period(query)
    with tenant_scope(g.tenant_id):
        rows = message_usage.usage_by_day(since, until, lines_of_query(query))
    names = (*message_usage.COUNTERS, "cost_usd")
    return {
        "since": since.isoformat(),
        "until": until.isoformat(),
        "total": _wire({name: sum(getattr(row, name) for row in rows) for name in names}),
        "data": [
            {
                "day": row.day.isoformat(),
                "instance_id": row.line_id,
                **_wire({name: getattr(row, name) for name in names}),
            }
            for row in rows
        ],
    }


@v1.get(
    "/usage/costs",
    tags=[TAG],
    summary="Get costs by day, line, country and category",
    responses={200: CostsAnswer},
)
@key_may("usage")
def costs(query: PeriodQuery) -> dict[str, Any]:
    """The cost of messages in US dollars. Past days are closed from the ledger at night."""
    since, until = _period(query)
    with tenant_scope(g.tenant_id):
        rows = message_usage.costs_by_day(since, until, lines_of_query(query))
        free = free_messages(Period(since, until), lines_of_query(query))
    return {
        "since": since.isoformat(),
        "until": until.isoformat(),
        "total_usd": json_number(sum((row.cost_usd for row in rows), Decimal(0))),
        "data": [
            {
                "day": row.day.isoformat(),
                "instance_id": row.line_id,
                "country": row.country,
                "category": row.category,
                "messages": row.messages,
                "cost_usd": json_number(row.cost_usd),
            }
            for row in rows
        ],
        "free": [
            {
                "instance_id": one.line_id,
                "category": one.category,
                "reason": one.reason,
                "messages": one.messages,
            }
            for one in free
        ],
    }


def _period(query: PeriodQuery) -> tuple[date, date]:
    span = message_usage.usage_period(query.since, query.until)
    return span.since, span.until


def lines_of_query(query: PeriodQuery) -> frozenset[int] | None:
    """Return the lines to show: those the key may use, limited to the requested one."""
    caller: ApiCaller = g.caller
    allowed = None if caller.key.line_ids is None else frozenset(caller.key.line_ids)
    if query.instance_id is None:
        return allowed
    return frozenset({query.instance_id}) & (
        frozenset({query.instance_id}) if allowed is None else allowed
    )


def _wire(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "cost_usd": json_number(Decimal(row["cost_usd"]))}
