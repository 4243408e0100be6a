"""At night: accounts whose month after closing is over are erased; open payments are asked for."""

import time

from flask import current_app

from core import lanes
from core.db import global_scope, tenant_scope
from core.logs import logger
from core.rings import hear
from core.settings import Settings
from jobs import rounds
from jobs import schema as _schema  # noqa: F401 - every table
from messaging.linked import endings
from restaurant import plan_desk
from tenants import billing, closing
from tenants.accounts import forget_facts
from tenants.erasing import erase_batch, erase_tenant, owned_tables

log = logger(__name__)

AT_ONCE = 5_000
KEPT_TO_THE_END = frozenset({"accounts"})  # without it nobody could say that it is closed


def erase_due() -> int:
    """A round over the accounts that are due; a large one takes many turns."""
    hear("jobs.closing.erase_due")
    with global_scope():
        due = set(closing.due())
    erased = 0

    def erase(tenant_id: int) -> bool:
        nonlocal erased
        if tenant_id not in due:
            return False
        more = _erase(tenant_id)
        erased += more is None
        return bool(more)

    rounds.go("jobs.closing.erase_due", erase)
    return erased


def _erase(tenant_id: int) -> bool | None:
    """Phones are logged out, growing tables go bit by bit, then what is left at once.

    True: there is more to do. False: it is no longer due. None: it is erased.
    """
    until = time.monotonic() + rounds.TURN_SECONDS
    with tenant_scope(tenant_id):
        if not closing.still_due():
            return False
        endings.end_all()
    for name in reversed(owned_tables()):
        gone = AT_ONCE
        while gone == AT_ONCE and name not in KEPT_TO_THE_END:
            if time.monotonic() > until:
                return True
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
    return None


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
