"""Coupons: an unguessable code, used once, and released if the order is cancelled."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import Select, bindparam, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db
from core.errors import Conflict, Invalid, NotFound
from core.i18n.catalogs import N_
from core.ids import from_uuid, new_id, to_uuid
from core.values.text import one_line
from restaurant.loyalty import coupon_codes, coupon_terms
from restaurant.loyalty.coupon_terms import CouponRefusal, CouponTerms
from restaurant.menus.pricing import PricedItem
from restaurant.models import Coupon, Order, Reward, Site
from tenants import audit

STATES = ("open", "used", "expired", "cancelled")
# Messages for the staff and API callers; those for diners are in portal/diner/texts.py.
REFUSAL_TEXTS = {
    "unknown": N_("This coupon does not exist."),
    "used": N_("This coupon was already used."),
    "expired": N_("This coupon has expired."),
    "cancelled": N_("This coupon was cancelled."),
    "other_site": N_("This coupon is for another restaurant."),
    "below_minimum": N_("This coupon requires an order of at least {amount}."),
    "item_missing": N_("This coupon is for {name}. Add it to the order."),
    "not_yours": N_("This coupon belongs to another guest."),
    "limit": N_("This guest has reached the limit for this reward."),
}
ALREADY_USED = REFUSAL_TEXTS["used"]


class CouponRefused(Invalid):
    def __init__(self, refusal: CouponRefusal) -> None:
        super().__init__(
            f"coupon_{refusal.why}",
            REFUSAL_TEXTS[refusal.why],
            amount=f"{refusal.amount.normalize():f}" if refusal.amount else "",
            name=refusal.name,
        )
        self.refusal = refusal


@dataclass(frozen=True)
class CouponOffer:
    """A coupon that is valid for a cart, and its discount."""

    coupon: Coupon
    discount: Decimal


@dataclass(frozen=True)
class CouponFilters:
    state: str | None = None
    reward_id: str | None = None
    contact_id: str | None = None
    code: str | None = None


def issue(
    reward: Reward,
    *,
    source: str,
    contact_id: str | None = None,
    cause: str | None = None,
    days: int | None = None,
) -> Coupon:
    """Issue a coupon. Returns the existing one if this cause already has one."""
    return issue_many(reward, [contact_id], source=source, causes=[cause], days=days)[0]


def issue_many(
    reward: Reward,
    contact_ids: Sequence[str | None],
    *,
    source: str,
    causes: Sequence[str | None],
    days: int | None = None,
) -> list[Coupon]:
    """Same order as the input. Concurrent calls for the same cause return the same coupon."""
    if not reward.active or reward.removed_at is not None:
        raise Conflict("reward_ended", "This reward is no longer available.")
    moment, promise = now(), coupon_terms.terms_of_reward(reward).as_json()
    expires_at = moment + timedelta(days=days or reward.valid_days)
    rows = [
        {
            "tenant_id": current_tenant_id(),
            "id": new_id("cpn"),
            "code": coupon_codes.new_code(),
            "reward_id": reward.id,
            "terms": promise,
            "contact_id": contact_id,
            "state": "open",
            "source": source,
            "cause": cause,
            "issued_by": audit.current_actor().name,
            "issued_at": moment,
            "expires_at": expires_at,
            "cancelled_because": "",
        }
        for contact_id, cause in zip(contact_ids, causes, strict=True)
    ]
    if not rows:
        return []
    made = insert(Coupon).on_conflict_do_nothing(index_elements=["tenant_id", "cause"])
    db.session.execute(made, rows)
    conditions = [Coupon.id.in_([row["id"] for row in rows])]
    if known := [cause for cause in causes if cause is not None]:
        conditions.append(Coupon.cause.in_(known))
    found = list(db.session.scalars(_of_tenant().where(or_(*conditions))))
    by_cause = {one.cause: one for one in found if one.cause is not None}
    by_id = {one.id: one for one in found}
    return [
        by_cause[cause] if cause else by_id[str(row["id"])]
        for row, cause in zip(rows, causes, strict=True)
    ]


def get(name: str) -> Coupon:
    """Find a coupon by its id or by its code in any spelling. Raises NotFound."""
    if name.startswith("cpn_"):
        found = db.session.get(Coupon, (current_tenant_id(), name))
    else:
        found = by_code(name)
    if found is None:
        raise NotFound()
    return found


def by_code(typed: str, *, lock: bool = False) -> Coupon | None:
    code = coupon_codes.normalize(typed)
    if code is None:
        return None
    query = _of_tenant().where(Coupon.code == code)
    if lock:
        query = query.with_for_update().execution_options(populate_existing=True)
    return db.session.scalars(query).first()


def state_of(coupon: Coupon, moment: datetime | None = None) -> str:
    if coupon.state == "open" and coupon.expires_at <= (moment or now()):
        return "expired"
    return coupon.state


def offer_for_cart(
    site: Site,
    typed: str,
    items: Sequence[PricedItem],
    contact_id: str | None = None,
    moment: datetime | None = None,
) -> CouponOffer:
    """The discount of a code on these items at this site. Raises CouponRefused."""
    coupon = by_code(typed)
    why = refusal_of(coupon, site, items, contact_id, moment)
    if why is not None or coupon is None:
        raise CouponRefused(why or CouponRefusal("unknown"))
    return CouponOffer(
        coupon,
        coupon_terms.calculate_discount(
            coupon_terms.read_terms(coupon.terms), items, site.currency
        ),
    )


def refusal_of(
    coupon: Coupon | None,
    site: Site,
    items: Sequence[PricedItem],
    contact_id: str | None,
    moment: datetime | None = None,
) -> CouponRefusal | None:
    """`moment` is when the cart was created: a coupon entered in time is valid with its cart."""
    if coupon is None:
        return CouponRefusal("unknown")
    state = state_of(coupon, moment)
    if state != "open":
        return CouponRefusal(state)
    if coupon.contact_id is not None and contact_id not in (None, coupon.contact_id):
        return CouponRefusal("not_yours")
    if contact_id is not None and _limit_reached(coupon, contact_id):
        return CouponRefusal("limit")
    return coupon_terms.find_refusal(coupon_terms.read_terms(coupon.terms), site, items)


def use_coupon(coupon: Coupon, discount: Decimal, order_id: str | None = None) -> bool:
    """Mark the coupon as used. Returns False if a concurrent caller used it first."""
    won = db.session.execute(
        update(Coupon)
        .where(
            Coupon.tenant_id == current_tenant_id(), Coupon.id == coupon.id, Coupon.state == "open"
        )
        .values(state="used", used_at=now(), discount=discount, order_id=order_id)
        .returning(Coupon.id)
    ).first()
    db.session.refresh(coupon)
    return won is not None


def release_coupons(order: Order) -> list[Coupon]:
    """Reopen the coupons of a cancelled order and extend them by the time they were in use."""
    given = of_order(order.id)
    for coupon in given:
        since = coupon.used_at or now()
        coupon.state, coupon.used_at, coupon.order_id, coupon.discount = "open", None, None, None
        coupon.expires_at += now() - since
    db.session.flush()
    return given


def cancel(coupon: Coupon, because: str) -> Coupon:
    because = one_line(because, 200)
    if not because:
        raise Invalid("reason_missing", "Enter a reason for cancelling the coupon.")
    won = db.session.execute(
        update(Coupon)
        .where(
            Coupon.tenant_id == current_tenant_id(), Coupon.id == coupon.id, Coupon.state == "open"
        )
        .values(state="cancelled", cancelled_at=now(), cancelled_because=because)
        .returning(Coupon.id)
    ).first()
    db.session.refresh(coupon)
    if won is None and coupon.state != "cancelled":
        raise Conflict("coupon_used", ALREADY_USED)
    if won is not None:
        audit.record(
            "loyalty.coupon_cancelled", coupon_codes.format_code(coupon.code), because=because
        )
    return coupon


OF_ORDER = (
    select(Coupon)
    .where(Coupon.tenant_id == THIS_TENANT, Coupon.order_id == bindparam("order_id"))
    .order_by(Coupon.id)
    .execution_options(plan_once=True)
)
OF_CONTACT = (
    select(Coupon)
    .where(Coupon.tenant_id == THIS_TENANT, Coupon.contact_id == bindparam("contact_id"))
    .order_by(Coupon.id.desc())
    .limit(bindparam("most"))
    .execution_options(plan_once=True)
)


def of_order(order_id: str) -> list[Coupon]:
    return list(db.session.scalars(OF_ORDER, {"order_id": order_id}))


def of_contact(contact_id: str, limit: int = 50) -> list[Coupon]:
    return list(db.session.scalars(OF_CONTACT, {"contact_id": contact_id, "most": limit}))


def open_of_contact(contact_id: str, limit: int = 5) -> list[Coupon]:
    """The coupons that the contact can use now, earliest expiry first."""
    query = _of_tenant().where(
        Coupon.contact_id == contact_id, Coupon.state == "open", Coupon.expires_at > now()
    )
    return list(db.session.scalars(query.order_by(Coupon.expires_at).limit(limit)))


def listed(filters: CouponFilters, after: str | None, limit: int) -> list[Coupon]:
    """Newest first."""
    query = _of_tenant()
    if filters.state == "expired":
        query = query.where(Coupon.state == "open", Coupon.expires_at <= now())
    elif filters.state == "open":
        query = query.where(Coupon.state == "open", Coupon.expires_at > now())
    elif filters.state:
        query = query.where(Coupon.state == filters.state)
    if filters.reward_id:
        query = query.where(Coupon.reward_id == filters.reward_id)
    if filters.contact_id:
        query = query.where(Coupon.contact_id == filters.contact_id)
    if filters.code:
        query = query.where(Coupon.code == (coupon_codes.normalize(filters.code) or ""))
    if after:
        query = query.where(Coupon.id < from_uuid("cpn", to_uuid("cpn", after)))
    return list(db.session.scalars(query.order_by(Coupon.id.desc()).limit(limit)))


def terms_of(coupon: Coupon) -> CouponTerms:
    return coupon_terms.read_terms(coupon.terms)


def _limit_reached(coupon: Coupon, contact_id: str) -> bool:
    """Locks the reward's row if it has a limit, so that concurrent orders are all counted."""
    reward = db.session.scalars(
        select(Reward)
        .where(
            Reward.tenant_id == coupon.tenant_id,
            Reward.id == coupon.reward_id,
            Reward.per_contact > 0,
        )
        .with_for_update()
    ).first()
    if reward is None:
        return False
    used = (
        select(func.count())
        .select_from(Coupon)
        .join(Order, (Order.tenant_id == Coupon.tenant_id) & (Order.id == Coupon.order_id))
        .where(
            Coupon.tenant_id == coupon.tenant_id,
            Coupon.reward_id == coupon.reward_id,
            Coupon.state == "used",
            Order.tenant_id == coupon.tenant_id,
            Order.contact_id == contact_id,
        )
    )
    return (db.session.scalar(used) or 0) >= reward.per_contact


def _of_tenant() -> Select[Coupon]:
    return select(Coupon).where(Coupon.tenant_id == current_tenant_id())
