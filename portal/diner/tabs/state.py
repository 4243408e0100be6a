"""What a guest's phone shows of a tab: guests, shared cart, bill, and what can be paid."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from core.security.live_tokens import make_live_token
from core.values.money import format_money
from portal.diner.tabs import access
from portal.diner.tabs.access import Visit
from restaurant.models import TabGuest
from restaurant.orders import card_payments
from restaurant.payments import tab_shares
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import guests as tab_guests
from restaurant.tabs import rounds
from restaurant.tabs.bill import Bill, BillItem, Share


@dataclass(frozen=True)
class BillPage:
    """For the template; `money` formats an amount in the guest's language."""

    visit: Visit
    bill: Bill
    guests: list[TabGuest]
    pays_online: bool
    language: str

    @property
    def tab(self) -> Any:
        return self.visit.tab

    def money(self, amount: Decimal) -> str:
        return format_money(amount, self.visit.site.currency, self.language)

    @property
    def joined(self) -> list[TabGuest]:
        return [one for one in self.guests if one.state == tab_guests.JOINED]

    @property
    def join_requests(self) -> list[TabGuest]:
        return [one for one in self.guests if one.state == tab_guests.WAITING]

    @property
    def people(self) -> int:
        """Between how many people the rest is usually divided."""
        paid = {share.row.guest_id for share in self.bill.with_state("paid")}
        return max(2, len([one for one in self.joined if one.id not in paid]))

    @property
    def own_share(self) -> Share | None:
        """The reservation of this guest."""
        guest = self.visit.guest
        for share in self.bill.with_state("reserved"):
            if guest is not None and share.row.guest_id == guest.id:
                return share
        return None

    @property
    def equal_amount(self) -> str:
        return self.money(tab_shares.equal_amount(self.bill, self.people))

    def is_mine(self, line: BillItem) -> bool:
        return self.visit.guest is not None and line.guest_id == self.visit.guest.id

    def said(self, line: BillItem) -> str:
        return str(line.item.said or line.item.name)


def bill_page(visit: Visit, language: str) -> BillPage:
    return BillPage(
        visit,
        tab_bill.load_bill(visit.tab),
        tab_guests.of_tab(visit.tab.id),
        card_payments.has_provider(visit.site, test=visit.tab.test),
        language,
    )


def tab_json(visit: Visit, language: str) -> dict[str, Any]:
    """For the menu's script. Prices of the shared cart are computed from the menu there."""
    tab, guest = visit.tab, visit.guest
    page = bill_page(visit, language)
    joined = visit.may_see
    return {
        "tab": tab.id,
        "state": tab.state,
        "version": tab.version,
        "table": tab.table_number,
        "code": tab.join_code if joined else "",
        "me": {"id": guest.id, "name": guest.name, "state": guest.state} if guest else None,
        "guests": [{"id": one.id, "name": one.name} for one in page.joined],
        "asking": [{"id": one.id, "name": one.name} for one in page.join_requests]
        if joined
        else [],
        "cart": _cart(tab.id) if joined else [],
        "bill": _sums(page) if joined else None,
        "share": _share(page) if joined else None,
        "live": live_connection(visit),
    }


def live_connection(visit: Visit) -> dict[str, str]:
    settings = access.settings()
    tab = visit.tab
    member = visit.guest.id if visit.guest else tab.id
    return {
        "url": settings.live_url or "/live",
        "ticket": make_live_token(settings.secret_key, tab.tenant_id, member, [tab.id]),
        "after": visit.after,
    }


def _cart(tab_id: str) -> list[dict[str, Any]]:
    return [
        {
            "guest": row.guest_id,
            "item": row.item_id,
            "quantity": row.quantity,
            "options": row.options,
            "note": row.note,
        }
        for row in rounds.cart_items(tab_id)
    ]


def _sums(page: BillPage) -> dict[str, Any]:
    bill = page.bill
    return {
        "orders": len(bill.on_bill),
        "total": str(bill.total),
        "paid": str(bill.paid),
        "reserved": str(bill.reserved),
        "open": str(bill.open),
        "shown": page.money(bill.open),
    }


def _share(page: BillPage) -> dict[str, Any] | None:
    share = page.own_share
    if share is None:
        return None
    ready = share.link.state in ("open", "failed")
    return {"id": share.row.id, "state": share.link.state, "url": share.link.url if ready else ""}
