"""Report purchases of people who came from an ad. Claim, call, settle."""

from flask import current_app
from sqlalchemy import select

from core.db import db, global_scope, tenant_scope
from core.http import Policy
from core.logs import logger
from core.lookups import Lookup
from core.queue.wakeups import acknowledge_wakeup
from core.settings import Settings
from restaurant.ads import conversions
from restaurant.ads.settings import LOOKUP

log = logger(__name__)

MOST_PER_TENANT = 200


def send_due() -> int:
    """Runs every minute. Visits only tenants that have set it up."""
    acknowledge_wakeup("jobs.restaurant.ad_conversions.send_due")
    with global_scope():
        tenants = list(db.session.scalars(select(Lookup.tenant_id).where(Lookup.kind == LOOKUP)))
    return sum(_send_of_tenant(tenant_id) for tenant_id in sorted(tenants))


def _send_of_tenant(tenant_id: int) -> int:
    settings: Settings = current_app.extensions["comanda"]
    policy = Policy(allow_loopback=True)  # the base URL is a setting of the operator
    for done in range(MOST_PER_TENANT):
        with tenant_scope(tenant_id):
            purchase = conversions.claim()
        if purchase is None:
            return done
        outcome = conversions.send(
            purchase, settings.cloud_base_url, settings.cloud_version, policy
        )
        if outcome.state != "sent":
            log.warning(
                "ad conversion not sent",
                tenant=tenant_id,
                order=purchase.order_id,
                state=outcome.state,
                reason=outcome.error,
            )
        with tenant_scope(tenant_id):
            conversions.settle(purchase.order_id, outcome)
    return MOST_PER_TENANT
