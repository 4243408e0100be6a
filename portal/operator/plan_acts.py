"""What an operator does to a plan, from the console and from the command line.

An account's rows are only seen in its own transaction, so what concerns those on a plan is done one
by one. A price that accounts keep is written into them first: whoever pays in between pays it.
"""

from typing import Any

from core.db import global_scope, tenant_scope
from portal import plan_words
from tenants import price_list
from tenants.price_list import Draft

PRICES = frozenset({"price", "currency", "prices"})
WHOM = ("renewal", "keep", "everybody")


def change(code: str, draft: Draft, whom: str = "renewal") -> dict[str, list[Any]]:
    """`whom` a new price is for. renewal: each account with its next payment, except those who
    were promised an older one; keep: only who is new; everybody: the promises end too."""
    with global_scope():
        found = price_list.changes(code, draft)
        tenants = [tenant.id for tenant in price_list.on_it(code)] if found else []
    other_price = bool(PRICES & found.keys())
    if other_price and whom == "keep":
        for tenant_id in tenants:
            with tenant_scope(tenant_id):
                price_list.keep_price(code)
    with global_scope():
        price_list.change(code, draft, **({"whom": whom} if other_price else {}))
    for tenant_id in tenants:
        with tenant_scope(tenant_id):
            price_list.terms_changed(code, found, end_kept=other_price and whom == "everybody")
    plan_words.forget()
    return found


def add(code: str, draft: Draft) -> None:
    with global_scope():
        price_list.add(code, draft)
    plan_words.forget()


def retire(code: str) -> None:
    with global_scope():
        price_list.retire(code)


def offer(code: str) -> None:
    with global_scope():
        price_list.offer(code)


def make_base(code: str) -> None:
    with global_scope():
        price_list.make_base(code)
    plan_words.forget()
