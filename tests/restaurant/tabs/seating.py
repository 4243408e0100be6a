"""A table of a bistro with a payment provider, and what its guests and the staff do."""

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from sqlalchemy import func, select

from core.clock import now
from core.db import current_tenant_id, db
from restaurant.menus.pricing import RequestedItem
from restaurant.models import Payment, PaymentLink, PaymentSession, Table, TabShare
from restaurant.orders import changes as order_changes
from restaurant.orders import placing
from restaurant.orders import queries as order_queries
from restaurant.orders.placing import OrderRequest
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries, provider_events, tab_shares, tab_till
from restaurant.payments.gateways.base import GatewayEvent, LinkStatus
from restaurant.payments.tab_shares import ShareRequest
from restaurant.sites import tables
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import moving, sessions
from restaurant.tabs.bill import Bill, Share
from tests.restaurant.bistro import Bistro, open_bistro
from tests.restaurant.fake_provider import add_account
from webhooks.models import Event

_numbers = count(100)


@dataclass
class Seating:
    """One party. Every action is a transaction of its own."""

    bistro: Bistro
    account_id: str
    tab_id: str = ""
    table_id: str = ""
    links: list[str] = field(default_factory=list)

    def scope(self):
        return self.bistro.scope()

    def sits_down(self) -> None:
        with self.scope():
            (table,) = tables.add_tables(self.bistro.site(), str(next(_numbers)))
            self.table_id, self.tab_id, self.links = table.id, "", []

    def table(self) -> Table:
        return tables.get(self.table_id)

    def orders(self, *dishes: tuple[str, int]) -> str:
        with self.scope():
            items = tuple(RequestedItem(self.bistro.items[name], many) for name, many in dishes)
            request = OrderRequest(items, "dine_in", "pos_at_table", "staff", table=self.table())
            order = placing.place_order(self.bistro.site(), request)
            self.tab_id = self.tab_id or order.tab_id or ""
            return order.id

    def bill(self) -> Bill:
        with self.scope():
            return tab_bill.load_bill(sessions.get(self.tab_id))

    def claims(self, kind: str, **more: Any) -> Share:
        with self.scope():
            tab = sessions.get(self.tab_id)
            share = tab_shares.claim(self.bistro.site(), tab, None, ShareRequest(kind, **more))
            self._open(share.link)
            self.links.append(share.link.id)
            return share

    def _open(self, link: PaymentLink) -> None:
        """The provider has made the card page."""
        link.state, link.url, link.due_at = "open", f"https://paper.example/{link.id}", None
        db.session.add(
            PaymentSession(
                tenant_id=link.tenant_id,
                account_id=link.account_id,
                ref=f"s_{link.id}",
                link_id=link.id,
                attempt=1,
                url=link.url,
                expires_at=link.expires_at,
            )
        )
        db.session.flush()

    def pays(self, link_id: str, payment: str, **changes: Any) -> str:
        """The provider confirms a payment. Returns the outcome."""
        with self.scope():
            return self._report(link_id, "paid", payment, **changes)

    def declines(self, link_id: str) -> None:
        with self.scope():
            self._report(link_id, "failed", f"no_{next(_numbers)}")

    def _report(self, link_id: str, state: str, payment: str, **changes: Any) -> str:
        link = link_queries.get(link_id)
        account = payment_accounts.get(self.account_id)
        event = GatewayEvent(
            key=f"{state}:{payment}:{next(_numbers)}",
            kind=state,
            event="test",
            session=f"s_{link.id}",
            payment=payment,
            reference=link.reference,
            amount=link.amount,
            currency=link.currency,
        )
        signal = provider_events.store_event(account, event, signed=True, hook_id=None)
        found = {
            "reference": link.reference,
            "amount": link.amount,
            "currency": link.currency,
            "payment": payment if state == "paid" else "",
            "paid_at": now(),
            "owner": "acct_paper",
            **changes,
        }
        return provider_events.settle_event(signal, account, LinkStatus(state, **found))

    def expires(self, link_id: str) -> None:
        with self.scope():
            link = link_queries.lock_link(link_queries.get(link_id))
            if link.state in ("open", "failed"):
                link.expires_at = now() - timedelta(seconds=1)
                provider_events.expire_link(link)

    def takes(self, method: str = "cash", amount: str = "") -> None:
        with self.scope():
            tab = sessions.get(self.tab_id)
            tab_till.take_payment(self.bistro.site(), tab, method, amount)

    def voids(self, order_id: str, position: int, many: int = 1) -> None:
        with self.scope():
            order = order_queries.get(order_id)
            order_changes.void_item(self.bistro.site(), order, position, many, "sent back")

    def moves(self) -> None:
        with self.scope():
            (table,) = tables.add_tables(self.bistro.site(), str(next(_numbers)))
            moving.move_tab(self.bistro.site(), sessions.get(self.tab_id), table)
            self.table_id = table.id

    def payments(self) -> list[Payment]:
        with self.scope():
            query = select(Payment).where(
                Payment.tenant_id == current_tenant_id(), Payment.link_id.in_(self.links)
            )
            return list(db.session.scalars(query.order_by(Payment.id)))

    def shares(self) -> dict[str, TabShare]:
        """By link."""
        with self.scope():
            query = select(TabShare).where(
                TabShare.tenant_id == current_tenant_id(), TabShare.link_id.in_(self.links)
            )
            return {one.link_id: one for one in db.session.scalars(query)}

    def settled_events(self) -> int:
        with self.scope():
            query = select(func.count()).where(
                Event.tenant_id == current_tenant_id(),
                Event.type == "restaurant.tab_settled",
                Event.body["id"].astext == self.tab_id,
            )
            return db.session.scalar(query) or 0


def open_seating(business: Any) -> Seating:
    bistro = open_bistro(business, payment_methods=["pos_at_table", "cash", "card_link"])
    seating = Seating(bistro, add_account(business).id)
    seating.sits_down()
    return seating


def lira(text: str) -> Decimal:
    return Decimal(text)
