"""Messages that go by themselves, as each site words them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.texts import clean, one_line
from messaging import placeholders
from restaurant.loyalty import rewards, waking
from restaurant.loyalty.causes import CAUSES
from restaurant.models import LoyaltyMessage, Site
from restaurant.wording import words
from tenants import audit

NAMES = (
    *("customer.first_name", "customer.name", "site.name", "menu.link"),
    *("loyalty.balance", "loyalty.visits"),
    *("coupon.code", "coupon.reward", "coupon.until", "coupon.link"),
)
OF_COUPON = tuple(name for name in NAMES if name.startswith("coupon."))
# Which visit is thanked for; after how many days somebody is missed.
NUMBERS = {"visit": (5, 2, 1000), "missed": (30, 3, 365)}
LONGEST = 1000


@dataclass(frozen=True)
class Wanted:
    active: bool
    texts: Mapping[str, str] = field(default_factory=dict)
    number: int = 0
    reward_id: str = ""
    template_name: str = ""
    template_language: str = ""
    template_parameters: tuple[str, ...] = ()


def of_site(site: Site) -> list[LoyaltyMessage]:
    """One of each cause; where the site said nothing yet, as we would say it."""
    query = select(LoyaltyMessage).where(
        LoyaltyMessage.tenant_id == current_tenant_id(), LoyaltyMessage.site_id == site.id
    )
    known = {one.cause: one for one in db.session.scalars(query)}
    return [known.get(cause) or usual(site, cause) for cause in CAUSES]


def usual(site: Site, cause: str) -> LoyaltyMessage:
    """Not stored."""
    return LoyaltyMessage(
        tenant_id=current_tenant_id(),
        site_id=site.id,
        cause=cause,
        active=False,
        texts={language: usual_text(language, cause) for language in site.languages},
        number=NUMBERS.get(cause, (0,))[0],
        template={},
    )


def usual_text(language: str, cause: str) -> str:
    return words(language)[f"loyalty_{cause}"]


def text_for(message: LoyaltyMessage, site: Site, language: str) -> str:
    """In the guest's language, else in the first of the site's that has one."""
    for one in (language, language.partition("-")[0], *site.languages):
        if text := message.texts.get(one):
            return str(text)
    return usual_text(site.languages[0], message.cause)


def set_up(site: Site, cause: str, wanted: Wanted) -> LoyaltyMessage:
    if cause not in CAUSES:
        raise invalid("cause", "invalid_choice", "There is no such message.")
    values = _checked(site, cause, wanted)
    message = db.session.get(LoyaltyMessage, (current_tenant_id(), site.id, cause))
    before = audit.snapshot(message or usual(site, cause))
    if message is None:
        message = LoyaltyMessage(tenant_id=current_tenant_id(), site_id=site.id, cause=cause)
        db.session.add(message)
    for name, value in values.items():
        setattr(message, name, value)
    message.changed_at = now()
    db.session.flush()
    waking.wake()
    audit.record_change("loyalty.message", site.name, before, message, cause=cause)
    return message


def _checked(site: Site, cause: str, wanted: Wanted) -> dict[str, Any]:
    reward = rewards.get(wanted.reward_id) if wanted.reward_id else None
    texts = {
        language: clean(text)[:LONGEST]
        for language, text in wanted.texts.items()
        if language in site.languages and text.strip()
    }
    if wanted.active and not texts:
        raise invalid("text", "text_missing", "Write what the guest reads.")
    for text in (*texts.values(), *wanted.template_parameters):
        check(text, coupon=reward is not None or cause == "gift")
    number = 0
    if cause in NUMBERS:
        _, least, most = NUMBERS[cause]
        number = wanted.number
        if not least <= number <= most:
            raise invalid(
                "number", "invalid_number", "Write a number from {least} to {most}.",
                least=least, most=most,
            )  # fmt: skip
    template: dict[str, Any] = {}
    if name := one_line(wanted.template_name, 512):
        template = {
            "name": name,
            "language": one_line(wanted.template_language, 20) or site.languages[0],
            "parameters": [one_line(one, 300) for one in wanted.template_parameters],
        }
    return {
        "active": wanted.active,
        "texts": texts,
        "number": number,
        "reward_id": reward.id if reward is not None and cause != "gift" else None,
        "template": template,
    }


def check(text: str, *, coupon: bool) -> None:
    for name, _default in placeholders.names_in(text):
        if name not in NAMES:
            raise invalid(
                "text",
                "unknown_placeholder",
                "There is no {what} here. There are: {names}.",
                what="{{" + name + "}}",
                names=", ".join(NAMES),
            )
        if name in OF_COUPON and not coupon:
            raise invalid(
                "text",
                "no_reward",
                "{what} needs a reward that goes with the message: choose one.",
                what="{{" + name + "}}",
            )
