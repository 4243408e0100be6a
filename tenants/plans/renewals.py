"""The end of a paid month: notices before it, days of grace after it, then the base plan.

No card is stored, so a month is only renewed when somebody pays.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import or_, select, update

from core.clock import now
from core.db import current_tenant_id, db, invalidate_tenant_cache
from core.errors import invalid
from tenants import accounts, audit
from tenants.models import Account
from tenants.plans.catalog import base_plan, get_plan, offered_plan
from tenants.plans.models import PlanPayment

MAX_DISTANCE = timedelta(days=5 * 366)
WEEK, DAY = timedelta(days=7), timedelta(days=1)
EARLIER_NOTICES = {"week": ("",), "day": ("", "week"), "over": ("", "week", "day")}
OWN_LIMITS = ("rate_per_second", "burst", "monthly_messages", "spend_cap_usd")


@dataclass(frozen=True)
class PlanStatus:
    """How long the paid plan lasts."""

    stage: str
    """paid, week, day, over (in grace), due (grace is over), lapsed; empty: it does not expire"""
    plan: str
    until: date | None = None
    last: date | None = None
    """The last day of grace."""
    lapsed_on: date | None = None

    @property
    def soon(self) -> bool:
        return self.stage in ("week", "day")

    @property
    def recently_lapsed(self) -> bool:
        """For two weeks every page shows it, afterwards only the plan's own page."""
        return self.lapsed_on is not None and now().date() - self.lapsed_on <= 2 * WEEK


def plan_status(own: Account, plan: str, grace_days: int) -> PlanStatus:
    until, today = own.paid_until, now().date()
    if own.lapsed:
        return PlanStatus(
            "lapsed", own.lapsed["plan"], lapsed_on=date.fromisoformat(own.lapsed["on"])
        )
    if until is None:
        return PlanStatus("", plan)
    # A tenant that was notified late still gets all the days of grace.
    notified_on = own.plan_word_at.date() if own.plan_word == "over" and own.plan_word_at else today
    last = max(until + timedelta(days=grace_days), notified_on + timedelta(days=grace_days - 1))
    if today > until:
        stage = "due" if today > last and own.plan_word == "over" else "over"
    else:
        stage = "day" if until - today <= DAY else "week" if until - today <= WEEK else "paid"
    return PlanStatus(stage, plan, until, last)


def current_plan_status(grace_days: int) -> PlanStatus:
    """Of the open transaction's tenant."""
    return plan_status(accounts.account(), accounts.get(current_tenant_id()).plan, grace_days)


def claim_notice(stage: str) -> bool:
    """True if this call may send the notice; False if it was already claimed."""
    won = db.session.execute(
        update(Account)
        .where(
            Account.tenant_id == current_tenant_id(),
            Account.paid_until.is_not(None),
            Account.plan_word.in_(EARLIER_NOTICES[stage]),
        )
        .values(plan_word=stage, plan_word_at=now())
        .returning(Account.tenant_id)
    )
    return won.first() is not None


def downgrade_if_due(grace_days: int) -> PlanStatus | None:
    """Change to the base plan if grace is over and no payment is under way. None: nothing was
    changed.

    The old plan and limits are stored, so that a payment restores them.
    """
    own, tenant = locked_account(), accounts.get(current_tenant_id())
    status = plan_status(own, tenant.plan, grace_days)
    if status.stage != "due" or _being_paid():
        return None
    base = base_plan()
    was = tenant.plan
    limits = {name: getattr(own, name) for name in OWN_LIMITS}
    own.lapsed = {
        "plan": was,
        "on": now().date().isoformat(),
        "limits": {key: None if value is None else str(value) for key, value in limits.items()},
    }
    for name in OWN_LIMITS:
        setattr(own, name, None)
    own.paid_until = own.plan_word_at = None
    own.plan_word = ""
    tenant.plan = base.code
    audit.record("account.plan_lapsed", tenant.name, was=was, now=base.code)
    invalidate_tenant_cache()
    return status


def apply_renewal(plan: str, until: date | None) -> None:
    """Apply a paid month, or a date set by the operator; an expired plan is restored."""
    own, tenant = locked_account(), accounts.get(current_tenant_id())
    lapsed: dict[str, Any] = own.lapsed or {}
    if lapsed.get("plan") == plan:
        for name, value in lapsed["limits"].items():
            number = Decimal if name == "spend_cap_usd" else int
            setattr(own, name, None if value is None else number(value))
    if own.kept_plan != plan:
        own.kept_plan = own.kept_price = own.kept_currency = None
    if tenant.plan != plan:
        was, tenant.plan = tenant.plan, get_plan(plan).code
        audit.record("account.plan_changed", tenant.name, was=was, now=plan)
    tenant.wanted_plan = tenant.wanted_at = None
    own.paid_until, own.lapsed = until, None
    own.plan_word, own.plan_word_at = "", None
    invalidate_tenant_cache()


def set_plan_until(plan: str, until: date | None) -> None:
    """Set by the operator: this plan until this day, or without an end. Raises Invalid."""
    own, tenant = accounts.account(), accounts.get(current_tenant_id())
    if until is not None and abs(until - now().date()) > MAX_DISTANCE:
        raise invalid("paid_until", "invalid_day", "Choose a day within five years from today.")
    if tenant.plan == plan and own.paid_until == until and not (own.lapsed and until):
        return
    if tenant.plan != plan and not is_lapsed_plan(plan):
        offered_plan(plan)
    paid = {"paid_until": own.paid_until}
    audit.record_change("account.paid_until_changed", tenant.name, paid, {"paid_until": until})
    apply_renewal(plan, until)


def is_lapsed_plan(plan: str) -> bool:
    lapsed = accounts.account().lapsed
    return bool(lapsed and lapsed["plan"] == plan)


def check_plan_available(plan: str) -> None:
    """Raises Invalid for a retired plan, unless the tenant has it or had it when it expired."""
    if accounts.get(current_tenant_id()).plan != plan and not is_lapsed_plan(plan):
        offered_plan(plan)


def locked_account() -> Account:
    """Locked, so that a payment and the end of grace cannot overlap."""
    return db.session.get_one(
        Account, current_tenant_id(), with_for_update=True, populate_existing=True
    )


def _being_paid() -> bool:
    query = select(PlanPayment.id).where(
        PlanPayment.tenant_id == current_tenant_id(),
        PlanPayment.expires_at > now(),
        or_(PlanPayment.state == "open", PlanPayment.state == "making"),
    )
    return db.session.scalars(query.limit(1)).first() is not None
