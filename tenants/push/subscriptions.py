"""A member's browsers that receive notifications."""

from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, NotFound, invalid
from core.http import OutboundError, Policy, check_url
from core.ids import new_id
from core.security.web_push import BadSubscription, BrowserKeys
from tenants import audit
from tenants.push.models import PushSubscription

# The permission that each topic needs.
TOPICS = {
    "assigned": "inbox.reply",
    "messages": "inbox.view",
    "orders": "orders.view",
    "printers": "printing.view",
}
MOST_OF_PERSON = 20
LONGEST_ENDPOINT = 1000


def subscribe(
    person_id: str,
    endpoint: str,
    keys: BrowserKeys,
    *,
    topics: Sequence[str],
    shows_text: bool,
    device: str,
    policy: Policy,
) -> PushSubscription:
    """Add a browser, or change what the same browser receives."""
    _check(endpoint, keys, policy)
    wanted = [topic for topic in TOPICS if topic in topics]
    if not wanted:
        raise invalid("topics", "no_topics", "Choose at least one kind of notification.")
    key = sha256(endpoint.encode()).hexdigest()
    known = list_of(person_id)
    found = next((one for one in known if one.endpoint_hash == key), None)
    if found is None:
        if len(known) >= MOST_OF_PERSON:
            raise Conflict(
                "too_many_devices",
                "You have notifications on {most} devices. Turn them off on one of them first.",
                most=MOST_OF_PERSON,
            )
        found = PushSubscription(
            tenant_id=current_tenant_id(),
            id=new_id("psh"),
            person_id=person_id,
            endpoint=endpoint,
            endpoint_hash=key,
            created_at=now(),
        )
        db.session.add(found)
        audit.record("push.subscribed", device[:120])
    found.public_key, found.auth_secret = keys.public_key, keys.auth_secret
    found.topics, found.shows_text, found.device = wanted, shows_text, device[:120]
    db.session.flush()
    return found


def list_of(person_id: str) -> list[PushSubscription]:
    query = select(PushSubscription).where(
        PushSubscription.tenant_id == current_tenant_id(), PushSubscription.person_id == person_id
    )
    return list(db.session.scalars(query.order_by(PushSubscription.id)))


def get(person_id: str, subscription_id: str) -> PushSubscription:
    found = db.session.get(PushSubscription, (current_tenant_id(), subscription_id))
    if found is None or found.person_id != person_id:
        raise NotFound()
    return found


def remove(person_id: str, subscription_id: str) -> None:
    found = get(person_id, subscription_id)
    audit.record("push.unsubscribed", found.device)
    db.session.delete(found)
    db.session.flush()


def remove_person(person_id: str) -> None:
    """The member has left the team."""
    for one in list_of(person_id):
        db.session.delete(one)
    db.session.flush()


def _check(endpoint: str, keys: BrowserKeys, policy: Policy) -> None:
    try:
        if len(endpoint) > LONGEST_ENDPOINT:
            raise BadSubscription("the address is too long")
        check_url(endpoint, policy)
        keys.check()
    except (OutboundError, BadSubscription):
        raise invalid(
            "endpoint",
            "invalid_subscription",
            "This browser’s notification address is not valid. Reload the page and try again.",
        ) from None
