"""Payments of the demo: a simulated provider, card orders, a partial refund, a late payment."""

import random
from datetime import timedelta
from decimal import Decimal

from core.clock import frozen, now
from core.db import tenant_scope
from core.values.money import quantize
from deploy.demo.restaurant.orders import GUESTS, advance_order, draft_card_order
from deploy.demo.restaurant.past_orders import PastOrders
from deploy.demo.seeded_random import seeded_random
from messaging.simulator.bank.provider import account_id_of_key
from restaurant.models import Order, PaymentAccount, PaymentLink
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries, payments, provider_events, refunds
from restaurant.payments import links as payment_links
from restaurant.payments.gateways.base import AccountCheck, GatewayEvent, LinkStatus, RefundResult
from restaurant.sites import sites
from tenants.audit import Actor, acting_as

FORGED_REASON = "the headers webhook-id, webhook-timestamp and webhook-signature are required"
DAYS_AGO = (9, 7, 6, 4, 3, 2, 1)
OWNER = Actor("person", "demo", "Derya Yılmaz")


def add_payments(tenant_id: int) -> None:
    """Does not call the provider: the demo is loaded before the simulated network runs."""
    with tenant_scope(tenant_id), acting_as(OWNER):
        account = payment_accounts.add(
            payment_accounts.AccountSettings(provider="simulated", name="Kart (deneme)")
        )
        checked = AccountCheck(account_id_of_key(account.key), "Paper money", live=False)
        payment_accounts.record_check(account.id, checked, "")
    with tenant_scope(tenant_id):
        known = [site.id for site in sites.listed() if "card_link" in site.payment_methods]
    for site_id in known:
        _days(tenant_id, site_id, account.id)
        _today(tenant_id, site_id, account.id)


def _days(tenant_id: int, site_id: str, account_id: str) -> None:
    chance = seeded_random("money", tenant_id, site_id)
    with tenant_scope(tenant_id):
        past, account = PastOrders(sites.get(site_id)), payment_accounts.get(account_id)
        for number, back in enumerate(DAYS_AGO):
            moment = now() - timedelta(days=back, minutes=chance.randint(0, 300))
            order, link = _ordered(past, chance, moment)
            pay_link(
                account, link, f"pm_demo_{site_id[-6:]}_{number}", moment + timedelta(minutes=2)
            )
            advance_order(past, order, "closed", moment + timedelta(minutes=2), chance)
            if number == 2:
                _refund_part(order, moment + timedelta(hours=1))
        past.write()


def _today(tenant_id: int, site_id: str, account_id: str) -> None:
    """An order that waits for payment, and a payment for a cancelled order."""
    chance = seeded_random("today", tenant_id, site_id)
    with tenant_scope(tenant_id):
        past, account = PastOrders(sites.get(site_id)), payment_accounts.get(account_id)
        moment = now() - timedelta(minutes=95)
        order, link = _ordered(past, chance, moment)
        with frozen(moment + timedelta(minutes=20)), acting_as(OWNER):
            order_lifecycle.cancel(past.site, order, "Misafir vazgeçti")
        pay_link(account, link, f"pm_demo_{site_id[-6:]}_late", moment + timedelta(minutes=24))
        with frozen(now() - timedelta(minutes=40)):
            provider_events.record_forged_event(account.id, b"{}", FORGED_REASON)
        _ordered(past, chance, now() - timedelta(minutes=4))
        with acting_as(OWNER):
            payment_links.create_standalone(
                past.site,
                Decimal(500),
                "Cuma akşamı için kapora",
                source="staff",
                name="Elif Şahin",
            )


def _ordered(past: PastOrders, chance: random.Random, moment: object) -> tuple[Order, PaymentLink]:
    phone, name = chance.choice(GUESTS[:-1])
    draft = draft_card_order(past, chance, phone, name)
    with frozen(moment), acting_as(Actor("person", "demo", name)):  # type: ignore[arg-type]
        order = order_lifecycle.create_order(past.site, draft)
    link = link_queries.of_order(order.id)
    if link is None:
        raise RuntimeError("the demo's provider takes no payments")
    return order, link


def pay_link(account: PaymentAccount, link: PaymentLink, ref: str, moment: object) -> None:
    """Records the payment as if the provider had reported and confirmed it."""
    with frozen(moment):  # type: ignore[arg-type]
        link.url, link.told = f"https://pay.example/{ref}", 1
        if link.state == "making":
            link.state = "open"
        found = LinkStatus(
            "paid", link.reference, ref, link.amount, link.currency, owner=account.owner,
            paid_at=now(),
        )  # fmt: skip
        event = GatewayEvent(
            f"evt_{ref}", "paid", "payment.succeeded", "", ref, link.reference, link.amount,
            link.currency,
        )  # fmt: skip
        provider_events.settle_event(
            provider_events.store_event(account, event, signed=True, hook_id=None), account, found
        )
        account.last_signal_at = now()


def _refund_part(order: Order, moment: object) -> None:
    with frozen(moment), acting_as(OWNER):  # type: ignore[arg-type]
        payment = payments.of_order(order.id)[0]
        part = quantize(payment.amount / 5, payment.currency)
        refund = refunds.request_refund(payment, part, "Bir tabak eksik geldi")
        refunds.settle_done(refund, RefundResult("back_demo"))
