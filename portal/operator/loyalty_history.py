"""Guests of the demo who come back: points, rewards, coupons used and still to be used."""

import random
from datetime import timedelta
from typing import Any

from core.clock import frozen, now
from core.db import tenant_scope
from messaging import contacts
from portal.operator.order_history import GUESTS, lead, lines_of_a_guest
from portal.operator.past_orders import Past
from restaurant import entry, menus, sites
from restaurant.entry import Taken
from restaurant.loyalty import book, codes, coupons, messages, programmes, rewards
from restaurant.models import Reward, Site
from restaurant.pricing import Wish

USED = (9, 6, 4, 2, 1)  # days ago


def open_club() -> None:
    """Points in Istanbul, stamps in Lisbon; each with something to have for them."""
    for phone, name in GUESTS:
        if phone:
            contacts.meet(phone, "", name, now())
    for site in sites.listed():
        drink = next(item for item in menus.items(site.menu_id or "") if _is_drink(item.texts))
        only: dict[str, Any] = {"site_ids": (site.id,), "currency": site.currency}
        if site.currency == "TRY":
            rewards.add(rewards.Wanted("%10 indirim", "percent", "10", most="150", **only))
            rewards.add(rewards.Wanted("İçeceğiniz bizden", "item", item_id=drink.id, cost=60,
                                       **only))  # fmt: skip
            rewards.add(rewards.Wanted("100 ₺ indirim", "amount", "100", minimum="400", cost=150,
                                       **only))  # fmt: skip
            programmes.set_up(site, programmes.Wanted(
                "points", True, "10", keywords=tuple(programmes.usual_words(site))))  # fmt: skip
        else:
            gift = rewards.add(rewards.Wanted("A drink on us", "item", item_id=drink.id, cost=5,
                                              **only))  # fmt: skip
            programmes.set_up(site, programmes.Wanted(
                "stamps", True, "8", keywords=("stamps", "points"), gift_id=gift.id))  # fmt: skip


def tell_coupons(tenant_id: int) -> None:
    """Some were used, some lie in a chat, one ran out, one was given by mistake."""
    with tenant_scope(tenant_id):
        known = [site.id for site in sites.listed()]
    for site_id in known:
        _use(tenant_id, site_id)
    with tenant_scope(tenant_id):
        site = next(one for one in sites.listed() if one.prefix == "MAV")
        tenth = next(one for one in rewards.listed() if one.kind == "percent")
        people = [contacts.find(phone) for phone, _ in GUESTS if phone]
        for person in people[:3]:
            coupons.issue(tenth, source="staff", contact_id=person)
        mistaken = coupons.issue(tenth, source="staff", contact_id=people[3])
        book.cancel_coupon(mistaken, "Yanlış misafire verildi")
        for reward in rewards.priced_for(site.id, site.currency)[:1]:
            if people[0] and _balance(people[0], site.id) >= (reward.cost or 0):
                book.exchange(site, people[0], reward)
        for one in sites.listed():
            _speak(one, tenth if one.id == site.id else None)
    with frozen(now() - timedelta(days=20)), tenant_scope(tenant_id):
        coupons.issue(rewards.get(tenth.id), source="staff", contact_id=people[4], days=10)


def _use(tenant_id: int, site_id: str) -> None:
    chance = random.Random(f"coupons {site_id}")  # noqa: S311 - a story
    with tenant_scope(tenant_id):
        past = Past(sites.get(site_id))
        reward = _reward(past.site)
        for number, back in enumerate(USED):
            moment = (now() - timedelta(days=back)).replace(hour=17, minute=30)  # dinner time
            phone, name = GUESTS[number % 4]
            with frozen(moment):
                coupon = coupons.issue(reward, source="staff", contact_id=contacts.find(phone))
                wishes = [Wish(reward.item_id, 1)] if reward.item_id else []
                wishes += [
                    Wish(line.item_id, line.quantity, tuple(one.id for one in line.options))
                    for line in lines_of_a_guest(past, chance)
                    if line.item_id
                ]
                if not wishes:
                    continue  # all they thought of was sold out
                taken = Taken(
                    wishes, "takeaway", "cash", phone=phone, name=name,
                    coupon=codes.shown(coupon.code),
                )  # fmt: skip
                order = entry.take(past.site, taken)
            lead(past, order, "closed", moment, chance)
        past.write()


def _reward(site: Site) -> Reward:
    return next(one for one in rewards.listed() if site.id in one.site_ids)


def _speak(site: Site, reward: Reward | None) -> None:
    """Switched on at the end: what happened before is not written about now."""
    for cause in ("welcome", "missed"):
        usual = messages.usual(site, cause)
        texts = {language: str(text) for language, text in usual.texts.items()}
        if reward is not None and cause == "missed":
            for language, more in (("tr", "Kodunuz"), ("en", "Your code")):
                if language in texts:
                    said, _, stop = texts[language].rpartition("\n\n")
                    code = f"{more}: {{{{coupon.code}}}}, {{{{coupon.link}}}}"
                    texts[language] = f"{said}\n{code}\n\n{stop}"
        wanted = messages.Wanted(
            True, texts, usual.number, reward.id if reward and cause == "missed" else ""
        )
        messages.set_up(site, cause, wanted)


def _balance(contact_id: str, site_id: str) -> int:
    return sum(one.balance for one in book.standings(contact_id) if one.site_id == site_id)


def _is_drink(texts: dict[str, dict[str, str]]) -> bool:
    names = {words.get("name", "") for words in texts.values()}
    return bool(names & {"Ayran", "Türk Kahvesi", "Çay", "Bica", "Espresso", "Galão"})
