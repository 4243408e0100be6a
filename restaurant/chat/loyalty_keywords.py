"""Guests ask for their balance, or redeem it for a reward, with a keyword in the chat."""

import threading
import time

from core.db import current_tenant_id
from core.errors import Conflict
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.kinds.registry import is_written
from messaging.models import Line
from restaurant.chat.senders import Sender, read_sender
from restaurant.chat_texts import chat_languages, chat_text
from restaurant.loyalty import coupon_codes, coupons, ledger, programmes, rewards
from restaurant.loyalty import placeholders as loyalty_placeholders
from restaurant.models import LoyaltyProgramme, Site
from restaurant.orders import notifications as order_notifications
from restaurant.orders.cards.card import Card, with_link
from restaurant.sites import sites

MAX_TEXT_LENGTH = 40
CACHE_SECONDS = 30.0
CACHE_SIZE = 5000
# "Give it to me": the dearest reward that the balance pays for.
REDEEM_WORDS = (
    *("redeem", "kullan", "hediye", "einlösen", "استبدال"),
    *("canjear", "échanger", "resgatar"),
)
_REDEEM_WORDS = frozenset(programmes.normalize_keyword(one) for one in REDEEM_WORDS)


class _KeywordCache:
    """Caches the keywords of each tenant for a short time: they are checked on every message."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._words: dict[int, tuple[float, frozenset[str]]] = {}

    def words(self, tenant_id: int) -> frozenset[str]:
        known = self._words.get(tenant_id)
        if known is not None and known[0] > time.monotonic():
            return known[1]
        found = frozenset(
            programmes.normalize_keyword(one)
            for programme in programmes.listed()
            if programme.active
            for one in programme.keywords
        )
        with self._lock:
            if len(self._words) >= CACHE_SIZE:
                self._words.clear()
            self._words[tenant_id] = (time.monotonic() + CACHE_SECONDS, found)
        return found

    def forget(self) -> None:
        with self._lock:
            self._words.clear()


keyword_cache = _KeywordCache()


def is_keyword(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    if not is_written(message.kind) or not 0 < len(message.text) <= MAX_TEXT_LENGTH:
        return False
    words = keyword_cache.words(current_tenant_id())
    keyword = programmes.normalize_keyword(message.text)
    return bool(words) and (keyword in words or keyword in _REDEEM_WORDS)


def answer_keyword(line: Line, message: InboundMessage) -> bool:
    """Runs in the transaction that stored the message. False if no reply was sent."""
    sender = read_sender(line, message)
    if sender is None or sender.blocked:
        return False
    contact_id = sender.contact_id
    keyword = programmes.normalize_keyword(message.text)
    matching = _matching_programmes(line, keyword)
    if not matching:
        return False
    language = _language(sender.language, keyword, matching[0][1])
    if keyword in _REDEEM_WORDS:
        for _, site in matching:
            if reply := _redeem(site, contact_id, language):
                return bool(order_notifications.send_card(line, sender.address, reply))
    parts = [_balance(programme, site, contact_id, language) for programme, site in matching]
    parts += _coupons(matching[0][1], contact_id, language)
    return bool(order_notifications.send_text(line, sender.address, "\n\n".join(parts)))


def send_balance(line: Line, site: Site, sender: Sender) -> bool:
    """Answer a guest who asked for the balance at one restaurant. False if it has no programme."""
    programme = programmes.of_site(site.id)
    if programme is None or not programme.active:
        return False
    language = _language(sender.language, "", site)
    parts = [_balance(programme, site, sender.contact_id, language)]
    parts += _coupons(site, sender.contact_id, language)
    return bool(order_notifications.send_text(line, sender.address, "\n\n".join(parts)))


def _matching_programmes(line: Line, keyword: str) -> list[tuple[LoyaltyProgramme, Site]]:
    """The programmes with this keyword at the sites that use this line."""
    active = {one.site_id: one for one in programmes.listed() if one.active}
    matching = []
    for site in sites.listed():
        programme = active.get(site.id)
        site_line = sites.line_of(site) if programme is not None else None
        if programme is None or site_line is None or site_line.id != line.id:
            continue
        if keyword in _REDEEM_WORDS or keyword in {
            programmes.normalize_keyword(one) for one in programme.keywords
        }:
            matching.append((programme, site))
    return matching


def _language(known_as: str, keyword: str, site: Site) -> str:
    """The guest's language, else that of the keyword, else the site's."""
    if known_as.partition("-")[0] in chat_languages():
        return known_as
    for language, words in programmes.DEFAULT_KEYWORDS.items():
        if (
            keyword in {programmes.normalize_keyword(one) for one in words}
            and language in site.languages
        ):
            return language
    return site.languages[0]


def _balance(programme: LoyaltyProgramme, site: Site, contact_id: str, language: str) -> str:
    own_balance = next((one for one in ledger.balances(contact_id) if one.site_id == site.id), None)
    balance = own_balance.balance if own_balance else 0
    text = chat_text(language, f"{programme.kind}_balance", site=site.name, balance=balance)
    priced = rewards.exchangeable_at(site.id, site.currency)
    if not priced:
        return text
    paid = [one for one in priced if (one.cost or 0) <= balance]
    if paid:
        return f"{text}\n{chat_text(language, 'reward_ready', reward=paid[-1].name)}"
    missing = (priced[0].cost or 0) - balance
    key = f"{programme.kind}_missing"
    return f"{text}\n{chat_text(language, key, missing=missing, reward=priced[0].name)}"


def _coupons(site: Site, contact_id: str, language: str) -> list[str]:
    found = coupons.open_of_contact(contact_id)
    if not found:
        return []
    lines = []
    for one in found:
        until = loyalty_placeholders.last_day(site, one, language)
        values = {"code": coupon_codes.format_code(one.code), "reward": coupons.terms_of(one).name}
        lines.append(chat_text(language, "coupon_row", until=until, **values))
    return ["\n".join([chat_text(language, "your_coupons"), *lines])]


def _redeem(site: Site, contact_id: str, language: str) -> Card | None:
    """The reply; None if the balance covers no reward at this site."""
    own_balance = next((one for one in ledger.balances(contact_id) if one.site_id == site.id), None)
    balance = own_balance.balance if own_balance else 0
    paid = [
        one for one in rewards.exchangeable_at(site.id, site.currency) if (one.cost or 0) <= balance
    ]
    if not paid:
        return None
    try:
        coupon = ledger.exchange_points(site, contact_id, paid[-1])
    except Conflict:
        return None
    values = loyalty_placeholders.coupon_values(site, coupon, language)
    text = chat_text(
        language,
        "coupon_given",
        reward=values["coupon.reward"],
        code=values["coupon.code"],
        until=values["coupon.until"],
    )
    return with_link(text, chat_text(language, "open_menu"), values["coupon.link"])
