"""GET /reports/response-times: how fast the team answers and closes conversations."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.v1 import v1
from api.v1.schemas.response_times import ResponseTimesAnswer, ResponseTimesQuery
from core.clock import now
from core.db import tenant_scope
from core.values.date_ranges import DateRange
from messaging.api_caller import ApiCaller
from messaging.inbox.team import response_times

TAG = Tag(name="Conversations")


@v1.get(
    "/reports/response-times",
    tags=[TAG],
    summary="Get response times by day, member and label",
    responses={200: ResponseTimesAnswer},
)
@key_may("usage")
def response_time_report(query: ResponseTimesQuery) -> dict[str, Any]:
    """The same figures as on the page and in its CSV file."""
    caller: ApiCaller = g.caller
    with tenant_scope(g.tenant_id):
        today = now().astimezone(response_times.tenant_zone()).date()
        last = query.until or max(today, query.since or today)
        span = DateRange(query.since or last - timedelta(days=29), last)
        made = response_times.report(span, caller.visible_line_ids)
    return {
        "since": span.since.isoformat(),
        "until": span.until.isoformat(),
        "total": asdict(made.total),
        "days": [{"day": row.key, **asdict(row.figures)} for row in made.days],
        "members": [
            {"person_id": row.key, "name": row.name, **asdict(row.figures)} for row in made.members
        ],
        "labels": [
            {"label_id": row.key, "name": row.name, **asdict(row.figures)} for row in made.labels
        ],
    }
