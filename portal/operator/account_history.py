"""The demo's accounts: months paid by card, a plan that is wished for, how long things are kept."""

from datetime import timedelta

from flask import current_app

from core.clock import frozen, now
from core.db import tenant_scope
from core.settings import Settings
from restaurant import plan_desk
from tenants import accounts, billing, keeping
from tenants.audit import Actor, acting
from tenants.keeping import Days

BUSINESS, STREET = "Mavi Lokantacılık Ltd. Şti.", "Galip Dede Cd. 12\n34421 Beyoğlu"


def tell_account(restaurant: int, shop: int, owner: Actor) -> None:
    """The restaurant pays by card; the shop asks for a larger plan, and keeps texts for a year."""
    settings: Settings = current_app.extensions["comanda"]
    terms = plan_desk.terms(settings)
    beginning = now()
    for days_ago in (31, 1):
        moment = beginning - timedelta(days=days_ago)
        with frozen(moment), acting(owner), tenant_scope(restaurant):
            if days_ago == 31:
                billing.change_address(BUSINESS, STREET, "6120 447 903")
            payment = billing.start("growth", terms, "simulated")
            billing.opened(payment.id, f"demo-{payment.id}", "")
            billing.paid(payment.id, f"demo-{payment.id}", moment, terms)
            accounts.account().aims = ["restaurant", "messages"]
            accounts.account().steps_hidden_at = moment
    with frozen(beginning - timedelta(days=2)), acting(owner), tenant_scope(shop):
        billing.ask_for("growth")
        keeping.choose(Days(message_days=365, media_days=90, call_days=7))
        own = accounts.account()
        own.aims, own.steps_hidden_at = ["shop", "messages"], now()
