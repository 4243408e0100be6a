"""Keys of partners: shown once, stored as a hash, refused as soon as they are revoked."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select, update

from core.clock import now
from core.db import db
from core.errors import NotFound
from core.lookups import secret_digest
from tenants import api_keys, audit
from tenants.partners.models import Partner, PartnerKey
from tenants.people import clean_name

MODE = "partner"  # keys begin with ck_partner_


@dataclass(frozen=True)
class PartnerCaller:
    """The partner and the key of a request."""

    partner_id: str
    name: str
    key_id: str
    key_name: str
    plans: tuple[str, ...]
    most_tenants: int
    suspended_at: datetime | None


def is_well_formed(secret: str) -> bool:
    return api_keys.is_well_formed(secret, (MODE,))


def create(partner: Partner, name: str) -> tuple[PartnerKey, str]:
    """Returns the key and its secret, which cannot be read again."""
    secret = api_keys.new_secret(MODE)
    key = PartnerKey(
        partner_id=partner.id,
        name=clean_name(name),
        prefix=secret[:15],
        key_hash=secret_digest(secret),
        created_by=audit.current_actor().name,
    )
    db.session.add(key)
    db.session.flush()
    return key, secret


def list_keys(partner: Partner) -> list[PartnerKey]:
    """Active ones first, newest first."""
    query = select(PartnerKey).where(PartnerKey.partner_id == partner.id)
    order = query.order_by(PartnerKey.revoked_at.is_not(None), PartnerKey.id.desc())
    return list(db.session.scalars(order.limit(200)))


def revoke(partner: Partner, key_id: str) -> PartnerKey:
    key = db.session.get(PartnerKey, key_id)
    if key is None or key.partner_id != partner.id:
        raise NotFound()
    if key.revoked_at is None:
        key.revoked_at = now()
    return key


def find_caller(secret: str) -> PartnerCaller | None:
    """Read at every request, so that a revoked key is refused at once. None: not a valid key."""
    row = db.session.execute(
        select(PartnerKey, Partner)
        .join(Partner, Partner.id == PartnerKey.partner_id)
        .where(PartnerKey.key_hash == secret_digest(secret), PartnerKey.revoked_at.is_(None))
    ).first()
    if row is None:
        return None
    key, partner = row
    _record_use(key.id)
    return PartnerCaller(
        partner.id,
        partner.name,
        key.id,
        key.name,
        tuple(partner.plans),
        partner.most_tenants,
        partner.suspended_at,
    )


def _record_use(key_id: str) -> None:
    moment = now()
    before = moment - api_keys.RECORD_USE_EVERY
    db.session.execute(
        update(PartnerKey)
        .where(
            PartnerKey.id == key_id,
            or_(PartnerKey.last_used_at.is_(None), PartnerKey.last_used_at < before),
        )
        .values(last_used_at=moment)
    )
