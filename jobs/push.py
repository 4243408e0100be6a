"""Send notifications to members' browsers."""

import json
from collections.abc import Callable

from flask import current_app

from core.db import global_scope, notify_workers, tenant_scope
from core.http import OutboundError, Policy
from core.http.sync_client import request
from core.i18n.catalogs import PORTAL_TEXTS
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.security import web_push
from core.settings import Settings
from jobs.engine import round_robin
from tenants import people
from tenants.push import notifications, texts
from tenants.push.notifications import LANE, DueNotification

log = logger(__name__)

WORK_SECONDS, TURN_SECONDS = 20.0, 5.0
TIMEOUT_SECONDS = 10.0
KEEP_SECONDS = 4 * 3600
"""How long the push service keeps a notification for a browser that is not connected."""
GONE = (404, 410)


def drain() -> int:
    acknowledge_wakeup("jobs.push.drain")
    return round_robin.work_lanes(
        "jobs.push.drain", LANE, WORK_SECONDS, _work, _mark_next, turn=TURN_SECONDS
    )


def sweep() -> None:
    """In the sweep's global transaction."""
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.push.drain")


def _work(tenant_id: int) -> int:
    with tenant_scope(tenant_id):
        due = notifications.claim_due()
    for one in due:
        record = _send(one)
        with tenant_scope(tenant_id):
            record(one)
    return len(due)


def _mark_next(tenant_id: int, _done: int) -> None:
    with tenant_scope(tenant_id):
        if notifications.mark_next_due():
            notify_workers("jobs.push.drain")


def _send(one: DueNotification) -> Callable[[DueNotification], None]:
    """Returns what to record."""
    settings: Settings = current_app.extensions["comanda"]
    if one.role is None:
        return notifications.record_gone
    if not settings.vapid_private_key or one.expired or not one.allowed:
        return notifications.record_refusal
    contact = f"mailto:{settings.support_email}" if settings.support_email else settings.base_url
    try:
        answer = request(
            "POST",
            one.endpoint,
            headers={
                "Content-Encoding": "aes128gcm",
                "Content-Type": "application/octet-stream",
                "TTL": str(KEEP_SECONDS),
                "Urgency": "high",
                "Authorization": web_push.authorization(
                    one.endpoint, settings.vapid_private_key, contact
                ),
            },
            body=web_push.encrypt(_payload(one), one.keys),
            policy=Policy(settings.ports_allowed, settings.allow_loopback),
            timeout=TIMEOUT_SECONDS,
        )
    except OutboundError as error:
        log.warning("push notification failed", error=type(error).__name__)
        return notifications.record_failure
    if answer.status in GONE:
        return notifications.record_gone
    if answer.ok:
        return notifications.record_success
    log.warning("push notification failed", status=answer.status)
    retried = answer.status == 429 or answer.status >= 500
    return notifications.record_failure if retried else notifications.record_refusal


def _payload(one: DueNotification) -> bytes:
    """Small, and without names and words of messages unless the member allowed them."""
    with global_scope():
        person = people.get(one.person_id)
        locale = person.locale if person is not None else "en"
    title, body = texts.words_of(one.topic, one.facts, PORTAL_TEXTS, locale, private=one.shows_text)
    told = {"title": title, "body": body, "tag": one.tag, "url": one.path}
    return json.dumps(told, ensure_ascii=False).encode()
