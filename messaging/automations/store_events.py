"""Store the events of stores and forms, with the customer's phone and links to other events."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert as upsert

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import new_id
from core.values.phone import normalize_strict
from messaging.automations import connections as store_connections
from messaging.automations.reasons import NO_PHONE, NO_PHONE_SENT, with_detail
from messaging.contacts import identities as contact_identities
from messaging.models import Connection, StoreEvent, StoreLink
from tenants import accounts
from webhooks.inbound import reasons as hook_reasons
from webhooks.inbound.hook_queue import ClaimedHook
from webhooks.stores.base import ParsedEvent, ParseResult, PhoneHint, UnreadableBody
from webhooks.stores.registry import PLATFORMS

LINK_RETENTION = timedelta(days=60)


def parse_hook(hook: ClaimedHook) -> ParseResult:
    """Parse a stored post. Raises UnreadableBody."""
    platform = PLATFORMS.get(hook.kind)
    if platform is None:
        raise UnreadableBody(hook_reasons.with_values(hook_reasons.UNKNOWN_KIND, kind=hook.kind))
    return platform.parse(hook.facts, hook.body)


def store_event(parsed: ParsedEvent, hook: ClaimedHook) -> StoreEvent | None:
    """Store the event with the customer's phone. Returns None if its connection was removed."""
    connection = db.session.get(Connection, (current_tenant_id(), hook.target))
    if connection is None or connection.removed_at is not None:
        return None
    region = connection.country or accounts.account().country
    if complete := PLATFORMS[hook.kind].complete:
        parsed = complete(parsed, connection.mapping, region)
    parsed = _with_subject(parsed, hook)
    earlier = _order_before(connection.id, parsed)
    phone, why = usable_phone(parsed.phones, region)
    if not phone and earlier is not None and (earlier.phone or not parsed.phones):
        phone, why = earlier.phone, earlier.no_phone
    event = StoreEvent(
        tenant_id=current_tenant_id(),
        id=new_id("sev"),
        connection_id=connection.id,
        hook_id=hook.id,
        kind=parsed.kind,
        subject=parsed.subject,
        cause=parsed.cause,
        phone=phone,
        no_phone=why,
        data=_with_missing_fields(parsed.data, earlier),
        at=now(),
    )
    db.session.add(event)
    db.session.flush()
    _store_links(event, parsed)
    _update_contact(event)
    store_connections.record_event_seen(connection.id, event.at)
    return event


def usable_phone(hints: Sequence[PhoneHint], region: str) -> tuple[str, str]:
    """Return the first usable number and "", or "" and the reason why there is none."""
    for hint in hints:
        digits = normalize_strict(hint.written, hint.country or region or None)
        if digits is not None:
            return digits, ""
    if not hints:
        return "", NO_PHONE_SENT
    tried = dict.fromkeys(f"“{hint.written}” ({hint.country or region or '?'})" for hint in hints)
    return "", with_detail(NO_PHONE, ", ".join(tried))


def last_event(kinds: Sequence[str], connection_id: str | None = None) -> StoreEvent | None:
    """Return the last real event, for a preview."""
    query = select(StoreEvent).where(
        StoreEvent.tenant_id == current_tenant_id(), StoreEvent.kind.in_(kinds)
    )
    if connection_id:
        query = query.where(StoreEvent.connection_id == connection_id)
    return db.session.scalars(query.order_by(StoreEvent.id.desc()).limit(1)).first()


def events_of_hooks(hook_ids: Sequence[str]) -> list[StoreEvent]:
    return list(
        db.session.scalars(
            select(StoreEvent)
            .where(StoreEvent.tenant_id == current_tenant_id(), StoreEvent.hook_id.in_(hook_ids))
            .order_by(StoreEvent.id)
        )
    )


def checkouts_of(order: StoreEvent) -> list[str]:
    """Return the subjects of the checkouts that this order came from."""
    return list(
        db.session.scalars(
            select(StoreLink.subject)
            .where(
                StoreLink.tenant_id == current_tenant_id(),
                StoreLink.connection_id == order.connection_id,
                StoreLink.link.in_(_links_of(order)),
                StoreLink.side == "checkout",
            )
            .distinct()
        )
    )


def has_order(checkout: StoreEvent) -> bool:
    """Return whether a checkout led to an order.

    An id that both share always counts; the same phone or e-mail only if the order came later.
    """
    rows = db.session.execute(
        select(StoreLink.link, StoreLink.event_id).where(
            StoreLink.tenant_id == current_tenant_id(),
            StoreLink.connection_id == checkout.connection_id,
            StoreLink.link.in_(_links_of(checkout)),
            StoreLink.side == "order",
        )
    )
    first = _first_event_id(checkout)
    return any(not _weak_link(row.link) or row.event_id > first for row in rows)


def delete_old_links() -> int:
    """Delete old links. Events are kept longer, because runs are shown with them."""
    old = delete(StoreLink).where(
        StoreLink.tenant_id == current_tenant_id(), StoreLink.at < now() - LINK_RETENTION
    )
    return len(db.session.execute(old.returning(StoreLink.subject)).all())


def _with_subject(parsed: ParsedEvent, hook: ClaimedHook) -> ParsedEvent:
    """Name a form submission without an id after the post that brought it."""
    if parsed.cause:
        return parsed
    name = f"submission:{hook.id}"
    return replace(parsed, subject=name, cause=name)


def _order_before(connection_id: str, parsed: ParsedEvent) -> StoreEvent | None:
    """Return the last event of this order, or None.

    A shipment event has few fields; the missing ones come from the earlier event.
    """
    if not parsed.kind.startswith("order.") or parsed.kind == "order.created":
        return None
    return db.session.scalars(
        select(StoreEvent)
        .where(
            StoreEvent.tenant_id == current_tenant_id(),
            StoreEvent.connection_id == connection_id,
            StoreEvent.subject == parsed.subject,
        )
        .order_by(StoreEvent.id.desc())
        .limit(1)
    ).first()


def _with_missing_fields(data: dict[str, Any], earlier: StoreEvent | None) -> dict[str, Any]:
    if earlier is None:
        return data
    made = {**earlier.data, **data}
    for place in ("customer", "order", "tracking"):
        before, given = earlier.data.get(place), data.get(place)
        if isinstance(before, dict) and isinstance(given, dict):
            made[place] = {**before, **{name: value for name, value in given.items() if value}}
    return made


def _store_links(event: StoreEvent, parsed: ParsedEvent) -> None:
    side = "order" if parsed.kind.startswith("order.") or parsed.over else "checkout"
    if parsed.kind in ("form.submitted", "order.cancelled", "order.fulfilled", "order.updated"):
        return
    event.data = {
        **event.data,
        "links": [*parsed.links, *_weak_links(event)],
        "over": parsed.over,
    }
    for link in event.data["links"]:
        row = upsert(StoreLink).values(
            tenant_id=event.tenant_id,
            connection_id=event.connection_id,
            link=link[:300],
            side=side,
            subject=event.subject,
            event_id=event.id,
            at=event.at,
        )
        keys = [StoreLink.tenant_id, StoreLink.connection_id, StoreLink.link, StoreLink.side]
        db.session.execute(
            row.on_conflict_do_update(
                index_elements=[*keys, StoreLink.subject], set_={"at": row.excluded.at}
            )
        )
    db.session.flush()


def _weak_links(event: StoreEvent) -> list[str]:
    email = str(event.data.get("customer", {}).get("email", "")).lower()
    found = [f"phone:{event.phone}" if event.phone else "", f"email:{email}" if email else ""]
    return [link for link in found if link]


def _weak_link(link: str) -> bool:
    return link.startswith(("phone:", "email:"))


def _links_of(event: StoreEvent) -> list[str]:
    return [str(link)[:300] for link in event.data.get("links", [])]


def _first_event_id(checkout: StoreEvent) -> str:
    first = db.session.scalars(
        select(StoreEvent.id)
        .where(
            StoreEvent.tenant_id == current_tenant_id(),
            StoreEvent.connection_id == checkout.connection_id,
            StoreEvent.subject == checkout.subject,
        )
        .order_by(StoreEvent.id)
        .limit(1)
    ).first()
    return first or checkout.id


def _update_contact(event: StoreEvent) -> None:
    """Create the contact of a form or an order; a ticked consent ends an earlier opt-out."""
    if not event.phone or event.kind not in ("form.submitted", "order.created"):
        return
    name = str(event.data.get("customer", {}).get("name", ""))
    met = contact_identities.find_or_create(event.phone, "", name, event.at)
    if event.data.get("consent") is True and met.opted_out_at is not None:
        contact_identities.record_opt_in(met.id, event.at)
