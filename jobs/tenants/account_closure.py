"""Nightly: erase accounts a month after they were closed. Every few minutes: check the open plan
payments.
"""

import time

from flask import current_app

from core.db import global_scope, tenant_scope
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.settings import Settings
from jobs.engine import all_models as _schema  # noqa: F401 - every table
from jobs.engine import all_tenants
from messaging.lines.drivers.linked import logout as linked_logout
from restaurant.payments import plan_payments
from tenants.accounts import drop_tenant_cache
from tenants.data import account_closure
from tenants.data.erasure import erase_batch, erase_tenant, tenant_tables
from tenants.plans import billing

log = logger(__name__)

AT_ONCE = 5_000
DELETED_LAST = frozenset({"accounts"})  # it records that the account is closed


def erase_closed_accounts() -> int:
    """A round over the accounts that are due; a large one takes many turns. Returns how many were
    erased.
    """
    acknowledge_wakeup("jobs.tenants.account_closure.erase_closed_accounts")
    with global_scope():
        due = set(account_closure.list_due())
    erased = 0

    def erase(tenant_id: int) -> bool:
        nonlocal erased
        if tenant_id not in due:
            return False
        more = _erase_account(tenant_id)
        erased += more is None
        return bool(more)

    all_tenants.run_step("jobs.tenants.account_closure.erase_closed_accounts", erase)
    return erased


def _erase_account(tenant_id: int) -> bool | None:
    """Log phones out, delete growing tables in batches, then the rest at once.

    True: there is more to do. False: it is no longer due. None: it is erased.
    """
    until = time.monotonic() + all_tenants.TENANT_SECONDS
    with tenant_scope(tenant_id):
        if not account_closure.still_due():
            return False
        linked_logout.log_out_all_lines()
    for name in reversed(tenant_tables()):
        deleted = AT_ONCE
        while deleted == AT_ONCE and name not in DELETED_LAST:
            if time.monotonic() > until:
                return True
            with tenant_scope(tenant_id):
                if not account_closure.still_due():
                    return False
                deleted = erase_batch(name, AT_ONCE)
    with tenant_scope(tenant_id):
        if not account_closure.still_due():
            return False
        erase_tenant()
    drop_tenant_cache(tenant_id)
    log.info("account erased", tenant_id=tenant_id)
    return None


def check_plan_payments() -> int:
    """Ask the provider about plan payments under way, whether or not the payer returned to the
    page.
    """
    acknowledge_wakeup("jobs.tenants.account_closure.check_plan_payments")
    settings: Settings = current_app.extensions["comanda"]
    if not settings.billing_provider:
        return 0
    settled = 0
    for tenant_id in lanes.tenants_with_due_work("plans"):
        with tenant_scope(tenant_id):
            waiting = billing.open_payments()
        for payment in waiting:
            found = plan_payments.fetch_status(payment, settings)
            with tenant_scope(tenant_id):
                settled += plan_payments.settle_payment(payment, found, settings)
    return settled
