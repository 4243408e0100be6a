"""Proposals: what a guest's words were understood as, until the guest sends or discards it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select

from core.clock import now
from core.db import current_tenant_id, db
from core.values.text import strip_accents
from messaging.models import Line
from restaurant.chat.order_taps import newest_open_order
from restaurant.chat.senders import Sender
from restaurant.menus import availability, publishing
from restaurant.models import OrderProposal, Site, Table
from restaurant.orders import card_payments
from restaurant.orders import rules as order_rules
from restaurant.orders.carts import CART_LIFETIME
from restaurant.orders.hold_reasons import NOT_SCANNED
from restaurant.sites import tables
from restaurant.text_orders.reading.drafts import Draft, DraftItem, Unclear, fill_presets
from restaurant.text_orders.reading.menu_words import MenuWords
from restaurant.text_orders.reading.reader import Reading

OPEN, HANDED_OVER, SENT, CANCELLED, EXPIRED = "open", "handed_over", "sent", "cancelled", "expired"
RETENTION = timedelta(days=1)
MOST_TEXTS, LONGEST_KEPT_TEXT = 12, 200


@dataclass(frozen=True)
class MenuNow:
    """The published menu of a site at this moment."""

    words: MenuWords
    missing: frozenset[str]
    """Sold out or not served now."""
    tables: Mapping[str, Table]
    """By folded number."""


def menu_now(site: Site) -> MenuNow | None:
    version = publishing.published_version(site.menu_id or "")
    if version is None:
        return None
    words = _menu_words(current_tenant_id(), version.menu_id, version.number)
    if words is None:
        words = _remember(version.menu_id, version.number, version.content)
    missing = availability.unavailable(site, version.content, now())
    known = {strip_accents(one.number): one for one in tables.listed(site.id)}
    return MenuNow(words, missing, known)


_WORDS: dict[tuple[int, str, int], MenuWords] = {}
_MOST_MENUS = 200


def _menu_words(tenant_id: int, menu_id: str, number: int) -> MenuWords | None:
    return _WORDS.get((tenant_id, menu_id, number))


def _remember(menu_id: str, number: int, content: Mapping[str, Any]) -> MenuWords:
    """A published version never changes, so its words are prepared once in each process."""
    while len(_WORDS) >= _MOST_MENUS:
        _WORDS.pop(next(iter(_WORDS)))
    words = _WORDS[current_tenant_id(), menu_id, number] = MenuWords(content)
    return words


def find_open(line: Line, contact_id: str) -> OrderProposal | None:
    """The proposal that the guest's next words are about. Locked until the transaction ends."""
    query = select(OrderProposal).where(
        OrderProposal.tenant_id == current_tenant_id(),
        OrderProposal.contact_id == contact_id,
        OrderProposal.line_id == line.id,
        OrderProposal.state.in_((OPEN, HANDED_OVER)),
    )
    found = db.session.scalars(query.with_for_update()).first()
    if found is not None and found.expires_at <= now():
        found.state = EXPIRED
        db.session.flush()
        return None
    return found


def get(proposal_id: str, contact_id: str) -> OrderProposal | None:
    """Locked until the transaction ends. None if it is not this guest's."""
    query = select(OrderProposal).where(
        OrderProposal.tenant_id == current_tenant_id(), OrderProposal.id == proposal_id
    )
    found = db.session.scalars(query.with_for_update()).first()
    return found if found is not None and found.contact_id == contact_id else None


def start(site: Site, line: Line, sender: Sender, language: str) -> OrderProposal:
    proposal = OrderProposal(
        tenant_id=current_tenant_id(),
        site_id=site.id,
        line_id=line.id,
        contact_id=sender.contact_id,
        language=language,
        items=[],
        unclear=[],
        unknown=[],
        texts=[],
        address={},
        expires_at=now() + CART_LIFETIME,
    )
    table = _table_of_open_order(line, sender)
    if len(site.order_types) == 1:
        proposal.order_type = site.order_types[0]
    if table is not None and "dine_in" in site.order_types:
        proposal.order_type, proposal.table_number = "dine_in", table.number
    db.session.add(proposal)
    return proposal


def draft_of(proposal: OrderProposal) -> Draft:
    return Draft(
        [
            DraftItem(one["item_id"], one["quantity"], list(one["options"]), one["note"], True)
            for one in proposal.items
        ],
        [
            Unclear(one["raw"], one["quantity"], tuple(one["targets"]), list(one["options"]))
            for one in proposal.unclear
        ],
        proposal.focus,
    )


def store_draft(proposal: OrderProposal, draft: Draft) -> None:
    """The next message has a new revision: buttons of earlier messages change nothing any more."""
    proposal.items = [one.as_json() for one in draft.items]
    proposal.unclear = [one.as_json() for one in draft.unclear]
    proposal.focus = draft.focus
    proposal.state = OPEN
    proposal.revision = (proposal.revision or 0) + 1
    proposal.changed_at, proposal.expires_at = now(), now() + CART_LIFETIME


def apply_reading(
    site: Site, menu: MenuNow, proposal: OrderProposal, reading: Reading, text: str
) -> None:
    """Store what the guest's words changed."""
    if reading.order_type in site.order_types:
        proposal.order_type = reading.order_type
    if reading.table and reading.table in menu.tables and "dine_in" in site.order_types:
        proposal.order_type = "dine_in"
        proposal.table_number = menu.tables[reading.table].number
    elif reading.table:
        reading.unknown.append(reading.table)
    proposal.unknown = list(reading.unknown)
    if reading.payment:
        proposal.payment_method = _payment_named(site, proposal.order_type, reading.payment)
    remember_text(proposal, text)
    store_draft(proposal, reading.draft)


def remember_text(proposal: OrderProposal, text: str) -> None:
    proposal.texts = [*proposal.texts, text[:LONGEST_KEPT_TEXT]][-MOST_TEXTS:]


def remove_unavailable(menu: MenuNow, draft: Draft) -> list[str]:
    """Remove what is sold out or no longer on the menu. Returns the ids that were sold out."""
    gone, kept = [], []
    for item in draft.items:
        known = menu.words.items.get(item.item_id)
        if known is None or item.item_id in menu.missing:
            gone += [item.item_id] if known is not None else []
            continue
        own = menu.words.options_of(item.item_id)
        gone += [one for one in item.options if one in menu.missing and one in own]
        item.options = [one for one in item.options if one in own and one not in menu.missing]
        kept.append(item)
    draft.items = kept
    for unclear in draft.unclear:
        unclear.targets = tuple(
            one for one in unclear.targets if one in menu.words.items and one not in menu.missing
        )
    draft.unclear = [one for one in draft.unclear if one.targets]
    return gone


def open_group(menu: MenuNow, draft: Draft) -> tuple[int, str] | None:
    """The first item with a required choice that was not made, and the group to choose from."""
    for place, item in enumerate(draft.items):
        groups = fill_presets(menu.words, item)
        if groups:
            return place, groups[0]
    return None


def payment_methods(site: Site, order_type: str) -> list[str]:
    """The payment methods for this order type, the usual one first."""
    usual = order_rules.DEFAULT_PAYMENT[order_type]
    allowed = [
        one
        for one in site.payment_methods
        if not (one == "pos_at_table" and order_type != "dine_in")
        and not (one == "card_at_door" and order_type != "delivery")
        and not (one == "card_link" and not card_payments.accepts_cards(site))
    ]
    return sorted(allowed, key=lambda one: one != usual)


def known_table(line: Line, sender: Sender, proposal: OrderProposal) -> Table | None:
    """The proposal's table, if the guest has proved to sit there with an open order."""
    table = _table_of_open_order(line, sender)
    return table if table is not None and table.number == proposal.table_number else None


def delete_old() -> int:
    """Delete proposals a day after they expire: they hold what guests wrote."""
    deleted = delete(OrderProposal).where(
        OrderProposal.tenant_id == current_tenant_id(),
        OrderProposal.expires_at < now() - RETENTION,
    )
    return len(db.session.execute(deleted.returning(OrderProposal.id)).all())


def _payment_named(site: Site, order_type: str, named: str) -> str:
    if not order_type:
        return ""
    methods = payment_methods(site, order_type)
    wanted = ("cash",) if named == "cash" else ("pos_at_table", "card_at_door", "card_link")
    return next((one for one in methods if one in wanted), "")


def _table_of_open_order(line: Line, sender: Sender) -> Table | None:
    order = newest_open_order(line.id, sender.contact_id)
    if order is None or order.table_id is None or NOT_SCANNED in order.staff_note:
        return None
    return db.session.get(Table, (order.tenant_id, order.table_id))
