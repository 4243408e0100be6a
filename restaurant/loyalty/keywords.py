"""A guest asks for the balance, or for the reward it pays for, with one word in the chat."""

import threading
import time

from core.db import current_tenant_id
from core.errors import Conflict
from messaging import contacts
from messaging.crm import cards
from messaging.lines import InboundMessage
from messaging.models import Line
from restaurant import sites, telling
from restaurant.loyalty import book, codes, coupons, filling, programmes, rewards
from restaurant.models import Programme, Site
from restaurant.wording import say, spoken

LONGEST = 40
KEPT_SECONDS = 30.0
MOST_KNOWN = 5000
KINDS = frozenset({"text", "button"})
# "Give it to me": the dearest reward that the balance pays for.
REDEEM = ("redeem", "kullan", "hediye", "einlösen", "استبدال")
_REDEEM = frozenset(programmes.word(one) for one in REDEEM)


class _Known:
    """The words of each tenant, remembered for a moment: every message asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._words: dict[int, tuple[float, frozenset[str]]] = {}

    def words(self, tenant_id: int) -> frozenset[str]:
        known = self._words.get(tenant_id)
        if known is not None and known[0] > time.monotonic():
            return known[1]
        found = frozenset(
            programmes.word(one)
            for programme in programmes.listed()
            if programme.active
            for one in programme.keywords
        )
        with self._lock:
            if len(self._words) >= MOST_KNOWN:
                self._words.clear()
            self._words[tenant_id] = (time.monotonic() + KEPT_SECONDS, found)
        return found

    def forget(self) -> None:
        with self._lock:
            self._words.clear()


known = _Known()


def asks(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    if message.kind not in KINDS or not 0 < len(message.text) <= LONGEST:
        return False
    words = known.words(current_tenant_id())
    said = programmes.word(message.text)
    return bool(words) and (said in words or said in _REDEEM)


def answer(line: Line, message: InboundMessage) -> bool:
    """In the transaction that stored the message. False: it was meant for somebody else."""
    contact_id = contacts.find(message.sender_phone, message.sender_network_id)
    if contact_id is None or not message.sender_phone:
        return False
    card = cards.get(contact_id)
    if card.contact.blocked_at is not None:
        return False
    said = programmes.word(message.text)
    meant = _meant(line, said)
    if not meant:
        return False
    language = _language(card.contact.language, said, meant[0][1])
    if said in _REDEEM:
        for _, site in meant:
            if text := _redeem(site, contact_id, language):
                return bool(telling.answer(line, message.sender_phone, text))
    parts = [_balance(programme, site, contact_id, language) for programme, site in meant]
    parts += _coupons(meant[0][1], contact_id, language)
    return bool(telling.answer(line, message.sender_phone, "\n\n".join(parts)))


def _meant(line: Line, said: str) -> list[tuple[Programme, Site]]:
    """The programmes of the sites behind this line that know the word."""
    active = {one.site_id: one for one in programmes.listed() if one.active}
    meant = []
    for site in sites.listed():
        programme = active.get(site.id)
        mine = sites.line_of(site) if programme is not None else None
        if programme is None or mine is None or mine.id != line.id:
            continue
        if said in _REDEEM or said in {programmes.word(one) for one in programme.keywords}:
            meant.append((programme, site))
    return meant


def _language(known_as: str, said: str, site: Site) -> str:
    """The guest's own; else the one the word is of; else the site's."""
    if known_as.partition("-")[0] in spoken():
        return known_as
    for language, words in programmes.WORDS.items():
        if said in {programmes.word(one) for one in words} and language in site.languages:
            return language
    return site.languages[0]


def _balance(programme: Programme, site: Site, contact_id: str, language: str) -> str:
    standing = next((one for one in book.standings(contact_id) if one.site_id == site.id), None)
    balance = standing.balance if standing else 0
    said = say(language, f"{programme.kind}_balance", site=site.name, balance=balance)
    priced = rewards.priced_for(site.id, site.currency)
    if not priced:
        return said
    paid = [one for one in priced if (one.cost or 0) <= balance]
    if paid:
        return f"{said}\n{say(language, 'reward_ready', reward=paid[-1].name)}"
    missing = (priced[0].cost or 0) - balance
    key = f"{programme.kind}_missing"
    return f"{said}\n{say(language, key, missing=missing, reward=priced[0].name)}"


def _coupons(site: Site, contact_id: str, language: str) -> list[str]:
    mine = coupons.open_of(contact_id)
    if not mine:
        return []
    lines = []
    for one in mine:
        until = filling.last_day(site, one, language)
        values = {"code": codes.shown(one.code), "reward": coupons.promise_of(one).name}
        lines.append(say(language, "coupon_row", until=until, **values))
    return ["\n".join([say(language, "your_coupons"), *lines])]


def _redeem(site: Site, contact_id: str, language: str) -> str:
    """Empty: the balance pays for nothing here."""
    standing = next((one for one in book.standings(contact_id) if one.site_id == site.id), None)
    balance = standing.balance if standing else 0
    paid = [one for one in rewards.priced_for(site.id, site.currency) if (one.cost or 0) <= balance]
    if not paid:
        return ""
    try:
        coupon = book.exchange(site, contact_id, paid[-1])
    except Conflict:
        return ""
    values = filling.coupon_values(site, coupon, language)
    return say(
        language,
        "coupon_given",
        reward=values["coupon.reward"],
        code=values["coupon.code"],
        until=values["coupon.until"],
        url=values["coupon.link"],
    )
