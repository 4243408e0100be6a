"""An account's own things: an export that is ready, and a month that was paid."""

from decimal import Decimal

from core.clock import now
from core.db import global_scope
from tenants import billing, exporting, price_list
from tenants.billing import Terms
from tenants.plans import every_plan
from tests.cast import Business

WALKED = "walked-over"  # a plan for walks that post to every address: the real ones stay whole


def plant_plan() -> str:
    with global_scope():
        if all(plan.code != WALKED for plan in every_plan()):
            price_list.add(
                WALKED,
                price_list.Draft(
                    "Walked over", Decimal(5), "USD", {}, position=99, rate_per_second=1, burst=1
                ),
            )
    return WALKED


def plant_account(business: Business, name: str) -> dict[str, str]:
    """Ids by the name a route gives them."""
    terms = Terms(f"{name} issuer", "VAT", Decimal(20))
    with business.scope():
        billing.change_address(f"{name} billing", f"{name} street", "123")
        payment = billing.start("growth", terms, "simulated")
        billing.opened(payment.id, f"{name}-ref", f"https://example.com/{name}")
        invoice = billing.paid(payment.id, f"{name}-paid", now(), terms)
        assert invoice is not None
        export = exporting.ask()
        export.asked_by = f"{name} owner"
    return {"export_id": export.id, "invoice": invoice.code, "plan": plant_plan()}
