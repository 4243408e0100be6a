"""How many lines, members and sites a plan allows. Existing ones always stay; adding one more is
refused when the limit is reached.
"""

from dataclasses import dataclass

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.errors import PaymentRequired
from core.i18n.plurals import Plural
from tenants.models import Tenant
from tenants.plans.models import Plan

REFUSALS = {
    "lines": Plural(
        "Your plan {plan} includes {most} line. Your existing lines keep working. "
        "Choose a larger plan to add another.",
        "Your plan {plan} includes {most} lines. Your existing lines keep working. "
        "Choose a larger plan to add another.",
        number="most",
    ),
    "members": Plural(
        "Your plan {plan} includes {most} team member. Current members keep their "
        "access. Choose a larger plan to invite another.",
        "Your plan {plan} includes {most} team members. Current members keep their "
        "access. Choose a larger plan to invite another.",
        number="most",
    ),
    "sites": Plural(
        "Your plan {plan} includes {most} restaurant. Your existing restaurants "
        "keep working. Choose a larger plan to add another.",
        "Your plan {plan} includes {most} restaurants. Your existing restaurants "
        "keep working. Choose a larger plan to add another.",
        number="most",
    ),
}


@dataclass(frozen=True)
class PlanLimit:
    kind: str
    have: int
    most: int | None

    @property
    def over(self) -> bool:
        return self.most is not None and self.have > self.most


def check_limit(kind: str, have: int) -> None:
    """Call before adding one, with the current number. Raises PaymentRequired."""
    plan = _plan()
    most: int | None = getattr(plan, f"most_{kind}")
    if most is not None and have >= most:
        raise PaymentRequired("plan_full", REFUSALS[kind], plan=plan.name, most=most)


def list_limits(have: dict[str, int]) -> list[PlanLimit]:
    plan = _plan()
    return [PlanLimit(kind, count, getattr(plan, f"most_{kind}")) for kind, count in have.items()]


def _plan() -> Plan:
    query = (
        select(Plan).join(Tenant, Tenant.plan == Plan.code).where(Tenant.id == current_tenant_id())
    )
    return db.session.scalars(query).one()
