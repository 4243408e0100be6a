"""Tenants: create, configure, suspend, resume and list them."""

from collections.abc import Iterator
from decimal import Decimal

from babel.core import get_global
from babel.numbers import get_territory_currencies
from sqlalchemy import func, select

from core.clock import now, time_zones
from core.db import current_tenant_id, db, global_scope
from core.errors import NotFound, invalid
from core.ids import new_tenant_id
from core.logs import logger
from core.rate_limits import bump_cache_generation
from tenants import audit
from tenants.models import Account, Person, Tenant
from tenants.people import LOCALES, clean_name
from tenants.plans.catalog import current_tenant_facts, offered_plan
from tenants.team import add_member

log = logger(__name__)


def reserve_id() -> int:
    """The id of a new tenant, needed before the transaction that creates it can be opened."""
    return new_tenant_id()


def create(name: str, owner: Person, plan: str = "trial") -> Tenant:
    """Create the tenant, its account and its first owner. Call in `tenant_scope(reserve_id())`."""
    tenant = Tenant(
        id=current_tenant_id(),
        name=clean_name(name, "business_name"),
        state="active",
        plan=offered_plan(plan).code,
    )
    db.session.add(tenant)
    db.session.add(
        Account(
            tenant_id=tenant.id,
            locale=owner.locale,
            time_zone=owner.time_zone,
            country=country_of_zone(owner.time_zone),
            trial_used=0,
        )
    )
    db.session.flush()
    add_member(owner, "owner")
    audit.record("account.created", tenant.name, plan=plan)
    return tenant


def get(tenant_id: int) -> Tenant:
    tenant = db.session.get(Tenant, tenant_id) if 0 < tenant_id < 2**63 else None
    if tenant is None:
        raise NotFound("No tenant has this ID.")
    return tenant


def account_name() -> str:
    return get(current_tenant_id()).name


def account() -> Account:
    """The account of the transaction's tenant, read once in a transaction."""
    found = db.session.get_one(Account, current_tenant_id())
    db.session.info["account"] = found  # the session itself keeps only weak references
    return found


def home_country() -> str:
    """The account's country; if none is chosen, the country of its time zone."""
    settings = account()
    return settings.country or country_of_zone(settings.time_zone)


def country_of_zone(time_zone: str) -> str:
    """`Europe/Istanbul` → `TR`; empty for zones of no country, such as UTC."""
    country = str(get_global("zone_territories").get(time_zone, ""))
    return country if len(country) == 2 and country.isalpha() else ""


def currency_of_country(country: str) -> str:
    """The current currency of a country; empty if unknown."""
    return str(next(iter(get_territory_currencies(country)), "")) if country else ""


def time_zone_of_country(country: str) -> str:
    """The time zone of a country that has only one; empty for other countries."""
    zones = [name for name, where in get_global("zone_territories").items() if where == country]
    known = [name for name in zones if name in time_zones()]
    return known[0] if len(known) == 1 else ""


def check_time_zone(time_zone: str) -> None:
    if time_zone not in time_zones():
        raise invalid("time_zone", "unknown_time_zone", "Choose a time zone from the list.")


def change_settings(*, name: str, locale: str, time_zone: str, country: str, currency: str) -> None:
    if locale not in LOCALES:
        raise invalid("locale", "unknown_language", "Choose a language from the list.")
    check_time_zone(time_zone)
    tenant, settings = get(current_tenant_id()), account()
    before = {
        "name": tenant.name,
        "locale": settings.locale,
        "time_zone": settings.time_zone,
        "country": settings.country,
        "currency": settings.currency,
    }
    after = {
        "name": clean_name(name),
        "locale": locale,
        "time_zone": time_zone,
        "country": country,
        "currency": currency,
    }
    if after == before:
        return
    tenant.name = after["name"]
    settings.locale, settings.time_zone = locale, time_zone
    settings.country, settings.currency = country, currency
    audit.record_change(
        "settings.changed", tenant.name, before, after, shown=audit.SHOWN_FIELDS | {"name"}
    )


def suspend(because: str) -> None:
    """The API refuses requests at once; nothing is lost. Call `drop_tenant_cache` after the
    commit.
    """
    tenant = get(current_tenant_id())
    if tenant.state == "active":
        tenant.state, tenant.suspended_at, tenant.suspended_because = "suspended", now(), because
        audit.record("account.suspended", tenant.name, because=because)


def resume() -> None:
    tenant = get(current_tenant_id())
    if tenant.state == "suspended":
        tenant.state, tenant.suspended_at, tenant.suspended_because = "active", None, None
        tenant.suspended_by_partner = False
        audit.record("account.resumed", tenant.name)


def change_plan(plan: str) -> None:
    tenant = get(current_tenant_id())
    if tenant.plan != plan:
        was, tenant.plan = tenant.plan, offered_plan(plan).code
        tenant.wanted_plan = tenant.wanted_at = None
        audit.record("account.plan_changed", tenant.name, was=was, now=plan)


def change_limits(
    rate_per_second: int | None,
    burst: int | None,
    monthly_messages: int | None,
    spend_cap_usd: Decimal | None,
) -> None:
    """None: use the plan's limit."""
    for field, value, least in (
        ("rate_per_second", rate_per_second, 1),
        ("burst", burst, 1),
        ("monthly_messages", monthly_messages, 0),
        ("spend_cap_usd", spend_cap_usd, 0),
    ):
        if value is not None and value < least:
            raise invalid(field, "invalid_limit", "Must be at least {least}.", least=least)
    own = account()
    before = audit.snapshot(own)
    own.rate_per_second, own.burst = rate_per_second, burst
    own.monthly_messages, own.spend_cap_usd = monthly_messages, spend_cap_usd
    audit.record_change("account.limits_changed", get(current_tenant_id()).name, before, own)


def choose_spend_cap(cap_usd: Decimal | None) -> None:
    """Set the tenant's own monthly cap; None: as much as plan and operator allow."""
    allowed = current_tenant_facts().most_spend_usd
    if cap_usd is not None and cap_usd < 0:
        raise invalid("cap_usd", "invalid_limit", "Must be at least {least}.", least=0)
    if cap_usd is not None and allowed is not None and cap_usd > allowed:
        raise invalid(
            "cap_usd",
            "cap_too_high",
            "Your plan allows at most {most} USD a month. Choose a larger plan, or contact us.",
            most=f"{allowed:f}".rstrip("0").rstrip("."),
        )
    own = account()
    if own.chosen_cap_usd == cap_usd:
        return
    before = audit.snapshot(own)
    own.chosen_cap_usd = cap_usd
    audit.record_change("account.spend_cap_chosen", get(current_tenant_id()).name, before, own)


def drop_tenant_cache(tenant_id: int) -> None:
    """Drop what any process has cached about this tenant and its keys. Call after the commit."""
    bump_cache_generation(str(tenant_id))


def search(
    text: str = "", after: int | None = None, limit: int = 50, wants: str = ""
) -> list[Tenant]:
    """For operators: newest first, by name or id. `wants` is "plan" (requested another plan) or
    "end" (closed).
    """
    query = select(Tenant).order_by(Tenant.created_at.desc(), Tenant.id.desc()).limit(limit)
    if wants == "plan":
        query = query.where(Tenant.wanted_plan.is_not(None))
    elif wants == "end":
        query = query.where(Tenant.state == "closed")
    if text.isdecimal() and len(text) < 19:
        query = query.where(Tenant.id == int(text))
    elif text:
        query = query.where(Tenant.name.icontains(text.replace("\0", ""), autoescape=True))
    if after is not None:
        anchor = get(after)
        query = query.where(
            (Tenant.created_at < anchor.created_at)
            | ((Tenant.created_at == anchor.created_at) & (Tenant.id < anchor.id))
        )
    return list(db.session.scalars(query))


def count_by_state() -> dict[str, int]:
    """The number of tenants by state, how many active ones are on trial, and how many have
    requested another plan.
    """
    rows = db.session.execute(
        select(Tenant.state, Tenant.plan, func.count()).group_by(Tenant.state, Tenant.plan)
    ).all()
    requested_plans = select(func.count()).where(Tenant.wanted_plan.is_not(None))
    return {
        "wishes": db.session.scalar(requested_plans) or 0,
        "all": sum(count for _, _, count in rows),
        "active": sum(count for state, _, count in rows if state == "active"),
        "suspended": sum(count for state, _, count in rows if state == "suspended"),
        "closed": sum(count for state, _, count in rows if state == "closed"),
        "trial": sum(count for state, plan, count in rows if (state, plan) == ("active", "trial")),
    }


def every_tenant(because: str) -> Iterator[int]:
    """Ids of all tenants, read in pages; the caller opens one transaction for each."""
    log.info("all-tenant pass started", because=because)
    last = 0
    while True:
        with global_scope():
            page = list(
                db.session.scalars(
                    select(Tenant.id).where(Tenant.id > last).order_by(Tenant.id).limit(500)
                )
            )
        if not page:
            return
        yield from page
        last = page[-1]
