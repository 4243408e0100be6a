"""Webhook endpoints with two weeks of deliveries for the demo, as a worker would write them.

Everything is in one transaction, so that no worker of a running service processes a part of it.
"""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count

from sqlalchemy import func, select

from core.clock import frozen, now
from core.db import current_tenant_id, db, tenant_scope
from core.http import Policy
from core.security.signing import webhook_headers
from core.settings import Settings
from webhooks import endpoints
from webhooks.delivery import claim as webhook_claim
from webhooks.delivery import fanout
from webhooks.delivery import settle as webhook_settle
from webhooks.delivery.claim import ClaimedDelivery, EndpointBatch
from webhooks.delivery.post import AttemptResult
from webhooks.endpoints import EndpointFields
from webhooks.listeners import update_listeners
from webhooks.models import Event


@dataclass(frozen=True)
class DemoEndpoints:
    """One endpoint that works except for one afternoon, and one that returns 410."""

    name: str
    address: str
    gone: str
    gone_address: str


RESTAURANT = DemoEndpoints(
    *("CRM", "https://crm.lokanta-mavi.example/comanda"),
    *("Old cash register", "https://kasa.lokanta-mavi.example/events"),
)
SHOP = DemoEndpoints(
    *("Warehouse", "https://warehouse.kumru.example/comanda"),
    *("Newsletter tool", "https://letters.kumru.example/hook"),
)
ERROR_BODY = '{"error": "database is locked"}'
OK_BODY = '{"received": true}'
FAILED_HOURS = 4  # deliveries that the second endpoint accepted before it returned 410


def add_webhook_deliveries(
    tenant_id: int, settings: Settings, places: DemoEndpoints = RESTAURANT
) -> None:
    dice = random.Random(20260102)  # noqa: S311 - a demo, not a secret
    sink = f"{settings.simulator_url}/customer" if settings.simulator_url else places.address
    beginning, counter = now(), count()
    with tenant_scope(tenant_id):
        with frozen(beginning - timedelta(days=20)):
            first = endpoints.register(
                EndpointFields(sink, ["*"], places.name), Policy(allow_loopback=True)
            )
            register = endpoints.register(
                EndpointFields(places.gone_address, ["messages.upsert"], places.gone), Policy()
            )
            for one in (first, register):
                one.listens_since = now()
            db.session.flush()
        for day in _days():
            with frozen(min(day.replace(hour=21, minute=30), beginning)):
                fanout.number_events(_until(now()))
                while batches := webhook_claim.claim_batches(100, 60.0):
                    for batch in batches:
                        old = batch.endpoint_id == register.id
                        results = [
                            (one, _answer(batch, one, old and next(counter) >= FAILED_HOURS, dice))
                            for one in batch.claimed
                        ]
                        webhook_settle.settle_batch(batch, results, [], finished=True)
                        _make_due(batch.endpoint_id)
        update_listeners()


def _days() -> list[datetime]:
    rows = db.session.scalars(
        select(func.date_trunc("day", Event.occurred_at))
        .where(Event.tenant_id == current_tenant_id(), Event.sequence.is_(None))
        .distinct()
    )
    return sorted(rows)


def _until(moment: datetime) -> int:
    """The number of events up to this time that have no sequence number."""
    found = db.session.scalar(
        select(func.count())
        .select_from(Event)
        .where(
            Event.tenant_id == current_tenant_id(),
            Event.sequence.is_(None),
            Event.occurred_at <= moment,
        )
    )
    return int(found or 0)


def _answer(
    batch: EndpointBatch, one: ClaimedDelivery, gone: bool, dice: random.Random
) -> AttemptResult:
    at, millis = now() + timedelta(seconds=1), dice.randrange(38, 190)
    signed = webhook_headers(batch.secrets, one.event_id, one.body or b"", at)["webhook-signature"]
    if gone:
        error = "The endpoint answered 410: it is gone and wants no more events."
        return AttemptResult(at, millis, 410, error, signature=signed, answer="Gone")
    if one.attempt == 1 and dice.random() < 0.05:
        error = "The endpoint answered 500."
        return AttemptResult(at, millis, 500, error, signature=signed, answer=ERROR_BODY)
    headers = {"content-type": "application/json", "server": "nginx"}
    return AttemptResult(at, millis, 200, None, signature=signed, headers=headers, answer=OK_BODY)


def _make_due(endpoint_id: str) -> None:
    """The demo does not wait for retries: they are due at once."""
    endpoint = endpoints.get(endpoint_id)
    endpoint.rests_until = endpoint.busy_until = None
    db.session.flush()
