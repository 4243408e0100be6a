"""Rewards, which are given as coupons or exchanged for points."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Invalid, NotFound, invalid
from core.values.money import BadMoney, decimal_places
from core.values.text import one_line
from restaurant.loyalty import coupon_terms
from restaurant.loyalty.coupon_terms import KINDS
from restaurant.loyalty.programmes import parse_amount
from restaurant.menus import publishing
from restaurant.menus.pricing import NotOnMenu, PricedMenu
from restaurant.models import Reward
from restaurant.sites import sites
from tenants import audit

LONGEST_NAME = 80
MOST_DAYS = 730


@dataclass(frozen=True)
class RewardSettings:
    """As a form or an API caller sends it; amounts are text, empty means none."""

    name: str
    kind: str
    value: str = ""
    most: str = ""
    minimum: str = ""
    currency: str = ""
    item_id: str = ""
    site_ids: tuple[str, ...] = ()
    valid_days: int = 30
    per_contact: int = 0
    cost: int | None = None
    active: bool = True


def get(reward_id: str) -> Reward:
    found = db.session.get(Reward, (current_tenant_id(), reward_id))
    if found is None or found.removed_at is not None:
        raise NotFound()
    return found


def listed(*, active: bool = False) -> list[Reward]:
    query = select(Reward).where(
        Reward.tenant_id == current_tenant_id(), Reward.removed_at.is_(None)
    )
    if active:
        query = query.where(Reward.active)
    return list(db.session.scalars(query.order_by(Reward.id)))


def any_exist() -> bool:
    """False if no coupon can exist, so that the code field can be hidden."""
    query = select(Reward.id).where(Reward.tenant_id == current_tenant_id())
    return db.session.scalars(query.limit(1)).first() is not None


def exchangeable_at(site_id: str, currency: str) -> list[Reward]:
    """What a site's points or stamps can be exchanged for, cheapest first."""
    fits = [
        one
        for one in listed(active=True)
        if one.cost is not None and is_valid_at(one, site_id, currency)
    ]
    return sorted(fits, key=lambda one: one.cost or 0)


def is_valid_at(reward: Reward, site_id: str, currency: str) -> bool:
    named = not reward.site_ids or site_id in reward.site_ids
    return named and (
        not coupon_terms.terms_of_reward(reward).is_fixed_amount or reward.currency == currency
    )


def add(settings: RewardSettings) -> Reward:
    reward = Reward(tenant_id=current_tenant_id(), **_checked(settings))
    db.session.add(reward)
    db.session.flush()
    audit.record("loyalty.reward_added", reward.name)
    return reward


def change(reward_id: str, settings: RewardSettings) -> Reward:
    """Coupons that were already issued keep their terms."""
    reward = get(reward_id)
    before = audit.snapshot(reward)
    for name, value in _checked(settings).items():
        setattr(reward, name, value)
    db.session.flush()
    audit.record_change("loyalty.reward_changed", reward.name, before, reward, shown=audit.NAMED)
    return reward


def remove(reward_id: str) -> None:
    reward = get(reward_id)
    reward.removed_at, reward.active = now(), False
    audit.record("loyalty.reward_removed", reward.name)


def _checked(settings: RewardSettings) -> dict[str, Any]:
    name = one_line(settings.name, LONGEST_NAME)
    if not name:
        raise invalid("name", "name_missing", "Enter a reward name that guests understand.")
    if settings.kind not in KINDS:
        raise invalid("kind", "invalid_choice", "Choose what the reward is.")
    known = {site.id: site for site in sites.listed()}
    chosen = [known[one] for one in dict.fromkeys(settings.site_ids) if one in known]
    if len(chosen) != len(set(settings.site_ids)):
        raise invalid("site_ids", "unknown_site", "This restaurant does not exist.")
    currency = settings.currency or next((s.currency for s in chosen or known.values()), "")
    try:
        decimal_places(currency)
    except BadMoney as error:
        raise invalid("currency", "invalid_currency", str(error)) from error
    if any(site.currency != currency for site in chosen):
        raise invalid(
            "site_ids", "other_currency", "All restaurants of a reward must have the same currency."
        )
    if not 1 <= settings.valid_days <= MOST_DAYS:
        raise invalid("valid_days", "invalid_number", "A coupon must be valid for 1 to "
                                                      "{most} days.",
                      most=MOST_DAYS)  # fmt: skip
    if not 0 <= settings.per_contact <= 1000:
        raise invalid("per_contact", "invalid_number", "Enter a number from 0 to 1000.")
    if settings.cost is not None and not 1 <= settings.cost <= 1_000_000:
        raise invalid("cost", "invalid_number", "Enter a number from 1 to 1,000,000.")
    item_id, item_name = _item(settings)
    most = parse_amount(settings.most, currency, "most")
    return {
        "name": name,
        "kind": settings.kind,
        "value": _value(settings, currency),
        "most": most if most and settings.kind == "percent" else None,
        "minimum": parse_amount(settings.minimum, currency, "minimum"),
        "currency": currency,
        "item_id": item_id,
        "item_name": item_name,
        "site_ids": [site.id for site in chosen],
        "valid_days": settings.valid_days,
        "per_contact": settings.per_contact,
        "cost": settings.cost,
        "active": settings.active,
    }


def _value(settings: RewardSettings, currency: str) -> Decimal:
    if settings.kind == "item":
        return Decimal(0)
    if settings.kind == "amount":
        amount = parse_amount(settings.value, currency, "value")
        if amount <= 0:
            raise invalid("value", "invalid_amount", "Enter the discount.")
        return amount
    try:
        percent = Decimal(settings.value.strip().replace(",", "."))
    except ArithmeticError:
        percent = Decimal(-1)
    if not percent.is_finite() or not 0 < percent <= 100 or percent != round(percent, 2):
        raise invalid("value", "invalid_percent", "Enter a percentage of at most 100.")
    return percent


def _item(settings: RewardSettings) -> tuple[str | None, str]:
    """The item must be on a published menu of one of the sites."""
    if settings.kind != "item":
        return None, ""
    for site in sites.listed():
        if settings.site_ids and site.id not in settings.site_ids:
            continue
        version = publishing.published_version(site.menu_id or "")
        if version is None or not settings.item_id:
            continue
        priced_menu = PricedMenu(version.content)
        try:
            item = priced_menu.item(settings.item_id)
        except (NotOnMenu, Invalid):
            continue
        return settings.item_id, priced_menu.text(item, version.content["languages"][0])
    raise invalid("item_id", "item_missing", "Choose an item from a published menu.")
