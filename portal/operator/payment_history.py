"""The demo's money: a provider of paper, orders paid by card, a part given back, a late payment."""

import random
from datetime import timedelta
from decimal import Decimal

from core.clock import frozen, now
from core.db import tenant_scope
from core.money import quantize
from messaging.simulator.bank import account_name
from portal.operator.dice import dice_of
from portal.operator.order_history import GUESTS, drafted, lead
from portal.operator.past_orders import Past
from restaurant import orders, payment_accounts, payment_links, payments, refunds, signals, sites
from restaurant.gateways import Checked, Found, Returned, Signal
from restaurant.models import Order, PaymentAccount, PaymentLink
from tenants.audit import Actor, acting

FORGED = "the headers webhook-id, webhook-timestamp, webhook-signature are needed"
DAYS_AGO = (9, 7, 6, 4, 3, 2, 1)
OWNER = Actor("person", "demo", "Derya Yılmaz")


def set_up_money(tenant_id: int) -> None:
    """Without asking the provider: the demo is made before the simulated network runs."""
    with tenant_scope(tenant_id), acting(OWNER):
        account = payment_accounts.add(
            payment_accounts.Wanted(provider="simulated", name="Kart (deneme)")
        )
        checked = Checked(account_name(account.key), "Paper money", live=False)
        payment_accounts.note_check(account.id, checked, "")
    with tenant_scope(tenant_id):
        known = [site.id for site in sites.listed() if "card_link" in site.payment_methods]
    for site_id in known:
        _days(tenant_id, site_id, account.id)
        _today(tenant_id, site_id, account.id)


def _days(tenant_id: int, site_id: str, account_id: str) -> None:
    chance = dice_of("money", tenant_id, site_id)
    with tenant_scope(tenant_id):
        past, account = Past(sites.get(site_id)), payment_accounts.get(account_id)
        for number, back in enumerate(DAYS_AGO):
            moment = now() - timedelta(days=back, minutes=chance.randint(0, 300))
            order, link = _ordered(past, chance, moment)
            _paid(account, link, f"pm_demo_{site_id[-6:]}_{number}", moment + timedelta(minutes=2))
            lead(past, order, "closed", moment + timedelta(minutes=2), chance)
            if number == 2:
                _partly_back(order, moment + timedelta(hours=1))
        past.write()


def _today(tenant_id: int, site_id: str, account_id: str) -> None:
    """One that waits, and money that came after its order was cancelled."""
    chance = dice_of("today", tenant_id, site_id)
    with tenant_scope(tenant_id):
        past, account = Past(sites.get(site_id)), payment_accounts.get(account_id)
        moment = now() - timedelta(minutes=95)
        order, link = _ordered(past, chance, moment)
        with frozen(moment + timedelta(minutes=20)), acting(OWNER):
            orders.cancel(past.site, order, "Misafir vazgeçti")
        _paid(account, link, f"pm_demo_{site_id[-6:]}_late", moment + timedelta(minutes=24))
        with frozen(now() - timedelta(minutes=40)):
            signals.note_forgery(account.id, b"{}", FORGED)
        _ordered(past, chance, now() - timedelta(minutes=4))
        with acting(OWNER):
            payment_links.free(
                past.site,
                Decimal(500),
                "Cuma akşamı için kapora",
                source="staff",
                name="Elif Şahin",
            )


def _ordered(past: Past, chance: random.Random, moment: object) -> tuple[Order, PaymentLink]:
    phone, name = chance.choice(GUESTS[:-1])
    draft = drafted(past, chance, phone, name)
    with frozen(moment), acting(Actor("person", "demo", name)):  # type: ignore[arg-type]
        order = orders.make(past.site, draft)
    link = payment_links.of_order(order.id)
    if link is None:
        raise RuntimeError("the demo's provider takes no payments")
    return order, link


def _paid(account: PaymentAccount, link: PaymentLink, ref: str, moment: object) -> None:
    """As the provider would tell it, and confirm it."""
    with frozen(moment):  # type: ignore[arg-type]
        link.url, link.told = f"https://pay.example/{ref}", 1
        if link.state == "making":
            link.state = "open"
        found = Found(
            "paid", link.reference, ref, link.amount, link.currency, owner=account.owner,
            paid_at=now(),
        )  # fmt: skip
        told = Signal(
            f"evt_{ref}", "paid", "payment.succeeded", "", ref, link.reference, link.amount,
            link.currency,
        )  # fmt: skip
        signals.settle(signals.keep(account, told, signed=True, hook_id=None), account, found)
        account.last_signal_at = now()


def _partly_back(order: Order, moment: object) -> None:
    with frozen(moment), acting(OWNER):  # type: ignore[arg-type]
        payment = payments.of_order(order.id)[0]
        part = quantize(payment.amount / 5, payment.currency)
        refund = refunds.ask(payment, part, "Bir tabak eksik geldi")
        refunds.done(refund, Returned("back_demo"))
