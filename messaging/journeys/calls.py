"""Calls to other services: a tenant's own address, or the store that an order came from.

A call is made at most once. The guarded client refuses private addresses and follows no redirect.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from core.clock import now, zone
from core.db import current_tenant_id, db
from core.http.errors import OutboundError
from core.http.guard import Policy
from core.http.sync_client import request
from core.values.reasons import encode_reason
from core.values.text import one_line
from messaging.journeys import effects, engine, reasons, repository
from messaging.journeys.definition import LATEST_ORDER, CallUrl, StoreUpdate
from messaging.journeys.engine import CALLING, CallDone, RunState
from messaging.models import Connection, Journey, JourneyRun, StoreEvent
from tenants import accounts
from webhooks.stores.base import OrderRequest, StoreAccess
from webhooks.stores.registry import PLATFORMS

TIMEOUT = 10.0
MOST_BYTES = 64 * 1024
LONGEST_TEXT = 1000


@dataclass(frozen=True)
class CallWork:
    visit: int
    requests: tuple[OrderRequest, ...] = ()
    obstacle: str = ""
    field: str = field(default="text")


def prepare(run_id: str) -> CallWork | None:
    """Read what is to be called, in a transaction. None: the run has ended."""
    run = db.session.get(JourneyRun, (current_tenant_id(), run_id))
    if run is None or run.waits != CALLING:
        return None
    definition = repository.version_of_run(run)
    step = definition.get(run.step)
    if isinstance(step, CallUrl):
        return CallWork(run.visit, (_own_request(run, step),))
    if isinstance(step, StoreUpdate):
        return _store_work(run, step)
    return CallWork(run.visit, obstacle=reasons.LOST_STEP)


def make(work: CallWork, policy: Policy) -> CallDone:
    """Make the requests one after another; the first failure ends it."""
    if work.obstacle:
        return CallDone(False, because=work.obstacle)
    text = ""
    for one in work.requests:
        try:
            reply = request(
                one.method,
                one.url,
                policy=policy,
                headers=dict(one.headers),
                body=one.body,
                timeout=TIMEOUT,
                max_body=MOST_BYTES,
                truncate=True,
            )
        except OutboundError as error:
            return CallDone(False, because=_refusal(type(error).__name__))
        answer = _read(reply.body)
        if not 200 <= reply.status < 300:
            return CallDone(False, because=_refusal(f"HTTP {reply.status}"))
        if one.error_in is not None and (told := one.error_in(answer)):
            return CallDone(False, because=_refusal(told))
        text = one_line(str(answer.get(work.field) or ""), LONGEST_TEXT)
    return CallDone(True, text)


def _own_request(run: JourneyRun, step: CallUrl) -> OrderRequest:
    moment = now().astimezone(zone(accounts.account().time_zone))
    facts = effects.read_facts(
        run, moment, orders=LATEST_ORDER in step.url, menu="menu.link" in step.url
    )
    values = {name: str(value) for name, value in run.values.items()}
    state = RunState(run.step, run.visit, values=values)
    journey = db.session.get(Journey, (current_tenant_id(), run.journey_id))
    body = {
        "run_id": run.id,
        "journey_id": run.journey_id,
        "journey": journey.name if journey is not None else "",
        "step": step.id,
        "visit": run.visit,
        "contact_id": run.contact_id,
        "phone": facts.address,
        "values": values,
    }
    return OrderRequest(
        "POST",
        engine.filled(step.url, state, facts.engine),
        {"Content-Type": "application/json", "Idempotency-Key": f"{run.id}.{run.visit}"},
        json.dumps(body, ensure_ascii=False).encode(),
    )


def _store_work(run: JourneyRun, step: StoreUpdate) -> CallWork:
    event_id = str(run.values.get("store.event") or "")
    event = db.session.get(StoreEvent, (current_tenant_id(), event_id)) if event_id else None
    shop = db.session.get(Connection, (current_tenant_id(), event.connection_id)) if event else None
    order_id = _order_id(event)
    if shop is None or shop.removed_at is not None or not order_id:
        return CallWork(run.visit, obstacle=reasons.NO_STORE)
    platform = PLATFORMS.get(shop.kind)
    if platform is None or platform.update_order is None or not shop.api_url or not shop.api_key:
        return CallWork(run.visit, obstacle=reasons.NO_STORE)
    access = StoreAccess(shop.api_url, shop.api_key, shop.api_secret or "")
    made = platform.update_order(access, order_id, step.action, step.tag)
    return CallWork(run.visit, tuple(made))


def _order_id(event: StoreEvent | None) -> str:
    order = event.data.get("order") if event is not None else None
    return str(order.get("id") or "") if isinstance(order, dict) else ""


def _read(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _refusal(detail: str) -> str:
    return encode_reason(reasons.CALL_REFUSED, detail=detail[:200])
