"""Reading payment links: one by id, reference or order, a page of them, one locked."""

from dataclasses import dataclass

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.errors import NotFound
from core.ids import from_uuid, to_uuid
from restaurant.models import PaymentLink


@dataclass(frozen=True)
class LinkFilters:
    state: str | None = None
    site_id: str | None = None
    order_id: str | None = None
    reference: str | None = None
    test: bool | None = None


def get(link_id: str) -> PaymentLink:
    found = db.session.get(PaymentLink, (current_tenant_id(), link_id))
    if found is None:
        raise NotFound()
    return found


def by_reference(reference: str) -> PaymentLink | None:
    query = select(PaymentLink).where(
        PaymentLink.tenant_id == current_tenant_id(), PaymentLink.reference == reference
    )
    return db.session.scalars(query).first()


def of_order(order_id: str) -> PaymentLink | None:
    query = select(PaymentLink).where(
        PaymentLink.tenant_id == current_tenant_id(), PaymentLink.order_id == order_id
    )
    return db.session.scalars(query.order_by(PaymentLink.id.desc()).limit(1)).first()


def listed(filters: LinkFilters, after: str | None, limit: int) -> list[PaymentLink]:
    query = select(PaymentLink).where(PaymentLink.tenant_id == current_tenant_id())
    for column, value in (
        (PaymentLink.state, filters.state),
        (PaymentLink.site_id, filters.site_id),
        (PaymentLink.order_id, filters.order_id),
        (PaymentLink.reference, filters.reference),
    ):
        if value:
            query = query.where(column == value)
    if filters.test is not None:
        query = query.where(PaymentLink.test == filters.test)
    if after:
        query = query.where(PaymentLink.id < from_uuid("plk", to_uuid("plk", after)))
    return list(db.session.scalars(query.order_by(PaymentLink.id.desc()).limit(limit)))


def lock_link(link: PaymentLink) -> PaymentLink:
    """Return the current row, locked. Lock the cart and the order first: all callers do."""
    query = select(PaymentLink).where(
        PaymentLink.tenant_id == link.tenant_id, PaymentLink.id == link.id
    )
    fresh = query.with_for_update().execution_options(populate_existing=True)
    return db.session.scalars(fresh).one()
