"""Plans, prices, and the limits of a tenant: the plan's, or its own where an operator set them."""

from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from sqlalchemy import select

from core.db import THIS_TENANT, db, read_rows
from core.errors import NotFound, invalid
from tenants.models import Account, Tenant
from tenants.plans.models import Plan, PlanPrice

T = TypeVar("T")


@dataclass(frozen=True)
class Price:
    """For a month, before tax."""

    amount: Decimal
    currency: str
    kept: bool = False


@dataclass(frozen=True)
class TenantFacts:
    """What entry points cache about a tenant for a few seconds."""

    id: int
    name: str
    state: str
    plan: str
    plan_name: str
    rate_per_second: int
    burst: int
    monthly_messages: int | None
    spend_cap_usd: Decimal | None
    """The effective cap: the lower of what is allowed and what the tenant chose."""
    most_spend_usd: Decimal | None
    trial_days: int | None
    trial_messages: int | None

    @property
    def window(self) -> int:
        """Seconds in which an empty bucket fills up: the window of its burst."""
        return max(1, -(-self.burst // self.rate_per_second))

    @property
    def suspended(self) -> bool:
        return self.state != "active"


def every_plan() -> list[Plan]:
    return list(db.session.scalars(select(Plan).order_by(Plan.position)))


def get_plan(code: str) -> Plan:
    plans = {plan.code: plan for plan in every_plan()}
    if code not in plans:
        known = ", ".join(one.code for one in plans.values() if one.retired_at is None)
        raise invalid(
            "plan",
            "unknown_plan",
            "This plan does not exist. Available plans: {known}.",
            known=known,
        )
    return plans[code]


def offered_plan(code: str) -> Plan:
    """A plan that new tenants may have. Raises Invalid."""
    plan = get_plan(code)
    if plan.retired_at is not None:
        raise invalid(
            "plan", "plan_retired", "This plan is no longer available. Choose another one."
        )
    return plan


def base_plan() -> Plan:
    """The plan an account falls back to. There is exactly one: it cannot be retired or removed."""
    return db.session.scalars(select(Plan).where(Plan.base).order_by(Plan.position)).one()


def other_prices() -> dict[str, dict[str, Decimal]]:
    """Prices in other currencies than the plan's own, by plan and currency."""
    found: dict[str, dict[str, Decimal]] = {}
    for row in db.session.scalars(select(PlanPrice).order_by(PlanPrice.currency)):
        found.setdefault(row.plan, {})[row.currency] = row.amount
    return found


def price_for(plan: Plan, own: Account, others: dict[str, dict[str, Decimal]]) -> Price:
    """What this account pays: the price it kept, else one in its currency, else the plan's own."""
    if own.kept_plan == plan.code and own.kept_price is not None and own.kept_currency:
        return Price(own.kept_price, own.kept_currency, kept=True)
    own_price = others.get(plan.code, {}).get(own.currency)
    if own_price is not None and own.currency != plan.currency:
        return Price(own_price, own.currency)
    return Price(plan.price, plan.currency)


def current_tenant_facts() -> TenantFacts:
    """The facts of the open transaction's tenant. Raises NotFound."""
    facts = find_tenant_facts()
    if facts is None:
        raise NotFound("No tenant has this ID.")
    return facts


LIMITS_OF_PLAN = (
    Plan.rate_per_second,
    Plan.burst,
    Plan.monthly_messages,
    Plan.spend_cap_usd,
    Plan.trial_days,
    Plan.trial_messages,
)
LIMITS_OF_ACCOUNT = (
    Account.rate_per_second.label("own_rate"),
    Account.burst.label("own_burst"),
    Account.monthly_messages.label("own_messages"),
    Account.spend_cap_usd.label("own_cap"),
    Account.chosen_cap_usd,
)
TENANT_FACTS = (
    select(
        Tenant.id,
        Tenant.name,
        Tenant.state,
        Plan.code,
        Plan.name.label("plan_name"),
        *LIMITS_OF_PLAN,
        *LIMITS_OF_ACCOUNT,
    )
    .join(Plan, Plan.code == Tenant.plan)
    .join(Account, Account.tenant_id == Tenant.id)
    .where(Tenant.id == THIS_TENANT, Account.tenant_id == THIS_TENANT)
)


def find_tenant_facts() -> TenantFacts | None:
    """The open transaction's tenant, its plan and its own limits, in one statement. None if it does
    not exist.
    """
    rows = read_rows(TENANT_FACTS)
    if not rows:
        return None
    (row,) = rows
    allowed = _own(row.own_cap, row.spend_cap_usd)
    return TenantFacts(
        id=row.id,
        name=row.name,
        state=row.state,
        plan=row.code,
        plan_name=row.plan_name,
        rate_per_second=row.own_rate or row.rate_per_second,
        burst=row.own_burst or row.burst,
        monthly_messages=_own(row.own_messages, row.monthly_messages),
        spend_cap_usd=_lower(row.chosen_cap_usd, allowed),
        most_spend_usd=allowed,
        trial_days=row.trial_days,
        trial_messages=row.trial_messages,
    )


def _own(own: T | None, plans: T | None) -> T | None:
    return plans if own is None else own


def _lower(chosen: Decimal | None, allowed: Decimal | None) -> Decimal | None:
    if chosen is None or allowed is None:
        return allowed if chosen is None else chosen
    return min(chosen, allowed)
