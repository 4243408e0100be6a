"""Plan changes, for the operator console and the command line.

The rows of an account are visible only in its own transaction, so accounts on a plan are updated
one by one. A price that accounts keep is stored on them before the plan changes, so a payment made
in between still uses it.
"""

from typing import Any

from core.db import global_scope, tenant_scope
from portal.plan import plan_names
from tenants.plans import price_list
from tenants.plans.price_list import PlanDraft

PRICES = frozenset({"price", "currency", "prices"})
PRICE_AUDIENCES = ("renewal", "keep", "everybody")


def change(code: str, draft: PlanDraft, whom: str = "renewal") -> dict[str, list[Any]]:
    """Change a plan. Returns the changed fields.

    `whom` sets who pays a new price. renewal: each account from its next payment, except accounts
    that were promised an older price; keep: new accounts only; everybody: all accounts, and
    promised prices end.
    """
    with global_scope():
        found = price_list.list_changes(code, draft)
        tenants = [tenant.id for tenant in price_list.tenants_on_plan(code)] if found else []
    other_price = bool(PRICES & found.keys())
    if other_price and whom == "keep":
        for tenant_id in tenants:
            with tenant_scope(tenant_id):
                price_list.keep_price(code)
    with global_scope():
        price_list.change_plan(code, draft, **({"whom": whom} if other_price else {}))
    for tenant_id in tenants:
        with tenant_scope(tenant_id):
            price_list.apply_changed_terms(
                code, found, end_kept=other_price and whom == "everybody"
            )
    plan_names.clear_cache()
    return found


def add(code: str, draft: PlanDraft) -> None:
    with global_scope():
        price_list.add_plan(code, draft)
    plan_names.clear_cache()


def retire(code: str) -> None:
    with global_scope():
        price_list.retire_plan(code)


def offer(code: str) -> None:
    with global_scope():
        price_list.offer_again(code)


def make_base(code: str) -> None:
    with global_scope():
        price_list.set_base_plan(code)
    plan_names.clear_cache()
