"""At night: accounts whose month after closing is over are erased; open payments are asked for."""

from flask import current_app

from core import lanes
from core.db import global_scope, tenant_scope
from core.logs import logger
from core.rings import hear
from core.settings import Settings
from messaging.linked import endings
from restaurant import plan_desk
from tenants import billing, closing
from tenants.accounts import forget_facts
from tenants.erasing import erase_batch, erase_tenant, owned_tables

log = logger(__name__)

AT_ONCE = 5_000
KEPT_TO_THE_END = frozenset({"accounts"})  # without it nobody could say that it is closed


def erase_due() -> int:
    hear("jobs.closing.erase_due")
    with global_scope():
        due = closing.due()
    erased = 0
    for tenant_id in due:
        erased += _erase(tenant_id)
    return erased


def _erase(tenant_id: int) -> bool:
    """Phones are logged out, growing tables go bit by bit, then what is left at once."""
    with tenant_scope(tenant_id):
        if not closing.still_due():
            return False
        endings.end_all()
    for name in reversed(owned_tables()):
        gone = AT_ONCE
        while gone == AT_ONCE and name not in KEPT_TO_THE_END:
            with tenant_scope(tenant_id):
                if not closing.still_due():
                    return False
                gone = erase_batch(name, AT_ONCE)
    with tenant_scope(tenant_id):
        if not closing.still_due():
            return False
        erase_tenant()
    forget_facts(tenant_id)
    log.info("account erased", tenant_id=tenant_id)
    return True


def ask_payments() -> int:
    """Plans that are being paid: the provider is asked, whether or not anybody came back."""
    hear("jobs.closing.ask_payments")
    settings: Settings = current_app.extensions["comanda"]
    if not settings.billing_provider:
        return 0
    settled = 0
    for tenant_id in lanes.due_anywhere("plans"):
        with tenant_scope(tenant_id):
            waiting = billing.waiting()
        for payment in waiting:
            found = plan_desk.look(payment, settings)
            with tenant_scope(tenant_id):
                settled += plan_desk.settle(payment, found, settings)
    return settled
