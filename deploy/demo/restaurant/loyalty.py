"""Loyalty data of the demo: points, rewards, used and open coupons."""

import random
from datetime import timedelta
from typing import Any

from core.clock import frozen, now
from core.db import tenant_scope
from deploy.demo.restaurant.orders import GUESTS, advance_order, random_order_items
from deploy.demo.restaurant.past_orders import PastOrders
from messaging.contacts import identities as contact_identities
from restaurant.loyalty import coupon_codes, coupons, ledger, message_settings, programmes, rewards
from restaurant.menus import menus, stock
from restaurant.menus.pricing import RequestedItem
from restaurant.models import Reward, Site
from restaurant.orders import staff_orders
from restaurant.orders.staff_orders import StaffOrder
from restaurant.sites import sites

USED = (9, 6, 4, 2, 1)  # days ago


def set_up_loyalty() -> None:
    """Points in Istanbul, stamps in Lisbon; each with rewards to exchange them for."""
    for phone, name in GUESTS:
        if phone:
            contact_identities.find_or_create(phone, "", name, now())
    for site in sites.listed():
        drink = next(item for item in menus.items(site.menu_id or "") if _is_drink(item.texts))
        only: dict[str, Any] = {"site_ids": (site.id,), "currency": site.currency}
        if site.currency == "TRY":
            rewards.add(rewards.RewardSettings("%10 indirim", "percent", "10", most="150", **only))
            rewards.add(
                rewards.RewardSettings(
                    "İçeceğiniz bizden", "item", item_id=drink.id, cost=60, **only
                )
            )
            rewards.add(
                rewards.RewardSettings(
                    "100 ₺ indirim", "amount", "100", minimum="400", cost=150, **only
                )
            )
            programmes.save_programme(
                site,
                programmes.ProgrammeSettings(
                    "points", True, "10", keywords=tuple(programmes.default_keywords(site))
                ),
            )
        else:
            gift = rewards.add(
                rewards.RewardSettings("A drink on us", "item", item_id=drink.id, cost=5, **only)
            )
            programmes.save_programme(
                site,
                programmes.ProgrammeSettings(
                    "stamps", True, "8", keywords=("stamps", "points"), gift_id=gift.id
                ),
            )


def add_coupons(tenant_id: int) -> None:
    """Some are used, some are open, one has expired, one was cancelled as a mistake."""
    with tenant_scope(tenant_id):
        known = [site.id for site in sites.listed()]
    for site_id in known:
        _use(tenant_id, site_id)
    with tenant_scope(tenant_id):
        site = next(one for one in sites.listed() if one.prefix == "MAV")
        tenth = next(one for one in rewards.listed() if one.kind == "percent")
        people = [contact_identities.find_contact(phone) for phone, _ in GUESTS if phone]
        for person in people[:3]:
            coupons.issue(tenth, source="staff", contact_id=person)
        mistaken = coupons.issue(tenth, source="staff", contact_id=people[3])
        ledger.cancel_coupon(mistaken, "Yanlış misafire verildi")
        for reward in rewards.exchangeable_at(site.id, site.currency)[:1]:
            if people[0] and _balance(people[0], site.id) >= (reward.cost or 0):
                ledger.exchange_points(site, people[0], reward)
        for one in sites.listed():
            _switch_on_messages(one, tenth if one.id == site.id else None)
    with frozen(now() - timedelta(days=20)), tenant_scope(tenant_id):
        coupons.issue(rewards.get(tenth.id), source="staff", contact_id=people[4], days=10)


def _use(tenant_id: int, site_id: str) -> None:
    chance = random.Random(f"coupons {site_id}")  # noqa: S311 - demo data
    with tenant_scope(tenant_id):
        past = PastOrders(sites.get(site_id))
        reward = _reward(past.site)
        counted = stock.left_counts(site_id)  # past orders leave today's pieces alone
        for number, back in enumerate(USED):
            moment = (now() - timedelta(days=back)).replace(hour=17, minute=30)  # dinner time
            phone, name = GUESTS[number % 4]
            with frozen(moment):
                coupon = coupons.issue(
                    reward, source="staff", contact_id=contact_identities.find_contact(phone)
                )
                items = [RequestedItem(reward.item_id, 1)] if reward.item_id else []
                items += [
                    RequestedItem(
                        item.item_id, item.quantity, tuple(one.id for one in item.options)
                    )
                    for item in random_order_items(past, chance)
                    if item.item_id and item.item_id not in counted
                ]
                if not items:
                    continue  # all chosen items were sold out or are counted
                staff_order = StaffOrder(
                    items,
                    "takeaway",
                    "cash",
                    phone=phone,
                    name=name,
                    coupon=coupon_codes.format_code(coupon.code),
                )
                order = staff_orders.place_staff_order(past.site, staff_order)
            advance_order(past, order, "closed", moment, chance)
        past.write()


def _reward(site: Site) -> Reward:
    return next(one for one in rewards.listed() if site.id in one.site_ids)


def _switch_on_messages(site: Site, reward: Reward | None) -> None:
    """Activated last, so that no messages are sent about past events."""
    for cause in ("welcome", "missed"):
        usual = message_settings.default_message(site, cause)
        texts = {language: str(text) for language, text in usual.texts.items()}
        if reward is not None and cause == "missed":
            for language, more in (("tr", "Kodunuz"), ("en", "Your code")):
                if language in texts:
                    main_text, _, stop = texts[language].rpartition("\n\n")
                    code = f"{more}: {{{{coupon.code}}}}, {{{{coupon.link}}}}"
                    texts[language] = f"{main_text}\n{code}\n\n{stop}"
        settings = message_settings.MessageSettings(
            True, texts, usual.number, reward.id if reward and cause == "missed" else ""
        )
        message_settings.save_message(site, cause, settings)


def _balance(contact_id: str, site_id: str) -> int:
    return sum(one.balance for one in ledger.balances(contact_id) if one.site_id == site_id)


def _is_drink(texts: dict[str, dict[str, str]]) -> bool:
    names = {words.get("name", "") for words in texts.values()}
    return bool(names & {"Ayran", "Türk Kahvesi", "Çay", "Bica", "Espresso", "Galão"})
