"""Shares of a tab's bill: everything, an equal part, some items, or an amount.

A share is reserved while its payment link can be paid. The last payer pays the exact remainder.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.errors import Conflict, Invalid, invalid
from core.ids import new_id
from core.values.money import BadMoney, format_money, parse_money, quantize
from restaurant.models import PaymentLink, Site, Tab, TabGuest, TabShare, TabShareItem
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries
from restaurant.payments import links as payment_links
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import events as tab_events
from restaurant.tabs import sessions
from restaurant.tabs.bill import ZERO, Bill, BillItem, Share

KINDS = ("all", "equal", "items", "amount")
MOST_PEOPLE = 50


@dataclass(frozen=True)
class ShareRequest:
    kind: str
    people: int = 0
    """For an equal share: between how many people."""
    items: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """Pieces by order and position."""
    amount: str = ""
    tip: str = ""
    language: str = ""


def claim(site: Site, tab: Tab, guest: TabGuest | None, request: ShareRequest) -> Share:
    """Reserve a part of the bill and create its payment link. An earlier reservation of the same
    guest is released. Raises Invalid or Conflict with a sentence for the guest."""
    locked = sessions.lock(tab.id)
    if locked.ended_at is not None:
        raise Conflict("tab_ended", "This bill is settled.")
    if request.kind not in KINDS:
        raise invalid("kind", "invalid_choice", "Choose how you want to pay.")
    account = payment_accounts.require_for_site(site.id, test=locked.test)
    if guest is not None:
        _release_of_guest(locked, guest.id)
    bill = tab_bill.load_bill(locked)
    if not bill.open:
        raise Conflict("already_paid", "This bill is already paid.")
    if not bill.free:
        raise Conflict("being_paid", "Others at your table are paying the rest of the bill.")
    parts = _chosen_items(bill, request) if request.kind == "items" else {}
    amount = _amount(site, bill, request, parts)
    if amount <= 0:
        raise Conflict("already_paid", "These items are already paid.")
    tip = _money("tip", request.tip, site.currency) if request.tip.strip() else ZERO
    if tip > amount:
        raise invalid("tip", "invalid_amount", "The tip cannot be more than the amount.")
    link = payment_links.create_for_share(
        site,
        account,
        amount + tip,
        table_number=locked.table_number,
        name=guest.name if guest else "",
        language=request.language or site.languages[0],
        test=locked.test,
    )
    row = TabShare(
        tenant_id=current_tenant_id(),
        id=new_id("tsh"),
        tab_id=locked.id,
        guest_id=guest.id if guest else None,
        guest=guest.name if guest else "",
        kind=request.kind,
        people=request.people if request.kind == "equal" else 0,
        amount=amount,
        tip=tip,
        surplus=ZERO,
        link_id=link.id,
    )
    db.session.add(row)
    db.session.flush()
    share = Share(row, link, _store_items(row, parts, amount))
    tab_events.touch(locked)
    tab_events.publish("restaurant.tab_updated", site, tab_bill.load_bill(locked))
    return share


def release(site: Site, tab: Tab, share_id: str) -> None:
    """The guest or the staff give up a reservation. A payment that still arrives goes to the
    refund review."""
    locked = sessions.lock(tab.id)
    for share in tab_bill.load_bill(locked).with_state("reserved"):
        if share.row.id == share_id:
            payment_links.close_for_tab(share.link)
            tab_events.touch(locked)
            tab_events.publish("restaurant.tab_updated", site, tab_bill.load_bill(locked))


def lock_by_link(link: PaymentLink) -> tuple[Tab, Share] | None:
    """The share of a payment link with its tab, locked; None for other links. The tab is locked
    before the link."""
    query = select(TabShare.tab_id).where(
        TabShare.tenant_id == current_tenant_id(), TabShare.link_id == link.id
    )
    tab_id = db.session.scalar(query)
    if tab_id is None:
        return None
    tab = sessions.lock(tab_id)
    moved_to = db.session.scalar(query)
    if moved_to is not None and moved_to != tab.id:  # merged while we waited
        tab = sessions.lock(moved_to)
    link_queries.lock_link(link)
    for share in tab_bill.load_bill(tab).shares:
        if share.link.id == link.id:
            return tab, share
    return None


def fits(tab: Tab, share: Share) -> bool:
    """Whether a share whose link has expired can still be paid: nobody else took its part."""
    bill = tab_bill.load_bill(tab)
    if tab.ended_at is not None or share.row.amount > bill.free:
        return False
    for part in share.items:
        line = bill.item(part.order_id, part.position)
        if line is None or line.free < part.quantity:
            return False
    return True


def equal_amount(bill: Bill, people: int) -> Decimal:
    """The next of several equal shares; the last one is the exact remainder."""
    done = sum(
        1
        for share in bill.shares
        if share.row.kind == "equal" and share.row.people == people and share.state != "released"
    )
    left = people - done % people
    return quantize(bill.free / left, bill.currency) if left > 1 else bill.free


def _amount(
    site: Site,
    bill: Bill,
    request: ShareRequest,
    parts: Mapping[tuple[str, int], tuple[BillItem, int]],
) -> Decimal:
    if request.kind == "all":
        return bill.free
    if request.kind == "equal":
        if not 2 <= request.people <= MOST_PEOPLE:
            raise invalid("people", "invalid_people", "Enter 2 to {most} people.", most=MOST_PEOPLE)
        return equal_amount(bill, request.people)
    if request.kind == "items":
        nobody_pays = not bill.with_state("reserved")
        if nobody_pays and all(
            line.free == parts.get((line.order.id, line.item.position), (line, 0))[1]
            for line in bill.items
        ):
            return bill.free  # the last items: the exact remainder
        price = sum((line.price_of(quantity) for line, quantity in parts.values()), ZERO)
        return min(price, bill.free)
    amount = _money("amount", request.amount, site.currency)
    if not 0 < amount <= bill.free:
        raise invalid(
            "amount",
            "invalid_amount",
            "Enter an amount up to {open}.",
            open=format_money(bill.free, site.currency, request.language or site.languages[0]),
        )
    return amount


def _chosen_items(bill: Bill, request: ShareRequest) -> dict[tuple[str, int], tuple[BillItem, int]]:
    found = {}
    for key, quantity in request.items.items():
        line = bill.item(*key)
        if line is None or not 1 <= quantity <= line.free:
            raise Conflict(
                "items_taken", "Some of these items are already paid. Check the bill and try again."
            )
        found[key] = (line, quantity)
    if not found:
        raise Invalid("no_items", "Choose the items that you want to pay.")
    return found


def _store_items(
    row: TabShare, parts: Mapping[tuple[str, int], tuple[BillItem, int]], amount: Decimal
) -> list[TabShareItem]:
    """The amounts add up to the amount of the share at most."""
    stored, left = [], amount
    for (order_id, position), (line, quantity) in parts.items():
        price = min(line.price_of(quantity), left)
        left -= price
        stored.append(
            TabShareItem(
                tenant_id=row.tenant_id,
                share_id=row.id,
                order_id=order_id,
                position=position,
                quantity=quantity,
                amount=price,
            )
        )
    db.session.add_all(stored)
    db.session.flush()
    return stored


def _release_of_guest(tab: Tab, guest_id: str) -> None:
    for share in tab_bill.load_bill(tab).with_state("reserved"):
        if share.row.guest_id == guest_id:
            payment_links.close_for_tab(share.link)
    db.session.flush()


def _money(name: str, given: str, currency: str) -> Decimal:
    try:
        amount = parse_money(given.strip().replace(",", "."), currency)
    except BadMoney as error:
        raise invalid(name, "invalid_amount", "Enter an amount such as 12.50.") from error
    if not 0 <= amount < payment_links.MAX_AMOUNT:
        raise invalid(name, "invalid_amount", "The amount must be greater than zero.")
    return amount
