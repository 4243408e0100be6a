"""Endpoints: the URLs to which a business has its events sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, bindparam, func, or_, select, update

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import Conflict, NotFound, invalid
from core.http import BadUrl, Policy, RefusedAddress, check_url
from core.security.signing import new_webhook_secret
from core.values.text import BadText, normalize_text
from tenants import audit
from webhooks.custom_headers import clean_headers, pack_headers
from webhooks.delivery import fanout, reasons
from webhooks.event_types import clean_subscription
from webhooks.events import wake_delivery_worker
from webhooks.filters import clean_conditions
from webhooks.listeners import update_listeners
from webhooks.models import Endpoint, WebhookDelivery

MAX_ENDPOINTS = 20
OVERLAP = timedelta(hours=24)
MAX_OVERLAP = timedelta(days=7)
FAILURES_BEFORE_PAUSE = 5  # failures in a row; then one try at a time


@dataclass(frozen=True)
class EndpointFields:
    """What may be changed about an endpoint; None leaves it as it is."""

    url: str | None = None
    events: list[str] | None = None
    description: str | None = None
    line_ids: list[int] | None = None
    """Lines of the tenant, which the caller has checked. Empty: all lines."""
    filters: list[dict[str, Any]] | None = None
    headers: dict[str, str] | None = None
    ordered: bool | None = None


def register(fields: EndpointFields, policy: Policy, *, test: bool = False) -> Endpoint:
    """Create an endpoint with a new secret. Raises Conflict or Invalid."""
    fanout.lock_feed()
    if sum(one.test == test for one in list_endpoints()) >= MAX_ENDPOINTS:
        raise Conflict(
            "too_many_endpoints",
            "You can have at most {most} webhook endpoints.",
            most=MAX_ENDPOINTS,
        )
    endpoint = Endpoint(
        tenant_id=current_tenant_id(),
        url=_url(fields.url or "", policy),
        events=clean_subscription(fields.events or []),
        description=_description(fields.description or ""),
        secret=new_webhook_secret(),
        line_ids=sorted(set(fields.line_ids or [])) or None,
        filters=clean_conditions(fields.filters or []),
        headers=pack_headers(clean_headers(fields.headers or {})),
        ordered=bool(fields.ordered),
        test=test,
    )
    db.session.add(endpoint)
    db.session.flush()
    update_listeners()
    audit.record("webhooks.added", endpoint.url, events=endpoint.events)
    return endpoint


def change(endpoint_id: str, fields: EndpointFields, policy: Policy) -> Endpoint:
    endpoint = get(endpoint_id)
    before = audit.snapshot(endpoint)
    if fields.url is not None:
        endpoint.url = _url(fields.url, policy)
    if fields.events is not None:
        _subscribe(endpoint, clean_subscription(fields.events))
    if fields.description is not None:
        endpoint.description = _description(fields.description)
    _change_selection(endpoint, fields)
    audit.record_change("webhooks.changed", endpoint.url, before, endpoint, events=endpoint.events)
    return endpoint


def _change_selection(endpoint: Endpoint, fields: EndpointFields) -> None:
    """Events that have no number yet were published under the old selection."""
    if any(one is not None for one in (fields.line_ids, fields.filters, fields.ordered)):
        fanout.lock_feed()
        fanout.number_all_events()
    if fields.line_ids is not None:
        endpoint.line_ids = sorted(set(fields.line_ids)) or None
    if fields.filters is not None:
        endpoint.filters = clean_conditions(fields.filters)
    if fields.headers is not None:
        endpoint.headers = pack_headers(clean_headers(fields.headers))
    if fields.ordered is not None:
        endpoint.ordered = fields.ordered


def _subscribe(endpoint: Endpoint, events: list[str]) -> None:
    """Events that have no number yet were published under the old subscription, so they are
    numbered first.
    """
    if events == endpoint.events:
        return
    fanout.lock_feed()
    fanout.number_all_events()
    endpoint.events = events
    db.session.flush()
    update_listeners()


def rotate_secret(endpoint_id: str, overlap: timedelta = OVERLAP) -> Endpoint:
    """Create a new secret. Until the overlap ends, deliveries are signed with both."""
    endpoint = get(endpoint_id)
    if not timedelta(0) <= overlap <= MAX_OVERLAP:
        raise invalid("overlap_hours", "invalid_overlap", "The overlap must be 0 to 168 hours.")
    endpoint.old_secret = endpoint.secret if overlap else None
    endpoint.old_secret_until = now() + overlap if overlap else None
    endpoint.secret = new_webhook_secret()
    audit.record("webhooks.rotated", endpoint.url, overlap_hours=overlap.total_seconds() / 3600)
    return endpoint


def set_enabled(endpoint_id: str, on: bool) -> Endpoint:
    """Switching off cancels waiting deliveries; switching on resets the failures and starts with
    new events.
    """
    endpoint = get(endpoint_id)
    if endpoint.enabled == on:
        return endpoint
    fanout.lock_feed()
    if on:
        endpoint.enabled, endpoint.disabled_because, endpoint.disabled_at = True, "", None
        endpoint.listens_since = func.clock_timestamp()
        reset_failures(endpoint)
    else:
        switch_off(endpoint, "person")
    db.session.flush()
    update_listeners()
    audit.record("webhooks.switched_on" if on else "webhooks.switched_off", endpoint.url)
    return endpoint


def switch_off(endpoint: Endpoint, because: str) -> None:
    endpoint.enabled, endpoint.disabled_because, endpoint.disabled_at = False, because, now()
    cancel_waiting_deliveries(endpoint.id, reasons.SWITCHED_OFF)


def remove(endpoint_id: str) -> None:
    """Its deliveries stay readable until they expire; its secret is deleted now."""
    endpoint = get(endpoint_id)
    fanout.lock_feed()
    cancel_waiting_deliveries(endpoint.id, reasons.REMOVED)
    endpoint.removed_at, endpoint.enabled = now(), False
    endpoint.secret, endpoint.old_secret = new_webhook_secret(), None
    db.session.flush()
    update_listeners()
    audit.record("webhooks.removed", endpoint.url)


def reset_failures(endpoint: Endpoint) -> None:
    endpoint.failures, endpoint.failing_since, endpoint.rests_until = 0, None, None
    endpoint.letters = 0


def cancel_waiting_deliveries(endpoint_id: str, reason: str) -> None:
    db.session.execute(
        update(WebhookDelivery)
        .where(
            WebhookDelivery.tenant_id == current_tenant_id(),
            WebhookDelivery.endpoint_id == endpoint_id,
            WebhookDelivery.due_at.is_not(None),
            WebhookDelivery.state == "waiting",
        )
        .values(state="cancelled", due_at=None, error=reason, changed_at=now())
    )


def send_test_event(endpoint_id: str) -> str:
    """Queue a test event. Returns the id of its delivery, which is sent at once. Raises Conflict if
    the endpoint is switched off.
    """
    endpoint = get(endpoint_id)
    require_enabled(endpoint)
    delivery_id = fanout.create_test_delivery(endpoint)
    audit.record("webhooks.tested", endpoint.url)
    wake_delivery_worker()
    return delivery_id


def require_enabled(endpoint: Endpoint) -> None:
    if not endpoint.enabled:
        raise Conflict("endpoint_off", "The endpoint is turned off. Turn it on first.")


def get(endpoint_id: str) -> Endpoint:
    endpoint = db.session.get(Endpoint, (current_tenant_id(), endpoint_id))
    if endpoint is None or endpoint.removed_at is not None:
        raise NotFound()
    return endpoint


ENDPOINTS = (
    select(Endpoint)
    .where(Endpoint.tenant_id == THIS_TENANT)
    .order_by(Endpoint.id.desc())
    .limit(200)
)


FAILING = (
    select(Endpoint.id, Endpoint.url, Endpoint.enabled)
    .where(
        Endpoint.tenant_id == THIS_TENANT,
        Endpoint.removed_at.is_(None),
        or_(
            and_(Endpoint.enabled.is_(False), Endpoint.disabled_because == "failing"),
            Endpoint.failing_since.is_not(None),
        ),
    )
    .order_by(Endpoint.id.desc())
    .limit(bindparam("most"))
)


def failing_endpoints(most: int) -> Sequence[Any]:
    """Id, URL and switch of endpoints that accept no events, or were turned off for that reason."""
    return read_rows(FAILING, {"most": most})


def list_endpoints() -> list[Endpoint]:
    return [one for one in list_with_removed() if one.removed_at is None]


def list_with_removed() -> list[Endpoint]:
    """Includes removed ones, because their deliveries are still shown."""
    return list(db.session.scalars(ENDPOINTS))


def state_of(endpoint: Endpoint) -> str:
    """`off`, `failing` (nothing arrives for now), `shaky` (the last try failed), `new`, `well`."""
    if not endpoint.enabled:
        return "off"
    if endpoint.failures >= FAILURES_BEFORE_PAUSE:
        return "failing"
    if endpoint.failures:
        return "shaky"
    return "well" if endpoint.last_success_at else "new"


def secrets_of(endpoint: Endpoint, at: datetime) -> tuple[str, ...]:
    """The secrets that sign a delivery at that moment, the newest first."""
    until = endpoint.old_secret_until
    if endpoint.old_secret is not None and until is not None and until > at:
        return endpoint.secret, endpoint.old_secret
    return (endpoint.secret,)


def _url(url: str, policy: Policy) -> str:
    """Checks the form and any literal address; a name is resolved at every delivery."""
    try:
        return str(check_url(url.strip(), policy))
    except (BadUrl, RefusedAddress) as error:
        raise invalid("url", "invalid_url", "{fault}", fault=str(error)) from None


def _description(text: str) -> str:
    try:
        return normalize_text(text)[:200]
    except BadText:
        raise invalid(
            "description", "invalid_text", "The text contains an invalid character."
        ) from None
