"""Couriers: contacts who deliver for a restaurant, and the secret link to their deliveries."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, Invalid, NotFound, invalid
from core.security import signed_urls
from core.security.signing import BadToken
from core.values.text import one_line
from messaging.contacts import identities as contact_identities
from restaurant.chat_texts import chat_languages
from restaurant.models import Courier, Site
from restaurant.typed_phones import required_phone
from tenants import audit

MAX_COURIERS = 60
PURPOSE = "courier"
PATH = "/courier/"
LINK_HOURS = 24  # a shift and the night after it
CHANGEABLE = frozenset({"name", "phone", "language", "active"})


@dataclass(frozen=True)
class CourierLink:
    """The courier that a link belongs to."""

    tenant_id: int
    courier_id: str
    version: int


def listed(site_id: str, *, active: bool = False) -> list[Courier]:
    query = select(Courier).where(
        Courier.tenant_id == current_tenant_id(),
        Courier.site_id == site_id,
        Courier.removed_at.is_(None),
    )
    if active:
        query = query.where(Courier.active)
    return list(db.session.scalars(query.order_by(Courier.name, Courier.id)))


def get(courier_id: str) -> Courier:
    """Includes removed couriers, because past orders refer to them. Raises NotFound."""
    courier = db.session.get(Courier, (current_tenant_id(), courier_id))
    if courier is None:
        raise NotFound()
    return courier


def names_by_id() -> dict[str, str]:
    """All couriers including removed ones, for the reports on past days."""
    query = select(Courier.id, Courier.name).where(Courier.tenant_id == current_tenant_id())
    return {row.id: row.name for row in db.session.execute(query)}


def get_not_removed(courier_id: str) -> Courier:
    courier = get(courier_id)
    if courier.removed_at is not None:
        raise NotFound()
    return courier


def add(site: Site, name: str, phone: str, language: str = "") -> Courier:
    existing = listed(site.id)
    if len(existing) >= MAX_COURIERS:
        raise Invalid(
            "too_many", "A restaurant can have at most {most} couriers.", most=MAX_COURIERS
        )
    courier = Courier(
        tenant_id=current_tenant_id(),
        site_id=site.id,
        **_checked(site, {"name": name, "phone": phone, "language": language}),
    )
    _check_phone_is_free(existing, courier.phone)
    courier.contact_id = contact_identities.find_or_create(
        courier.phone, "", courier.name, now()
    ).id
    db.session.add(courier)
    db.session.flush()
    audit.record("couriers.added", courier.name, site_id=site.id)
    return courier


def change(site: Site, courier: Courier, values: Mapping[str, Any]) -> Courier:
    """A courier who becomes inactive loses the link at once."""
    before = audit.snapshot(courier)
    clean = _checked(site, {name: values[name] for name in CHANGEABLE & set(values)})
    if clean.get("phone", courier.phone) != courier.phone:
        _check_phone_is_free(
            [one for one in listed(site.id) if one.id != courier.id], clean["phone"]
        )
        courier.contact_id = contact_identities.find_or_create(
            clean["phone"], "", courier.name, now()
        ).id
        courier.link_version += 1
    if courier.active and clean.get("active") is False:
        courier.link_version += 1
    for name, value in clean.items():
        setattr(courier, name, value)
    audit.record_change("couriers.changed", courier.name, before, courier, site_id=site.id)
    return courier


def remove(courier: Courier) -> None:
    courier.removed_at = now()
    courier.active = False
    courier.link_version += 1
    audit.record("couriers.removed", courier.name, site_id=courier.site_id)


def revoke_links(courier: Courier) -> None:
    """Invalidate all links that were given out so far."""
    courier.link_version += 1
    audit.record("couriers.links_ended", courier.name, site_id=courier.site_id)


def link_url(courier: Courier) -> tuple[str, datetime]:
    """The link and its expiry. It lets the holder see and update this courier's deliveries."""
    value = [courier.tenant_id, courier.id, courier.link_version]
    lasts = timedelta(hours=LINK_HOURS)
    return signed_urls.signed_url(PATH, PURPOSE, value, lasts), now() + lasts


def read_link(token: str) -> CourierLink | None:
    try:
        tenant_id, courier_id, version = signed_urls.read_signed(PURPOSE, token)
        return CourierLink(int(tenant_id), str(courier_id), int(version))
    except (BadToken, ValueError, TypeError):
        return None


def courier_of_link(who: CourierLink) -> Courier | None:
    """Runs in the tenant's scope. None if the link was revoked or the courier is inactive."""
    courier = db.session.get(Courier, (current_tenant_id(), who.courier_id))
    if courier is None or courier.removed_at or courier.link_version != who.version:
        return None
    return courier if courier.active else None


def _checked(site: Site, values: Mapping[str, Any]) -> dict[str, Any]:
    clean = dict(values)
    if "name" in clean:
        clean["name"] = one_line(str(clean["name"]), 80)
        if not clean["name"]:
            raise invalid("name", "name_missing", "Enter a name for the courier.")
    if "phone" in clean:
        clean["phone"] = required_phone(str(clean["phone"]))
    if "language" in clean:
        clean["language"] = clean["language"] or site.languages[0]
        if not (clean["language"] in chat_languages() or clean["language"] in site.languages):
            raise invalid(
                "language", "invalid_language", "Enter a language code, such as tr or en."
            )
    return clean


def _check_phone_is_free(others: list[Courier], phone: str) -> None:
    if any(one.phone == phone for one in others):
        raise Conflict("courier_known", "There is already a courier with this phone number.")
