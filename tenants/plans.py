"""How much: a plan's limits, with the tenant's own where an operator set them."""

from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.errors import NotFound, invalid
from tenants.models import Account, Plan, Tenant

T = TypeVar("T")


@dataclass(frozen=True)
class TenantFacts:
    """What a door remembers about a tenant for a few seconds."""

    id: int
    name: str
    state: str
    plan: str
    plan_name: str
    rate_per_second: int
    burst: int
    monthly_messages: int | None
    spend_cap_usd: Decimal | None
    """What counts: the lower of what is allowed and what the tenant chose."""
    most_spend_usd: Decimal | None
    trial_days: int | None
    trial_messages: int | None

    @property
    def window(self) -> int:
        """Seconds in which an empty bucket fills up: the window its burst is good for."""
        return max(1, -(-self.burst // self.rate_per_second))

    @property
    def suspended(self) -> bool:
        return self.state != "active"


def every_plan() -> list[Plan]:
    return list(db.session.scalars(select(Plan).order_by(Plan.position)))


def get_plan(code: str) -> Plan:
    plans = {plan.code: plan for plan in every_plan()}
    if code not in plans:
        known = ", ".join(plans)
        raise invalid(
            "plan", "unknown_plan", "There is no such plan; there are {known}.", known=known
        )
    return plans[code]


def known_facts() -> TenantFacts:
    """For a tenant that is known to be there."""
    facts = tenant_facts()
    if facts is None:
        raise NotFound("There is no tenant with that id.")
    return facts


def tenant_facts() -> TenantFacts | None:
    """The open transaction's tenant, its plan and its own limits, in one statement."""
    row = db.session.execute(
        select(Tenant, Plan, Account)
        .join(Plan, Plan.code == Tenant.plan)
        .join(Account, Account.tenant_id == Tenant.id)
        .where(Tenant.id == current_tenant_id(), Account.tenant_id == current_tenant_id())
    ).first()
    if row is None:
        return None
    tenant, plan, own = row
    allowed = _own(own.spend_cap_usd, plan.spend_cap_usd)
    return TenantFacts(
        id=tenant.id,
        name=tenant.name,
        state=tenant.state,
        plan=plan.code,
        plan_name=plan.name,
        rate_per_second=own.rate_per_second or plan.rate_per_second,
        burst=own.burst or plan.burst,
        monthly_messages=_own(own.monthly_messages, plan.monthly_messages),
        spend_cap_usd=_lower(own.chosen_cap_usd, allowed),
        most_spend_usd=allowed,
        trial_days=plan.trial_days,
        trial_messages=plan.trial_messages,
    )


def _own(mine: T | None, plans: T | None) -> T | None:
    return plans if mine is None else mine


def _lower(chosen: Decimal | None, allowed: Decimal | None) -> Decimal | None:
    if chosen is None or allowed is None:
        return allowed if chosen is None else chosen
    return min(chosen, allowed)
