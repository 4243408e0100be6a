"""The free times that a guest can choose for an order."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from flask import Response, request

from core.db import tenant_scope
from core.rate_limits import Bucket, take_tokens
from portal.diner.menu_cache import menu_cache
from portal.diner.views import chosen_language, diner, error_reply, json_response
from portal.web.auth import open_to_all
from restaurant.chat_texts import time_text
from restaurant.models import Site
from restaurant.orders.pace import times
from restaurant.orders.pace.minutes import minutes_to_make
from restaurant.sites import sites

RATE, BURST = 5.0, 100


@diner.get("/r/<slug>/times/<order_type>")
@open_to_all
def free_times(slug: str, order_type: str) -> Response:
    """Whether the kitchen has room now, and the free times for later."""
    facts = menu_cache.of("slug", slug)
    if facts is None:
        return error_reply(404, "no_such_place", "en")
    language = chosen_language(facts)
    if not take_tokens([Bucket(f"free-times:{request.remote_addr}", RATE, BURST)]).allowed:
        return error_reply(429, "too_many", language)
    if order_type not in facts.site.order_types:
        return error_reply(404, "failed", language)
    with tenant_scope(facts.tenant_id):
        site = sites.get(facts.site.id)
        room = not facts.why_closed and times.free_now(site, order_type)
        found = times.free_times(site, order_type) if site.later_days or not room else []
    return json_response(
        {
            "now": room,
            "minutes": minutes_to_make(site, order_type),
            "times": times_json(site, found, language),
        }
    )


def times_json(site: Site, found: Sequence[datetime], language: str) -> list[dict[str, Any]]:
    return [
        {"at": at.isoformat(), "label": time_text(at, site.time_zone, language)} for at in found
    ]
