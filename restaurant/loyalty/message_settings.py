"""The automatic messages as each site has set them up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.values.text import normalize_text, one_line
from messaging.templates import placeholders
from restaurant.chat_texts import unfilled_chat_text
from restaurant.loyalty import rewards
from restaurant.loyalty import schedule as loyalty_schedule
from restaurant.loyalty.triggers import TRIGGERS
from restaurant.models import LoyaltyMessage, Site
from tenants import audit

PLACEHOLDERS = (
    *("customer.first_name", "customer.name", "site.name", "menu.link"),
    *("loyalty.balance", "loyalty.visits"),
    *("coupon.code", "coupon.reward", "coupon.until", "coupon.link"),
)
COUPON_PLACEHOLDERS = tuple(name for name in PLACEHOLDERS if name.startswith("coupon."))
# Default, minimum and maximum: which visit is rewarded; after how many days a guest is missed.
NUMBER_LIMITS = {"visit": (5, 2, 1000), "missed": (30, 3, 365)}
MAX_TEXT_LENGTH = 1000


@dataclass(frozen=True)
class MessageSettings:
    active: bool
    texts: Mapping[str, str] = field(default_factory=dict)
    number: int = 0
    reward_id: str = ""
    template_name: str = ""
    template_language: str = ""
    template_parameters: tuple[str, ...] = ()


def of_site(site: Site) -> list[LoyaltyMessage]:
    """One message for each trigger; the default where the site has not set one up."""
    query = select(LoyaltyMessage).where(
        LoyaltyMessage.tenant_id == current_tenant_id(), LoyaltyMessage.site_id == site.id
    )
    known = {one.cause: one for one in db.session.scalars(query)}
    return [known.get(cause) or default_message(site, cause) for cause in TRIGGERS]


def default_message(site: Site, cause: str) -> LoyaltyMessage:
    """Not stored, not active."""
    return LoyaltyMessage(
        tenant_id=current_tenant_id(),
        site_id=site.id,
        cause=cause,
        active=False,
        texts={language: default_text(language, cause) for language in site.languages},
        number=NUMBER_LIMITS.get(cause, (0,))[0],
        template={},
    )


def default_text(language: str, cause: str) -> str:
    return unfilled_chat_text(language, f"loyalty_{cause}")


def text_for(message: LoyaltyMessage, site: Site, language: str) -> str:
    """The text in the guest's language, else in the site's first language that has one."""
    for one in (language, language.partition("-")[0], *site.languages):
        if text := message.texts.get(one):
            return str(text)
    return default_text(site.languages[0], message.cause)


def save_message(site: Site, cause: str, settings: MessageSettings) -> LoyaltyMessage:
    if cause not in TRIGGERS:
        raise invalid("reason", "invalid_choice", "This message does not exist.")
    values = _checked(site, cause, settings)
    message = db.session.get(LoyaltyMessage, (current_tenant_id(), site.id, cause))
    before = audit.snapshot(message or default_message(site, cause))
    if message is None:
        message = LoyaltyMessage(tenant_id=current_tenant_id(), site_id=site.id, cause=cause)
        db.session.add(message)
    for name, value in values.items():
        setattr(message, name, value)
    message.changed_at = now()
    db.session.flush()
    loyalty_schedule.schedule_run()
    audit.record_change("loyalty.message", site.name, before, message, cause=cause)
    return message


def _checked(site: Site, cause: str, settings: MessageSettings) -> dict[str, Any]:
    reward = rewards.get(settings.reward_id) if settings.reward_id else None
    texts = {
        language: normalize_text(text)[:MAX_TEXT_LENGTH]
        for language, text in settings.texts.items()
        if language in site.languages and text.strip()
    }
    if settings.active and not texts:
        raise invalid("text", "text_missing", "Write the message to the guest.")
    for text in (*texts.values(), *settings.template_parameters):
        check_text(text, coupon=reward is not None or cause == "gift")
    number = 0
    if cause in NUMBER_LIMITS:
        _, least, most = NUMBER_LIMITS[cause]
        number = settings.number
        if not least <= number <= most:
            raise invalid(
                "number", "invalid_number", "Enter a number from {least} to {most}.",
                least=least, most=most,
            )  # fmt: skip
    template: dict[str, Any] = {}
    if name := one_line(settings.template_name, 512):
        template = {
            "name": name,
            "language": one_line(settings.template_language, 20) or site.languages[0],
            "parameters": [one_line(one, 300) for one in settings.template_parameters],
        }
    return {
        "active": settings.active,
        "texts": texts,
        "number": number,
        "reward_id": reward.id if reward is not None and cause != "gift" else None,
        "template": template,
    }


def check_text(text: str, *, coupon: bool) -> None:
    for name, _default in placeholders.placeholders_in(text):
        if name not in PLACEHOLDERS:
            raise invalid(
                "text",
                "unknown_placeholder",
                "{what} is not available here. Available: {names}.",
                what="{{" + name + "}}",
                names=", ".join(PLACEHOLDERS),
            )
        if name in COUPON_PLACEHOLDERS and not coupon:
            raise invalid(
                "text",
                "no_reward",
                "{what} needs a reward that is sent with the message. Choose one.",
                what="{{" + name + "}}",
            )
