"""Caches the data of menu pages briefly, because a full restaurant loads the same page."""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.clock import now
from core.db import global_scope, tenant_scope
from core.errors import NotFound
from restaurant.delivery import zones
from restaurant.loyalty import rewards
from restaurant.menus import availability, happy_hours, menus, publishing, stock
from restaurant.models import DeliveryZone, Site
from restaurant.orders import card_payments
from restaurant.orders.kitchen import promise as kitchen_promise
from restaurant.sites import sites
from tenants.plans.catalog import current_tenant_facts

CACHE_SECONDS = 2.0  # a sold-out dish may stay visible this long; carts are checked again
CACHE_SIZE = 2000


@dataclass(frozen=True)
class MenuFacts:
    tenant_id: int
    site: Site
    version: int
    content: Mapping[str, Any]
    missing: frozenset[str]
    zones: Sequence[DeliveryZone]
    """Delivery zones, smallest first."""
    why_closed: str
    """Empty if orders are accepted; otherwise paused, closed, no_menu or suspended."""
    at: datetime
    cards: bool = False
    """Whether the restaurant accepts online payments."""
    coupons: bool = False
    """Whether guests can enter a coupon code."""
    left: Mapping[str, int] = field(default_factory=dict)
    """Pieces left of the items that are counted."""
    rules: Sequence[Mapping[str, Any]] = ()
    """The happy hours that apply now."""
    minutes: Mapping[str, int] = field(default_factory=dict)
    """How long the kitchen takes for each dish now, where it is known and guests may see it."""

    @property
    def orders_for_later(self) -> bool:
        """Whether guests can choose a time, also while the restaurant is closed."""
        return self.site.later_days > 0 and self.why_closed in ("", "closed")


class MenuCache:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._facts: OrderedDict[tuple[str, str], tuple[float, MenuFacts | None]] = OrderedDict()
        self._menus: OrderedDict[tuple[str, int], Mapping[str, Any]] = OrderedDict()

    def of(self, kind: str, name: str) -> MenuFacts | None:
        """Look up by `slug` or by `host`. None if there is no such restaurant."""
        key = (kind, name)
        with self._lock:
            known = self._facts.get(key)
        if known is not None and known[0] > time.monotonic():
            return known[1]
        facts = self._look_up(kind, name)
        with self._lock:
            self._facts[key] = (time.monotonic() + CACHE_SECONDS, facts)
            self._facts.move_to_end(key)
            while len(self._facts) > CACHE_SIZE:
                self._facts.popitem(last=False)
        return facts

    def forget(self) -> None:
        with self._lock:
            self._facts.clear()
            self._menus.clear()

    def _look_up(self, kind: str, name: str) -> MenuFacts | None:
        if "\0" in name:
            return None
        with global_scope():
            found = sites.find_by_slug(name) if kind == "slug" else sites.find_by_host(name)
        if found is None:
            return None
        tenant_id, site_id = found
        moment = now()
        with tenant_scope(tenant_id):
            try:
                site = sites.get(site_id)
            except NotFound:
                return None
            version, content = self._menu(site)
            left = stock.left_counts(site.id) if version else {}
            missing = availability.unavailable(site, content, moment, left)
            why = sites.why_no_orders(site, moment) if version else "no_menu"
            if current_tenant_facts().suspended:
                why = "suspended"
            known = zones.listed(site.id) if "delivery" in site.order_types else []
            cards = "card_link" in site.payment_methods and card_payments.accepts_cards(site)
            given = rewards.any_exist()
            minutes = _minutes(site, content) if site.shows_promise and version else {}
        return MenuFacts(
            tenant_id,
            site,
            version,
            content,
            missing,
            known,
            why,
            moment,
            cards,
            given,
            left,
            happy_hours.active(content, site, moment),
            minutes,
        )

    def _menu(self, site: Site) -> tuple[int, Mapping[str, Any]]:
        empty: Mapping[str, Any] = {"categories": [], "groups": {}, "languages": site.languages}
        if site.menu_id is None:
            return 0, empty
        try:
            number = menus.get(site.menu_id).version
        except NotFound:
            return 0, empty
        with self._lock:
            content = self._menus.get((site.menu_id, number))
        if content is None:
            version = publishing.published_version(site.menu_id, number)
            if version is None:
                return 0, empty
            content = version.content
            with self._lock:
                self._menus[site.menu_id, number] = content
                while len(self._menus) > CACHE_SIZE:
                    self._menus.popitem(last=False)
        return number, content


def _minutes(site: Site, content: Mapping[str, Any]) -> dict[str, int]:
    dishes = [
        (item["id"], item["stations"])
        for category in content["categories"]
        for item in category["items"]
    ]
    found = kitchen_promise.minutes_by_dish(site, dishes)
    return {item_id: kitchen_promise.rounded(minutes) for item_id, minutes in found.items()}


menu_cache = MenuCache()
