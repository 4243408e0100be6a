"""The loyalty programme of each site: points or stamps, and its rules."""

import re
from dataclasses import dataclass
from datetime import time
from decimal import Decimal
from typing import Any

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.values.money import BadMoney, parse_money
from core.values.text import fold_case, one_line
from restaurant.loyalty import mode_switch
from restaurant.loyalty import schedule as loyalty_schedule
from restaurant.menus.pricing import ZERO
from restaurant.models import LoyaltyProgramme, Reward, Site
from tenants import audit

KINDS = ("points", "stamps")
MOST_KEYWORDS, LONGEST_KEYWORD = 10, 30
MOST_POINTS = 10_000
_CLOCK = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
# What guests write to ask for their balance, until the restaurant sets its own keywords.
DEFAULT_KEYWORDS = {
    "en": ("points", "stamps"),
    "tr": ("puan", "puanım", "damga"),
    "de": ("punkte", "stempel"),
    "ar": ("نقاط", "نقاطي"),
    "es": ("puntos", "sellos"),
    "fr": ("points", "tampons"),
    "pt": ("pontos", "selos"),
}


@dataclass(frozen=True)
class ProgrammeSettings:
    """As a form or an API caller sends it; amounts are text."""

    kind: str
    active: bool
    amount: str
    points: int = 1
    keywords: tuple[str, ...] = ()
    gift_id: str | None = None
    quiet_from: str = "21:00"
    quiet_until: str = "10:00"
    worth: int | None = None
    """Required to change the kind: how many points a stamp is worth."""


def of_site(site_id: str) -> LoyaltyProgramme | None:
    return db.session.get(LoyaltyProgramme, (current_tenant_id(), site_id))


def listed() -> list[LoyaltyProgramme]:
    query = select(LoyaltyProgramme).where(LoyaltyProgramme.tenant_id == current_tenant_id())
    return list(db.session.scalars(query.order_by(LoyaltyProgramme.site_id)))


def default_programme(site: Site) -> LoyaltyProgramme:
    """The default settings for a site; not stored."""
    return LoyaltyProgramme(
        tenant_id=current_tenant_id(),
        site_id=site.id,
        kind="points",
        active=False,
        amount=Decimal(10),
        points=1,
        keywords=default_keywords(site),
        quiet_from="21:00",
        quiet_until="10:00",
    )


def default_keywords(site: Site) -> list[str]:
    languages = [
        word for one in site.languages for word in DEFAULT_KEYWORDS.get(one.partition("-")[0], ())
    ]
    return list(dict.fromkeys(languages or DEFAULT_KEYWORDS["en"]))[:MOST_KEYWORDS]


def save_programme(site: Site, settings: ProgrammeSettings) -> LoyaltyProgramme:
    values = _checked(site, settings)
    programme = of_site(site.id)
    before = audit.snapshot(programme) if programme else None
    if programme is None:
        programme = LoyaltyProgramme(tenant_id=current_tenant_id(), site_id=site.id)
        db.session.add(programme)
    elif programme.kind != settings.kind:
        mode_switch.switch_mode(site.id, programme.kind, settings.kind, settings.worth)
    for name, value in values.items():
        setattr(programme, name, value)
    programme.changed_at = now()
    db.session.flush()
    loyalty_schedule.schedule_run()
    if before is None:
        audit.record("loyalty.programme", site.name, kind=settings.kind, active=settings.active)
    else:
        audit.record_change("loyalty.programme_changed", site.name, before, programme)
    return programme


def points_for(programme: LoyaltyProgramme, spent: Decimal) -> int:
    """Points for the amount paid for the items after the discount."""
    if programme.kind == "stamps":
        return 1 if spent >= programme.amount else 0
    return int(spent // programme.amount) * programme.points if programme.amount > 0 else 0


def normalize_keyword(text: str) -> str:
    """The form used for comparison: ignores case and the difference between the letters i and ı."""
    return fold_case(one_line(text)).replace("ı", "i").strip(" .,;:!¡?¿\"'*_~()")


def _checked(site: Site, settings: ProgrammeSettings) -> dict[str, Any]:
    if settings.kind not in KINDS:
        raise invalid("kind", "invalid_choice", "Choose points or stamps.")
    amount = parse_amount(settings.amount, site.currency, "amount")
    if settings.kind == "points" and amount <= 0:
        raise invalid("amount", "invalid_amount", "Enter the amount for which points are given.")
    if not 1 <= settings.points <= MOST_POINTS:
        raise invalid(
            "points", "invalid_number", "Enter a number from 1 to {most}.", most=MOST_POINTS
        )
    gift = settings.gift_id or None
    if gift is not None:
        reward = db.session.get(Reward, (current_tenant_id(), gift))
        if reward is None or reward.removed_at is not None or reward.cost is None:
            raise invalid("gift_id", "invalid_choice", "Choose a reward that has a price.")
    for name, value in (("quiet_from", settings.quiet_from), ("quiet_until", settings.quiet_until)):
        if not _CLOCK.fullmatch(value):
            raise invalid(name, "invalid_time", "Enter a time, such as 21:00.")
    return {
        "kind": settings.kind,
        "active": settings.active,
        "amount": amount,
        "points": settings.points,
        "keywords": _keywords(settings.keywords),
        "gift_id": gift,
        "quiet_from": settings.quiet_from,
        "quiet_until": settings.quiet_until,
    }


def parse_amount(written: str, currency: str, field: str) -> Decimal:
    """Empty text is 0. Raises Invalid."""
    text = str(written).strip().replace(",", ".")
    if not text:
        return ZERO
    try:
        amount = parse_money(text, currency)
    except BadMoney as error:
        raise invalid(field, "invalid_amount", str(error)) from error
    if amount < 0:
        raise invalid(field, "invalid_amount", "An amount cannot be negative.")
    return amount


def _keywords(given: tuple[str, ...]) -> list[str]:
    named = {normalize_keyword(one): one_line(one) for one in given if normalize_keyword(one)}
    if len(named) > MOST_KEYWORDS:
        raise invalid("keywords", "too_many", "Enter at most {most} words.", most=MOST_KEYWORDS)
    if any(len(one) > LONGEST_KEYWORD for one in named.values()):
        raise invalid("keywords", "too_long", "A word can have at most {most} letters.",
                      most=LONGEST_KEYWORD)  # fmt: skip
    return list(named.values())


def quiet_hours(programme: LoyaltyProgramme | None) -> tuple[time, time]:
    """Start and end, in the site's time zone. No automatic message is sent between them."""
    if programme is not None:
        return time.fromisoformat(programme.quiet_from), time.fromisoformat(programme.quiet_until)
    return time(21), time(10)
