"""Values for the placeholders of a loyalty message."""

from datetime import timedelta

from babel.dates import format_date

from core.clock import now, zone
from core.db import current_tenant_id, db
from core.security.signed_urls import absolute_url
from messaging.contacts.cards import ContactCard
from messaging.templates.placeholders import fill_placeholders
from restaurant.loyalty import coupon_codes, coupon_terms, message_settings, programmes, rewards
from restaurant.models import Coupon, LoyaltyMember, LoyaltyMessage, Reward, Site


def menu_link(site: Site) -> str:
    return f"https://{site.host}/menu" if site.host else absolute_url(f"/r/{site.slug}/menu")


def values_for(site: Site, card: ContactCard, coupon: Coupon | None) -> dict[str, str]:
    balance = db.session.get(
        LoyaltyMember, (current_tenant_id(), site.id, card.id), populate_existing=True
    )
    name = card.contact.name
    values = {
        "customer.first_name": name.split(" ")[0],
        "customer.name": name,
        "site.name": site.name,
        "menu.link": menu_link(site),
        "loyalty.balance": str(balance.balance if balance else 0),
        "loyalty.visits": str(balance.visits if balance else 0),
    }
    if coupon is not None:
        values |= coupon_values(site, coupon, card.contact.language or site.languages[0])
    return values


def coupon_values(site: Site, coupon: Coupon, language: str) -> dict[str, str]:
    code = coupon_codes.format_code(coupon.code)
    return {
        "coupon.code": code,
        "coupon.reward": coupon_terms.read_terms(coupon.terms).name,
        "coupon.until": last_day(site, coupon, language),
        "coupon.link": f"{menu_link(site)}?coupon={code}",
    }


def last_day(site: Site, coupon: Coupon, language: str) -> str:
    day = coupon.expires_at.astimezone(zone(site.time_zone)).date()
    try:
        return str(format_date(day, "long", locale=language.replace("-", "_")))
    except (ValueError, LookupError):
        return day.isoformat()


def preview_text(site: Site, message: LoyaltyMessage, language: str) -> str:
    """The message as a guest would see it, for the person who edits it."""
    values = {
        "customer.first_name": "Ayşe",
        "customer.name": "Ayşe Kaya",
        "site.name": site.name,
        "menu.link": menu_link(site),
        "loyalty.balance": "42",
        "loyalty.visits": str(message.number or 1),
    }
    reward_id = message.reward_id
    if message.cause == "gift" and (programme := programmes.of_site(site.id)) is not None:
        reward_id = programme.gift_id
    if message.cause == "gift" and reward_id is None:
        reward_id = next((one.id for one in rewards.listed(active=True)), None)
    reward = db.session.get(Reward, (current_tenant_id(), reward_id)) if reward_id else None
    if reward is not None:
        made = Coupon(
            code="BCDFGHJKMNPQ",
            terms=coupon_terms.terms_of_reward(reward).as_json(),
            expires_at=now() + timedelta(days=reward.valid_days),
        )
        values |= coupon_values(site, made, language)
    return fill_placeholders(message_settings.text_for(message, site, language), values).text
