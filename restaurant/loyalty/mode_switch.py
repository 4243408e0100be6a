"""Converts the guests' balances when a programme switches between points and stamps."""

from sqlalchemy import ColumnElement, func, select, update

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Invalid, invalid
from core.i18n.plurals import Plural
from core.ids import new_id
from restaurant.models import LoyaltyEntry, LoyaltyMember
from tenants import audit

BATCH = 1000
MOST = 1_000_000


def switch_mode(site_id: str, was: str, kind: str, worth: int | None) -> None:
    """`worth` is how many points a stamp is worth; 0 resets all balances.

    Raises Invalid without it if any guest has a balance.
    """
    holders, total = db.session.execute(
        select(func.count(), func.coalesce(func.sum(LoyaltyMember.balance), 0)).where(
            *_members_with_balance(site_id)
        )
    ).one()
    if not holders:
        return
    if worth is None or not 0 <= worth <= MOST:
        raise _question(was, holders, total)
    after = ""
    while rows := _next_members(site_id, after):
        changes = [
            (row.contact_id, _converted(row.balance, kind, worth) - row.balance) for row in rows
        ]
        _write(site_id, changes, f"{was} → {kind}")
        after = rows[-1].contact_id


def _converted(balance: int, kind: str, worth: int) -> int:
    if not worth:
        return 0
    return int(balance / worth) if kind == "stamps" else balance * worth


def _question(was: str, holders: int, total: int) -> Invalid:
    if was == "points":
        return invalid(
            "worth",
            "balances_exist",
            Plural(
                "{guests} guest has points ({held} in total). Enter how many points equal one "
                "stamp, or 0 to reset all balances.",
                "{guests} guests have points ({held} in total). Enter how many points equal one "
                "stamp, or 0 to reset all balances.",
                number="guests",
            ),
            guests=holders,
            held=total,
        )
    return invalid(
        "worth",
        "balances_exist",
        Plural(
            "{guests} guest has stamps ({held} in total). Enter how many points one stamp is "
            "worth, or 0 to reset all balances.",
            "{guests} guests have stamps ({held} in total). Enter how many points one stamp is "
            "worth, or 0 to reset all balances.",
            number="guests",
        ),
        guests=holders,
        held=total,
    )


def _next_members(site_id: str, after: str) -> list[LoyaltyMember]:
    query = select(LoyaltyMember).where(*_members_with_balance(site_id))
    if after:
        query = query.where(LoyaltyMember.contact_id > after)
    query = query.order_by(LoyaltyMember.contact_id).limit(BATCH).with_for_update()
    return list(db.session.scalars(query.execution_options(populate_existing=True)))


def _write(site_id: str, changes: list[tuple[str, int]], because: str) -> None:
    tenant_id, moment, by = current_tenant_id(), now(), audit.current_actor().name
    lines = [
        LoyaltyEntry(
            tenant_id=tenant_id, id=new_id("lpt"), site_id=site_id, contact_id=contact_id,
            amount=amount, kind="corrected", because=because, by=by, at=moment,
        )
        for contact_id, amount in changes
        if amount
    ]  # fmt: skip
    db.session.add_all(lines)
    for line in lines:
        db.session.execute(
            update(LoyaltyMember)
            .where(
                LoyaltyMember.tenant_id == tenant_id,
                LoyaltyMember.site_id == site_id,
                LoyaltyMember.contact_id == line.contact_id,
            )
            .values(balance=LoyaltyMember.balance + line.amount)
            .execution_options(synchronize_session=False)
        )
    db.session.flush()


def _members_with_balance(site_id: str) -> tuple[ColumnElement[bool], ...]:
    return (
        LoyaltyMember.tenant_id == current_tenant_id(),
        LoyaltyMember.site_id == site_id,
        LoyaltyMember.balance != 0,
    )
