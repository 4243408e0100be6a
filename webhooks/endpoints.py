"""Endpoints: where a business wants to hear of its events."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db, ring
from core.errors import Conflict, NotFound, invalid
from core.lookups import Lookup, withdraw
from core.outbound import BadUrl, Policy, RefusedAddress, check_url
from core.signing import new_webhook_secret
from core.texts import BadText, clean
from tenants import audit
from webhooks import fanout
from webhooks.kinds import chosen
from webhooks.models import Delivery, Endpoint
from webhooks.publishing import announce

MOST = 20
OVERLAP = timedelta(hours=24)
LONGEST_OVERLAP = timedelta(days=7)
BREAKS_AFTER = 5  # failures in a row; then one try at a time
WAS_OFF = "The endpoint was switched off."
LOOKUP = "deliveries"  # tenants with an endpoint that listens


@dataclass(frozen=True)
class Wishes:
    """What may be changed about an endpoint; None leaves it as it is."""

    url: str | None = None
    events: list[str] | None = None
    description: str | None = None


def register(wishes: Wishes, policy: Policy, *, test: bool = False) -> Endpoint:
    """Its secret is made here and shown to whoever registered it."""
    fanout.lock_feed()
    if sum(one.test == test for one in listed()) >= MOST:
        raise Conflict("too_many_endpoints", "There can be {most} endpoints.", most=MOST)
    endpoint = Endpoint(
        tenant_id=current_tenant_id(),
        url=_url(wishes.url or "", policy),
        events=chosen(wishes.events or []),
        description=_description(wishes.description or ""),
        secret=new_webhook_secret(),
        test=test,
    )
    db.session.add(endpoint)
    db.session.flush()
    note_listening()
    audit.record("webhooks.added", endpoint.url, events=endpoint.events)
    return endpoint


def change(endpoint_id: str, wishes: Wishes, policy: Policy) -> Endpoint:
    endpoint = get(endpoint_id)
    before = audit.snapshot(endpoint)
    if wishes.url is not None:
        endpoint.url = _url(wishes.url, policy)
    if wishes.events is not None:
        endpoint.events = chosen(wishes.events)
    if wishes.description is not None:
        endpoint.description = _description(wishes.description)
    audit.record_change("webhooks.changed", endpoint.url, before, endpoint, events=endpoint.events)
    return endpoint


def rotate(endpoint_id: str, overlap: timedelta = OVERLAP) -> Endpoint:
    """A new secret. Until the overlap is over, both sign what we send."""
    endpoint = get(endpoint_id)
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise invalid("overlap_hours", "invalid_overlap", "The overlap is 0 to 168 hours.")
    endpoint.old_secret = endpoint.secret if overlap else None
    endpoint.old_secret_until = now() + overlap if overlap else None
    endpoint.secret = new_webhook_secret()
    audit.record("webhooks.rotated", endpoint.url, overlap_hours=overlap.total_seconds() / 3600)
    return endpoint


def set_enabled(endpoint_id: str, on: bool) -> Endpoint:
    """Switched off, what waits for it is cancelled; switched on, it begins anew."""
    endpoint = get(endpoint_id)
    if endpoint.enabled == on:
        return endpoint
    fanout.lock_feed()
    if on:
        endpoint.enabled, endpoint.disabled_because, endpoint.disabled_at = True, "", None
        endpoint.listens_since = func.clock_timestamp()
        forget_failures(endpoint)
    else:
        switch_off(endpoint, "person")
    db.session.flush()
    note_listening()
    audit.record("webhooks.switched_on" if on else "webhooks.switched_off", endpoint.url)
    return endpoint


def switch_off(endpoint: Endpoint, because: str) -> None:
    endpoint.enabled, endpoint.disabled_because, endpoint.disabled_at = False, because, now()
    cancel_waiting(endpoint.id, WAS_OFF)


def remove(endpoint_id: str) -> None:
    """Its deliveries stay readable until they are forgotten; its secret is forgotten now."""
    endpoint = get(endpoint_id)
    fanout.lock_feed()
    cancel_waiting(endpoint.id, "The endpoint was removed.")
    endpoint.removed_at, endpoint.enabled = now(), False
    endpoint.secret, endpoint.old_secret = new_webhook_secret(), None
    db.session.flush()
    note_listening()
    audit.record("webhooks.removed", endpoint.url)


def forget_failures(endpoint: Endpoint) -> None:
    endpoint.failures, endpoint.failing_since, endpoint.rests_until = 0, None, None
    endpoint.letters = 0


def cancel_waiting(endpoint_id: str, because: str) -> None:
    db.session.execute(
        update(Delivery)
        .where(
            Delivery.tenant_id == current_tenant_id(),
            Delivery.endpoint_id == endpoint_id,
            Delivery.due_at.is_not(None),
            Delivery.state == "waiting",
        )
        .values(state="cancelled", due_at=None, error=because, changed_at=now())
    )


def test(endpoint_id: str) -> str:
    """Returns the id of the delivery, which leaves at once."""
    endpoint = get(endpoint_id)
    must_listen(endpoint)
    delivery_id = fanout.send_test(endpoint)
    audit.record("webhooks.tested", endpoint.url)
    announce()
    return delivery_id


def must_listen(endpoint: Endpoint) -> None:
    if not endpoint.enabled:
        raise Conflict("endpoint_off", "The endpoint is switched off. Switch it on first.")


def get(endpoint_id: str) -> Endpoint:
    endpoint = db.session.get(Endpoint, (current_tenant_id(), endpoint_id))
    if endpoint is None or endpoint.removed_at is not None:
        raise NotFound()
    return endpoint


def listed() -> list[Endpoint]:
    return [one for one in known() if one.removed_at is None]


def known() -> list[Endpoint]:
    """Also those that were removed: their deliveries are still shown."""
    rows = db.session.scalars(
        select(Endpoint)
        .where(Endpoint.tenant_id == current_tenant_id())
        .order_by(Endpoint.id.desc())
        .limit(200)
    )
    return list(rows)


def state_of(endpoint: Endpoint) -> str:
    """`off`, `failing` (nothing arrives for now), `shaky` (the last try failed), `new`, `well`."""
    if not endpoint.enabled:
        return "off"
    if endpoint.failures >= BREAKS_AFTER:
        return "failing"
    if endpoint.failures:
        return "shaky"
    return "well" if endpoint.last_success_at else "new"


def secrets_of(endpoint: Endpoint, at: datetime) -> tuple[str, ...]:
    """What a delivery is signed with at that moment, the newest first."""
    until = endpoint.old_secret_until
    if endpoint.old_secret is not None and until is not None and until > at:
        return endpoint.secret, endpoint.old_secret
    return (endpoint.secret,)


def note_listening() -> None:
    """Whether this tenant has anybody to deliver to, where a worker finds it."""
    tenant_id = current_tenant_id()
    ring("jobs.deliveries.find_forgotten")
    listening = db.session.scalar(
        select(func.count())
        .select_from(Endpoint)
        .where(Endpoint.tenant_id == tenant_id, Endpoint.enabled, Endpoint.removed_at.is_(None))
    )
    if not listening:
        withdraw(LOOKUP, str(tenant_id))
        return
    db.session.execute(
        insert(Lookup)
        .values(kind=LOOKUP, key=str(tenant_id), tenant_id=tenant_id, target="")
        .on_conflict_do_nothing()
    )


def _url(url: str, policy: Policy) -> str:
    """Its form and any literal address; a name is resolved at every delivery."""
    try:
        return str(check_url(url.strip(), policy))
    except (BadUrl, RefusedAddress) as error:
        raise invalid("url", "invalid_url", "{fault}", fault=str(error)) from None


def _description(text: str) -> str:
    try:
        return clean(text)[:200]
    except BadText:
        raise invalid(
            "description", "invalid_text", "The text holds a character nobody can read."
        ) from None
