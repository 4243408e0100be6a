"""Partners and the tenants that belong to them."""

from datetime import date
from decimal import Decimal

from sqlalchemy import func, select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, Forbidden, NotFound, invalid
from core.ids import BadId, to_uuid
from core.sql.pool import run_global
from tenants import accounts, audit
from tenants.models import Account, Tenant
from tenants.partners.keys import PartnerCaller
from tenants.partners.models import MOST_TENANTS, Partner
from tenants.people import LOCALES, clean_name
from tenants.plans import renewals
from tenants.plans.catalog import get_plan, offered_plan

LONGEST_REFERENCE = 64
READ_USAGE = "SELECT * FROM app.read_usage_of_tenants(%(tenants)s, %(month)s)"


def add(name: str, plans: list[str], most_tenants: int = MOST_TENANTS) -> Partner:
    partner = Partner(name=clean_name(name), plans=_known(plans), most_tenants=_most(most_tenants))
    db.session.add(partner)
    db.session.flush()
    return partner


def change(partner_id: str, name: str, plans: list[str], most_tenants: int) -> Partner:
    partner = get(partner_id)
    partner.name, partner.plans = clean_name(name), _known(plans)
    partner.most_tenants = _most(most_tenants)
    return partner


def suspend(partner_id: str) -> Partner:
    """The partner's keys are refused at once. Its tenants keep working."""
    partner = get(partner_id)
    partner.suspended_at = partner.suspended_at or now()
    return partner


def resume(partner_id: str) -> Partner:
    partner = get(partner_id)
    partner.suspended_at = None
    return partner


def get(partner_id: str) -> Partner:
    try:
        to_uuid("ptn", partner_id)
    except BadId:
        raise NotFound() from None
    partner = db.session.get(Partner, partner_id)
    if partner is None:
        raise NotFound()
    return partner


def list_partners() -> list[Partner]:
    return list(db.session.scalars(select(Partner).order_by(Partner.name, Partner.id).limit(500)))


def partner_of(tenant: Tenant) -> Partner | None:
    """The partner that manages a tenant, if any."""
    return None if tenant.partner_id is None else db.session.get(Partner, tenant.partner_id)


def tenant_counts() -> dict[str, int]:
    """How many tenants each partner has. Runs on an index of the tenants that have one."""
    rows = db.session.execute(
        select(Tenant.partner_id, func.count())
        .where(Tenant.partner_id.is_not(None))
        .group_by(Tenant.partner_id)
    )
    return {str(partner_id): count for partner_id, count in rows}


def create_tenant(
    caller: PartnerCaller,
    name: str,
    *,
    plan: str,
    reference: str | None,
    locale: str,
    time_zone: str,
) -> Tenant:
    """Create a tenant of this partner. Call in `tenant_scope(accounts.reserve_id())`.

    Raises Conflict for a reference that is in use, and Forbidden at the partner's limit.
    """
    if locale not in LOCALES:
        raise invalid("locale", "unknown_language", "Choose a language from the list.")
    accounts.check_time_zone(time_zone)
    check_plan(caller, plan)
    _check_room(caller)
    if reference is not None and find_by_reference(caller, reference) is not None:
        raise Conflict(
            "reference_in_use",
            "You already have a tenant with the reference {reference}.",
            reference=reference,
        )
    tenant = Tenant(
        id=current_tenant_id(),
        name=clean_name(name),
        state="active",
        plan=offered_plan(plan).code,
        partner_id=caller.partner_id,
        partner_reference=reference,
    )
    db.session.add(tenant)
    country = accounts.country_of_zone(time_zone)
    db.session.add(
        Account(
            tenant_id=tenant.id, locale=locale, time_zone=time_zone, country=country, trial_used=0
        )
    )
    db.session.flush()
    audit.record("account.created", tenant.name, plan=plan, partner=caller.name)
    return tenant


def check_plan(caller: PartnerCaller, plan: str) -> None:
    offered_plan(plan)
    if caller.plans and plan not in caller.plans:
        raise invalid(
            "plan",
            "plan_not_allowed",
            "You may choose these plans for your tenants: {plans}.",
            plans=", ".join(caller.plans),
        )


def own_tenant(caller: PartnerCaller, tenant_id: int) -> Tenant:
    """Raises NotFound for every tenant that is not this partner's."""
    tenant = accounts.get(tenant_id)
    if tenant.partner_id != caller.partner_id:
        raise NotFound("No tenant has this ID.")
    return tenant


def find_by_reference(caller: PartnerCaller, reference: str) -> Tenant | None:
    return db.session.scalars(
        select(Tenant).where(
            Tenant.partner_id == caller.partner_id, Tenant.partner_reference == reference
        )
    ).first()


def list_tenants(
    caller: PartnerCaller, after: int | None, limit: int, reference: str | None = None
) -> list[Tenant]:
    """Newest first."""
    return tenants_of(caller.partner_id, after, limit, reference)


def tenants_of(
    partner_id: str, after: int | None, limit: int, reference: str | None = None
) -> list[Tenant]:
    query = select(Tenant).where(Tenant.partner_id == partner_id)
    if reference is not None:
        query = query.where(Tenant.partner_reference == reference)
    if after is not None:
        anchor = accounts.get(after)
        if anchor.partner_id != partner_id:
            raise NotFound("No tenant has this ID.")
        query = query.where(
            (Tenant.created_at < anchor.created_at)
            | ((Tenant.created_at == anchor.created_at) & (Tenant.id < anchor.id))
        )
    return list(
        db.session.scalars(query.order_by(Tenant.created_at.desc(), Tenant.id.desc()).limit(limit))
    )


def suspend_tenant(reason: str) -> None:
    """In the tenant's transaction. Call `accounts.drop_tenant_cache` after the commit."""
    tenant = accounts.get(current_tenant_id())
    if tenant.state == "active":
        accounts.suspend(reason)
        tenant.suspended_by_partner = True


def resume_tenant() -> None:
    """Raises Conflict if the operator suspended it, not the partner."""
    tenant = accounts.get(current_tenant_id())
    if tenant.state == "suspended" and not tenant.suspended_by_partner:
        raise Conflict(
            "suspended_by_operator", "This account was suspended by the service. Contact us."
        )
    accounts.resume()


def set_plan(caller: PartnerCaller, plan: str) -> None:
    """The plan has no end: the partner pays for its tenants."""
    if accounts.get(current_tenant_id()).plan != plan:
        check_plan(caller, plan)
        renewals.set_plan_until(plan, None)


def usage_of(tenant_ids: list[int], month: date) -> dict[int, tuple[int, Decimal]]:
    """Messages and spend of a month by tenant. Opens its own transaction."""
    rows = run_global(READ_USAGE, {"tenants": tenant_ids, "month": month}) if tenant_ids else []
    return {tenant_id: (messages, usd) for tenant_id, messages, usd in rows}


def _check_room(caller: PartnerCaller) -> None:
    some = select(Tenant.id).where(Tenant.partner_id == caller.partner_id)
    count = db.session.scalar(
        select(func.count()).select_from(some.limit(caller.most_tenants).subquery())
    )
    if (count or 0) >= caller.most_tenants:
        raise Forbidden(
            "too_many_tenants",
            "You have {most} tenants, which is your limit. Contact us for more.",
            most=caller.most_tenants,
        )


def _known(plans: list[str]) -> list[str]:
    return [get_plan(code).code for code in dict.fromkeys(plans)]


def _most(most_tenants: int) -> int:
    if not 1 <= most_tenants <= 1_000_000:
        raise invalid("most_tenants", "invalid_limit", "Enter a number from 1 to 1,000,000.")
    return most_tenants
