"""Settle a batch of deliveries in few statements: states, attempts, the endpoint's health.

Decides when an endpoint is paused and when it is switched off. `retry_policy` decides when a
delivery is retried.
"""

import json
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, text

from core.clock import now
from core.db import current_tenant_id, db
from core.sql.pool import run_as_tenant
from tenants import audit
from webhooks import endpoints
from webhooks.delivery import emails as endpoint_emails
from webhooks.delivery import reasons
from webhooks.delivery.claim import NEXT_DUE, ClaimedDelivery, EndpointBatch
from webhooks.delivery.post import AttemptResult
from webhooks.delivery.reasons import DELIVERY_REASONS
from webhooks.delivery.retry_policy import (
    MAX_ENDPOINT_PAUSE,
    MIN_ENDPOINT_PAUSE,
    next_state,
    requested_pause,
    with_jitter,
)
from webhooks.endpoints import FAILURES_BEFORE_PAUSE
from webhooks.listeners import update_listeners
from webhooks.models import Endpoint, WebhookDelivery

WARNING_EMAILS = ((timedelta(hours=24), "day"), (timedelta(hours=72), "days"))
DISABLE_AFTER, DISABLE_AFTER_FAILURES = timedelta(days=5), 20

SETTLE = text("""
UPDATE deliveries SET state = mine.state, step = mine.step, due_at = mine.due_at,
       status = mine.status, error = mine.error, changed_at = :now
  FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS integer[]), CAST(:states AS text[]),
              CAST(:steps AS smallint[]), CAST(:dues AS timestamptz[]),
              CAST(:statuses AS integer[]), CAST(:errors AS text[]))
       AS mine (id, attempt, state, step, due_at, status, error)
 WHERE deliveries.tenant_id = :tenant_id AND deliveries.id = mine.id
   AND deliveries.attempt = mine.attempt AND deliveries.state = 'sending'
RETURNING deliveries.id
""")
ATTEMPTS = text("""
INSERT INTO delivery_attempts (tenant_id, delivery_id, number, at, millis, status, error,
                               signature, headers, answer)
SELECT :tenant_id, mine.id, mine.attempt, mine.at, mine.millis, mine.status, mine.error,
       mine.signature, mine.headers, mine.answer
  FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS integer[]), CAST(:ats AS timestamptz[]),
              CAST(:millis AS integer[]), CAST(:statuses AS integer[]), CAST(:errors AS text[]),
              CAST(:signatures AS text[]), CAST(:headers AS jsonb[]), CAST(:answers AS text[]))
       AS mine (id, attempt, at, millis, status, error, signature, headers, answer)
    ON CONFLICT DO NOTHING RETURNING number
""")
PUT_BACK = text("""
UPDATE deliveries SET state = 'waiting', attempt = deliveries.attempt - 1, due_at = :now
  FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS integer[])) AS mine (id, attempt)
 WHERE deliveries.tenant_id = :tenant_id AND deliveries.id = mine.id
   AND deliveries.attempt = mine.attempt AND deliveries.state = 'sending'
RETURNING deliveries.id
""")
COUNT_DAY = text("""
INSERT INTO endpoint_days (tenant_id, endpoint_id, day, delivered, failed, millis)
VALUES (:tenant_id, :endpoint_id, :day, :delivered, :failed, :took)
    ON CONFLICT (tenant_id, endpoint_id, day) DO UPDATE
   SET delivered = endpoint_days.delivered + excluded.delivered,
       failed = endpoint_days.failed + excluded.failed,
       millis = endpoint_days.millis + excluded.millis
""")
MARK_SUCCESS = text("""
UPDATE endpoints SET failures = 0, failing_since = NULL, rests_until = NULL, letters = 0,
       last_success_at = :now, busy_until = CASE WHEN :finished THEN NULL ELSE busy_until END
 WHERE tenant_id = :tenant_id AND id = :endpoint_id RETURNING enabled
""")
RELEASE_ENDPOINT = text("""
UPDATE endpoints SET busy_until = CASE WHEN :finished THEN NULL ELSE busy_until END
 WHERE tenant_id = :tenant_id AND id = :endpoint_id RETURNING enabled
""")

# The usual case in one string, which is one round trip and one transaction.
SETTLE_ALL_DELIVERED = re.sub(
    r"(?<!:):(\w+)",
    r"%(\1)s",
    ";".join(str(one.text) for one in (MARK_SUCCESS, SETTLE, ATTEMPTS, COUNT_DAY, NEXT_DUE)),
)

Results = Sequence[tuple[ClaimedDelivery, AttemptResult]]


def settle_batch(
    batch: EndpointBatch, results: Results, rest: Sequence[ClaimedDelivery], finished: bool
) -> None:
    """`rest` was not tried and is put back; `finished` releases the endpoint."""
    moment = now()
    if any(not posted.delivered and not posted.lost for _, posted in results):
        listens = _record_failures(batch, results, moment, finished)
    else:
        listens = _record_success(batch, results, moment, finished)
    if results:
        _write(results, moment, listens)
        _count(batch, results, moment)
    if rest:
        _put_back(rest, moment)
        if not listens:
            endpoints.cancel_waiting_deliveries(batch.endpoint_id, reasons.SWITCHED_OFF)


def settle_delivered(
    tenant_id: int, batch: EndpointBatch, results: Results, finished: bool
) -> datetime | None:
    """For results that are all delivered, outside any scope. Returns when the tenant's next
    delivery is due.
    """
    moment = now()
    rows = run_as_tenant(
        tenant_id,
        SETTLE_ALL_DELIVERED,
        {
            **_settle_params(results, moment, listens=True),
            **_count_params(batch, results, moment),
            "finished": finished,
        },
    )
    return rows[0][0] if rows else None


def check_endpoint_health(endpoint: Endpoint, error: str, moment: datetime) -> None:
    """Send e-mails after 24 and 72 hours; switch it off after five days and 20 failed attempts."""
    if not endpoint.enabled or endpoint.failing_since is None:
        return
    failing = moment - endpoint.failing_since
    if failing >= DISABLE_AFTER and endpoint.failures >= DISABLE_AFTER_FAILURES:
        _switch_off(endpoint, "failing", error)
        return
    for place, (age, what) in enumerate(WARNING_EMAILS, start=1):
        if failing >= age and endpoint.letters < place:
            endpoint.letters = place
            endpoint_emails.queue_endpoint_email(endpoint, what, error)


def check_all_endpoints() -> None:
    """Called regularly, so that endpoints with few events are checked in time too."""
    moment = now()
    failing = db.session.scalars(
        select(Endpoint).where(
            Endpoint.tenant_id == current_tenant_id(),
            Endpoint.enabled,
            Endpoint.failing_since <= moment - WARNING_EMAILS[0][0],
        )
    )
    for endpoint in failing:
        last: str | None = db.session.scalar(
            select(WebhookDelivery.error)
            .where(
                WebhookDelivery.tenant_id == current_tenant_id(),
                WebhookDelivery.endpoint_id == endpoint.id,
                WebhookDelivery.error.is_not(None),
            )
            .order_by(WebhookDelivery.id.desc())
            .limit(1)
        )
        check_endpoint_health(endpoint, last or "", moment)


def _record_success(
    batch: EndpointBatch, results: Results, moment: datetime, finished: bool
) -> bool:
    """Everything was delivered, or nothing was tried. Returns whether the endpoint is still
    enabled.
    """
    found = db.session.execute(
        MARK_SUCCESS if any(posted.delivered for _, posted in results) else RELEASE_ENDPOINT,
        {
            "tenant_id": current_tenant_id(),
            "endpoint_id": batch.uuid,
            "now": moment,
            "finished": finished,
        },
    )
    return bool(found.scalar())


def _record_failures(
    batch: EndpointBatch, results: Results, moment: datetime, finished: bool
) -> bool:
    """Some attempts failed; they are applied in the order in which they ended. Returns whether the
    endpoint is still enabled.
    """
    key = (current_tenant_id(), batch.endpoint_id)
    endpoint = db.session.get_one(Endpoint, key, with_for_update=True)
    if finished:
        endpoint.busy_until = None
    listened, pause, last = endpoint.enabled, 0.0, ""
    for _, posted in results:
        if posted.delivered:
            endpoints.reset_failures(endpoint)
            endpoint.last_success_at = moment
        elif not posted.lost:
            endpoint.failures += 1
            endpoint.failing_since = endpoint.failing_since or posted.at
            pause, last = max(pause, requested_pause(posted) or 0.0), posted.error or ""
    if endpoint.failures >= FAILURES_BEFORE_PAUSE and endpoint.failing_since is not None:
        failing = (moment - endpoint.failing_since).total_seconds()
        pause = max(
            pause, with_jitter(min(max(failing / 2, MIN_ENDPOINT_PAUSE), MAX_ENDPOINT_PAUSE))
        )
    if pause and endpoint.failures:
        endpoint.rests_until = moment + timedelta(seconds=pause)
    if listened and any(posted.gone for _, posted in results):
        _switch_off(endpoint, "gone", last)
    elif endpoint.failures:
        check_endpoint_health(endpoint, last, moment)
    db.session.flush()
    return endpoint.enabled


def _switch_off(endpoint: Endpoint, because: str, error: str) -> None:
    endpoints.switch_off(endpoint, because)
    db.session.flush()
    update_listeners()
    audit.record(
        "webhooks.disabled",
        endpoint.url,
        because=because,
        last_answer=DELIVERY_REASONS.english(error),
    )
    endpoint_emails.queue_endpoint_email(endpoint, because, error)


def _write(results: Results, moment: datetime, listens: bool) -> None:
    params = {"tenant_id": current_tenant_id(), **_settle_params(results, moment, listens)}
    db.session.execute(SETTLE, params)
    db.session.execute(ATTEMPTS, params)


def _settle_params(results: Results, moment: datetime, listens: bool) -> dict[str, Any]:
    settled = [next_state(one, posted, moment, listens) for one, posted in results]
    return {
        "now": moment,
        "ids": [one.uuid for one, _ in results],
        "attempts": [one.attempt for one, _ in results],
        "statuses": [posted.status for _, posted in results],
        "errors": [posted.error for _, posted in results],
        "states": [result[0] for result in settled],
        "steps": [result[1] for result in settled],
        "dues": [result[2] for result in settled],
        "ats": [posted.at for _, posted in results],
        "millis": [posted.millis for _, posted in results],
        "signatures": [posted.signature for _, posted in results],
        "headers": [json.dumps(posted.headers) for _, posted in results],
        "answers": [posted.answer for _, posted in results],
    }


def _count(batch: EndpointBatch, results: Results, moment: datetime) -> None:
    params = {"tenant_id": current_tenant_id(), **_count_params(batch, results, moment)}
    db.session.execute(COUNT_DAY, params)


def _count_params(batch: EndpointBatch, results: Results, moment: datetime) -> dict[str, Any]:
    delivered = sum(posted.delivered for _, posted in results)
    return {
        "endpoint_id": batch.uuid,
        "day": moment.date(),
        "delivered": delivered,
        "failed": len(results) - delivered,
        "took": sum(posted.millis for _, posted in results),
    }


def _put_back(rest: Sequence[ClaimedDelivery], moment: datetime) -> None:
    db.session.execute(
        PUT_BACK,
        {
            "tenant_id": current_tenant_id(),
            "now": moment,
            "ids": [one.uuid for one in rest],
            "attempts": [one.attempt for one in rest],
        },
    )
