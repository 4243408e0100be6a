"""The points ledger: points are earned once per order, revoked with it, and spent on rewards.

Entries are only added. A member's balance is their sum; it is stored separately so that it can be
locked and so that spending never makes it negative.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import Conflict, Invalid, invalid
from core.ids import new_id
from core.values.text import one_line
from messaging.contacts import cards as contact_cards
from messaging.contacts import identities as contact_identities
from restaurant.loyalty import coupons, programmes, rewards
from restaurant.loyalty import triggers as loyalty_triggers
from restaurant.models import (
    Coupon,
    LoyaltyEntry,
    LoyaltyMember,
    LoyaltyProgramme,
    Order,
    Payment,
    Reward,
    Site,
)
from tenants import audit

EARNING_STATES = frozenset({"served", "delivered", "closed"})
UNDONE_STATES = frozenset({"cancelled", "refunded"})
MAX_REWARDS_AT_ONCE = 5  # a manual correction may add a large balance


@dataclass(frozen=True)
class OrderEntries:
    """A summary of the entries for one order."""

    contact_id: str
    points: int
    steps: int
    undone: bool


def update_for_order(site: Site, order: Order, *, repriced: bool = False) -> None:
    """Called after every change of an order, with its row locked. Test orders earn nothing."""
    if order.test or not (repriced or _counts_for_loyalty(order) or order.state in UNDONE_STATES):
        return
    programme = programmes.of_site(site.id)
    if programme is None:
        return
    written = _of_order(order.id)
    if written is None:
        if programme.active and _counts_for_loyalty(order):
            _earn(site, programme, order)
    elif order.state in UNDONE_STATES:
        if not written.undone:
            _add_order_entry(order, written, -written.points, "taken_back", visits=-1)
    elif repriced and not written.undone:
        change = programmes.points_for(programme, _spent(order)) - written.points
        if change:
            _add_order_entry(order, written, change, "changed")


def correct_balance(site: Site, contact_id: str, amount: int, because: str) -> LoyaltyMember:
    """A manual correction, with a reason."""
    because = one_line(because, 200)
    if not because:
        raise invalid("because", "reason_missing", "Enter a reason for correcting the balance.")
    if not amount or abs(amount) > 1_000_000:
        raise invalid(
            "amount",
            "invalid_number",
            "Enter how many to add, or a negative number to subtract, such as -5.",
        )
    member = add_to_balance(site.id, contact_id, amount)
    _add_entry(site.id, contact_id, amount, "corrected", because=because)
    card = contact_cards.existing_cards([contact_id]).get(contact_id)
    named = card.title if card else contact_id
    audit.record("loyalty.corrected", named, amount=amount, because=because, site=site.name)
    if programme := programmes.of_site(site.id):
        give_automatic_rewards(site, programme, contact_id, member.balance)
    return _member(site.id, contact_id)


def exchange_points(
    site: Site, contact_id: str, reward: Reward, *, cause: str | None = None
) -> Coupon:
    """Exchange points for a coupon. Raises Conflict if the balance is too low.

    A conditional update takes the points, so that concurrent calls cannot overspend.
    """
    if reward.cost is None or not rewards.is_valid_at(reward, site.id, site.currency):
        raise Conflict("reward_not_for_points", "This reward cannot be redeemed for points here.")
    won = db.session.execute(
        update(LoyaltyMember)
        .where(*_member_key(site.id, contact_id), LoyaltyMember.balance >= reward.cost)
        .values(balance=LoyaltyMember.balance - reward.cost)
        .returning(LoyaltyMember.balance)
    ).first()
    if won is None:
        raise Conflict("balance_too_low", "The balance is too low for this reward.")
    coupon = coupons.issue(reward, source="exchange", contact_id=contact_id, cause=cause)
    _add_entry(
        site.id, contact_id, -reward.cost, "exchanged", coupon_id=coupon.id, because=reward.name
    )
    return coupon


def cancel_coupon(coupon: Coupon, because: str) -> Coupon:
    """Cancel the coupon and return the points that were spent on it."""
    was = coupon.state
    done = coupons.cancel(coupon, because)
    if was == "open" and done.contact_id is not None and done.source == "exchange":
        query = select(LoyaltyEntry).where(
            LoyaltyEntry.tenant_id == current_tenant_id(),
            LoyaltyEntry.contact_id == done.contact_id,
            LoyaltyEntry.coupon_id == done.id,
            LoyaltyEntry.kind == "exchanged",
        )
        paid = db.session.scalars(query).first()
        if paid is not None:
            add_to_balance(paid.site_id, done.contact_id, -paid.amount)
            _add_entry(paid.site_id, done.contact_id, -paid.amount, "returned", coupon_id=done.id,
                  because=because)  # fmt: skip
    return done


def balances(contact_id: str) -> list[LoyaltyMember]:
    """A contact's balances, one for each site."""
    query = select(LoyaltyMember).where(
        LoyaltyMember.tenant_id == current_tenant_id(), LoyaltyMember.contact_id == contact_id
    )
    return list(db.session.scalars(query.execution_options(populate_existing=True)))


STANDINGS = (
    select(
        LoyaltyMember.balance,
        LoyaltyMember.visits,
        LoyaltyMember.last_at,
        func.coalesce(Site.name, "").label("site"),
        func.coalesce(LoyaltyProgramme.kind, "points").label("kind"),
    )
    .outerjoin(Site, (Site.tenant_id == THIS_TENANT) & (Site.id == LoyaltyMember.site_id))
    .outerjoin(
        LoyaltyProgramme,
        (LoyaltyProgramme.tenant_id == THIS_TENANT)
        & (LoyaltyProgramme.site_id == LoyaltyMember.site_id),
    )
    .where(
        LoyaltyMember.tenant_id == THIS_TENANT,
        LoyaltyMember.contact_id == bindparam("contact_id"),
    )
    .order_by(LoyaltyMember.site_id)
)


def standings(contact_id: str) -> Sequence[Any]:
    """A contact's balances, each with the site's name and the programme's kind."""
    return read_rows(STANDINGS, {"contact_id": contact_id})


def entries(contact_id: str, after: str | None = None, limit: int = 50) -> list[LoyaltyEntry]:
    """Newest first."""
    query = select(LoyaltyEntry).where(
        LoyaltyEntry.tenant_id == current_tenant_id(), LoyaltyEntry.contact_id == contact_id
    )
    if after:
        query = query.where(LoyaltyEntry.id < after)
    return list(db.session.scalars(query.order_by(LoyaltyEntry.id.desc()).limit(limit)))


def members(
    site_id: str, after: str | None, limit: int, contact_ids: Sequence[str] | None = None
) -> list[LoyaltyMember]:
    """The most recent visitors first; `after` is the last member of the previous page."""
    query = select(LoyaltyMember).where(
        LoyaltyMember.tenant_id == current_tenant_id(), LoyaltyMember.site_id == site_id
    )
    if contact_ids is not None:
        query = query.where(LoyaltyMember.contact_id.in_(contact_ids))
    if after:
        last = db.session.get(LoyaltyMember, (current_tenant_id(), site_id, after))
        if last is None:
            return []
        place = (LoyaltyMember.last_at, LoyaltyMember.contact_id)
        types = [column.type for column in place]
        query = query.where(tuple_(*place) < tuple_(last.last_at, last.contact_id, types=types))
    newest = (LoyaltyMember.last_at.desc(), LoyaltyMember.contact_id.desc())
    return list(db.session.scalars(query.order_by(*newest).limit(limit)))


def _counts_for_loyalty(order: Order) -> bool:
    return order.state in EARNING_STATES or (
        order.paid_at is not None and order.state not in UNDONE_STATES
    )


def _earn(site: Site, programme: LoyaltyProgramme, order: Order) -> None:
    contact_id = order.contact_id or contact_identities.find_contact(order.customer_phone)
    if contact_id is None:
        return
    points = programmes.points_for(programme, _spent(order))
    member = _add_order_entry(
        order, OrderEntries(contact_id, 0, 0, False), points, "earned", visits=1
    )
    if member is None:
        return
    loyalty_triggers.on_visit(site, contact_id, member.visits)
    give_automatic_rewards(site, programme, contact_id, member.balance)


def give_automatic_rewards(
    site: Site, programme: LoyaltyProgramme, contact_id: str, balance: int
) -> None:
    """Give the programme's automatic reward as often as the balance allows."""
    reward = None
    if programme.active and programme.gift_id is not None:
        reward = db.session.get(Reward, (current_tenant_id(), programme.gift_id))
    if reward is None or not reward.active or reward.cost is None or reward.removed_at:
        return
    for _ in range(min(balance // reward.cost, MAX_REWARDS_AT_ONCE)):
        try:
            coupon = exchange_points(site, contact_id, reward)
        except (Conflict, Invalid):
            return
        loyalty_triggers.on_reward_given(site, contact_id, coupon)


def _spent(order: Order) -> Decimal:
    """The amount for the items after the discount and after refunds."""
    spent = Decimal(order.sums.get("subtotal", "0")) - Decimal(order.sums.get("discount", "0"))
    if order.paid_at is not None:
        back = select(func.coalesce(func.sum(Payment.refunded), 0)).where(
            Payment.tenant_id == order.tenant_id,
            Payment.order_id == order.id,
            Payment.state.in_(("accepted", "refunded")),
        )
        returned = Decimal(db.session.scalar(back) or 0)
        spent = min(spent, order.total - returned)
    return max(spent, Decimal(0))


def _of_order(order_id: str) -> OrderEntries | None:
    query = select(LoyaltyEntry.contact_id, LoyaltyEntry.amount, LoyaltyEntry.kind).where(
        LoyaltyEntry.tenant_id == current_tenant_id(), LoyaltyEntry.order_id == order_id
    )
    rows = db.session.execute(query.order_by(LoyaltyEntry.step)).all()
    if not rows:
        return None
    return OrderEntries(
        rows[0].contact_id,
        sum(row.amount for row in rows),
        len(rows),
        any(row.kind == "taken_back" for row in rows),
    )


def _add_order_entry(
    order: Order, known: OrderEntries, amount: int, kind: str, *, visits: int = 0
) -> LoyaltyMember | None:
    """Returns None if a concurrent transaction has already written this entry."""
    done = db.session.execute(
        insert(LoyaltyEntry)
        .values(
            tenant_id=current_tenant_id(),
            id=new_id("lpt"),
            site_id=order.site_id,
            contact_id=known.contact_id,
            amount=amount,
            kind=kind,
            order_id=order.id,
            step=known.steps + 1,
            because=order.number,
            by=audit.current_actor().name,
            at=now(),
        )
        .on_conflict_do_nothing(index_elements=["tenant_id", "order_id", "step"])
        .returning(LoyaltyEntry.id)
    ).first()
    if done is None:
        return None
    return add_to_balance(order.site_id, known.contact_id, amount, visits)


def _add_entry(
    site_id: str,
    contact_id: str,
    amount: int,
    kind: str,
    *,
    because: str = "",
    coupon_id: str | None = None,
) -> None:
    db.session.add(
        LoyaltyEntry(
            tenant_id=current_tenant_id(),
            site_id=site_id,
            contact_id=contact_id,
            amount=amount,
            kind=kind,
            because=because,
            by=audit.current_actor().name,
            coupon_id=coupon_id,
        )
    )
    db.session.flush()


def add_to_balance(site_id: str, contact_id: str, amount: int, visits: int = 0) -> LoyaltyMember:
    moment = now()
    made = insert(LoyaltyMember).values(
        tenant_id=current_tenant_id(),
        site_id=site_id,
        contact_id=contact_id,
        balance=amount,
        visits=max(visits, 0),
        first_at=moment,
        last_at=moment,
    )
    changed = {
        "balance": LoyaltyMember.balance + amount,
        "visits": func.greatest(LoyaltyMember.visits + visits, 0),
    }
    if visits > 0:
        changed["last_at"] = func.greatest(LoyaltyMember.last_at, moment)
    db.session.execute(
        made.on_conflict_do_update(
            index_elements=["tenant_id", "site_id", "contact_id"], set_=changed
        )
    )
    return _member(site_id, contact_id)


def _member(site_id: str, contact_id: str) -> LoyaltyMember:
    query = select(LoyaltyMember).where(*_member_key(site_id, contact_id))
    return db.session.scalars(query.execution_options(populate_existing=True)).one()


def _member_key(site_id: str, contact_id: str) -> tuple[ColumnElement[bool], ...]:
    return (
        LoyaltyMember.tenant_id == current_tenant_id(),
        LoyaltyMember.site_id == site_id,
        LoyaltyMember.contact_id == contact_id,
    )
