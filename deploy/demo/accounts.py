"""The accounts of the demo tenants: card payments, a requested plan change, retention periods."""

from datetime import timedelta

from flask import current_app

from core.clock import frozen, now
from core.db import global_scope, tenant_scope
from core.settings import Settings
from restaurant.payments import plan_payments
from tenants import accounts
from tenants.audit import Actor, acting_as
from tenants.data import retention as retention_settings
from tenants.data.retention import RetentionDays
from tenants.partners import keys, partners
from tenants.plans import billing

BUSINESS, STREET = "Mavi Lokantacılık Ltd. Şti.", "Galip Dede Cd. 12\n34421 Beyoğlu"


def add_partner(shop: int) -> None:
    """The partner that manages the shop, with one key."""
    with global_scope():
        partner = partners.add("Ribera Commerce", ["starter", "growth"], 200)
        keys.create(partner, "Sign-up page")
    with tenant_scope(shop):
        tenant = accounts.get(shop)
        tenant.partner_id, tenant.partner_reference = partner.id, "shop-0042"


def add_account_history(restaurant: int, shop: int, owner: Actor) -> None:
    """The restaurant pays by card. The shop requests a larger plan and keeps texts for a year."""
    settings: Settings = current_app.extensions["comanda"]
    terms = plan_payments.billing_terms(settings)
    beginning = now()
    for days_ago in (31, 1):
        moment = beginning - timedelta(days=days_ago)
        with frozen(moment), acting_as(owner), tenant_scope(restaurant):
            if days_ago == 31:
                billing.change_billing_address(BUSINESS, STREET, "6120 447 903")
            payment = billing.start_payment("growth", terms, "simulated")
            billing.mark_open(payment.id, f"demo-{payment.id}", "")
            billing.record_payment(payment.id, f"demo-{payment.id}", moment, terms)
            accounts.account().aims = ["restaurant", "messages"]
            accounts.account().steps_hidden_at = moment
    with frozen(beginning - timedelta(days=2)), acting_as(owner), tenant_scope(shop):
        billing.request_plan("growth")
        retention_settings.set_days(RetentionDays(message_days=365, media_days=90, call_days=7))
        own = accounts.account()
        own.aims, own.steps_hidden_at = ["shop", "messages"], now()
