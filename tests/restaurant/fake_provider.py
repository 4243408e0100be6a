"""A bistro that takes cards at a provider of paper, and a clerk who does the job's work."""

import json
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import count
from typing import Any

from core.clock import now
from core.db import global_scope
from core.ids import new_token
from core.security.signing import webhook_headers
from jobs.inbound import hooks as hooks_job
from jobs.restaurant import payments as payments_job
from restaurant.models import Payment, PaymentAccount, PaymentLink, PaymentProviderEvent
from restaurant.orders import carts
from restaurant.orders import queries as order_queries
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries, payments, provider_events
from restaurant.payments.gateways import simulated
from restaurant.payments.gateways.base import (
    AccountCheck,
    CreatedLink,
    GatewayRefused,
    LinkRequest,
    LinkStatus,
    RefundResult,
)
from restaurant.payments.gateways.registry import GATEWAYS
from tests.restaurant.bistro import Bistro, open_bistro

_events = count(1)


@dataclass
class FakeProvider:
    """A provider with behaviour: it keeps sessions, and answers as it is told to."""

    once: bool = True
    status_poll_seconds: int = 300
    sessions: dict[str, LinkStatus] = field(default_factory=dict)
    keys: dict[str, CreatedLink] = field(default_factory=dict)
    asked: dict[str, LinkRequest] = field(default_factory=dict)
    refunded: dict[str, Decimal] = field(default_factory=dict)
    closed: list[str] = field(default_factory=list)
    trouble: list[Exception] = field(default_factory=list)
    """Raised, one for each call, before anything is done."""

    def __getattr__(self, name: str) -> Any:
        """What is not defined here is as the simulated gateway has it."""
        return getattr(simulated, name)

    def _trip(self):
        if self.trouble:
            raise self.trouble.pop(0)

    def check(self, desk):
        self._trip()
        return AccountCheck("acct_paper", "Paper", live=False)

    def create_link(self, desk, asking):
        self._trip()
        if self.asked.setdefault(asking.key, asking) != asking:
            raise GatewayRefused("this key was used with other parameters")
        if asking.key not in self.keys:
            ref = f"bill_{new_token()}"
            self.keys[asking.key] = CreatedLink(f"https://paper.example/{ref}", ref)
            self.sessions[ref] = LinkStatus(
                "open",
                reference=asking.reference,
                amount=asking.amount,
                currency=asking.currency,
                owner="acct_paper",
            )
        return self.keys[asking.key]

    def close(self, desk, ref):
        self._trip()
        self.closed.append(ref)

    def fetch(self, desk, ref, reference, payment=""):
        self._trip()
        if ref not in self.sessions:
            raise GatewayRefused("there is no such link")
        return self.sessions[ref]

    def refund(self, desk, payment, amount, currency, key, reason):
        self._trip()
        self.refunded.setdefault(key, amount)
        return RefundResult(f"back_{key}")

    def pays(self, ref: str, **changes: Any) -> LinkStatus:
        found = replace(
            self.sessions[ref],
            **{"state": "paid", "payment": f"pm_{ref}", "paid_at": now(), **changes},
        )
        self.sessions[ref] = found
        return found


@dataclass
class Till:
    """The bistro, its provider, and what a test does with them."""

    bistro: Bistro
    paper: FakeProvider
    account_id: str

    def scope(self):
        return self.bistro.scope()

    def works(self) -> None:
        """All the jobs have to do, here and now."""
        for _ in range(6):
            with global_scope():
                hooks_job.sweep()
                payments_job.sweep()
            done = hooks_job.drain() + payments_job.drain()
            if not done:
                return

    def cart(self, **more):
        more = {"order_type": "takeaway", "payment_method": "card_link", "table": "", **more}
        return self.bistro.cart(**more)

    def link_of(self, code: str) -> PaymentLink:
        with self.scope():
            found = link_queries.by_reference(code)
            assert found is not None
            return found

    def session_of(self, code: str) -> str:
        link = self.link_of(code)
        return self.paper.keys[f"{link.id}-{link.attempt}"].ref

    def event(self, ref: str, what: str = "payment.succeeded", key: str = "", **changes) -> bytes:
        found = self.paper.sessions.get(ref) or LinkStatus("open")
        link = {
            "id": ref,
            "reference": found.reference,
            "amount": str(found.amount),
            "currency": found.currency,
            "payment": found.payment,
            **changes,
        }
        key = key or f"evt_{next(_events)}"
        return json.dumps({"id": key, "type": what, "account": "acct_paper", "link": link}).encode()

    def posts(self, client, raw: bytes, **headers: str):
        """As the provider does: over the door, signed."""
        with self.scope():
            account = payment_accounts.get_including_removed(self.account_id)
            token, secret = account.token, account.hook_secret
        signed = webhook_headers(secret, "evt", raw)
        return client.post(f"/hooks/simulated/{token}", data=raw, headers={**signed, **headers})

    def payments(self) -> list[Payment]:
        with self.scope():
            return payments.listed(None, None, 50)

    def signals(self) -> list[PaymentProviderEvent]:
        with self.scope():
            return list(reversed(provider_events.listed(None, 50)))

    def order_of(self, code: str):
        with self.scope():
            cart = carts.get_by_code(code)
            return order_queries.get(cart.order_id) if cart.order_id else None


def add_account(
    business, provider: str = "simulated", *, live: bool = False, **keys: Any
) -> PaymentAccount:
    """Set up and checked."""
    with business.scope():
        account = payment_accounts.add(
            payment_accounts.AccountSettings(provider=provider, name=f"{provider} till", **keys)
        )
        owner = "acct_paper" if provider == "simulated" else keys.get("owner", "")
        return payment_accounts.record_check(account.id, AccountCheck(owner, "Till", live), "")


def open_till(business, monkeypatch, **changes) -> Till:
    paper = FakeProvider()
    monkeypatch.setitem(GATEWAYS, "simulated", paper)
    ways = ["pos_at_table", "cash", "card_link"]
    bistro = open_bistro(business, payment_methods=ways, **changes)
    return Till(bistro, paper, add_account(business).id)
