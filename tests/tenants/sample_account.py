"""Sample data of an account: a finished export and a paid month."""

from decimal import Decimal

from core.clock import now
from core.db import global_scope
from tenants.data import export as data_export
from tenants.plans import billing, price_list
from tenants.plans.billing import InvoiceTerms
from tenants.plans.catalog import every_plan
from tests.factories import Business

# for tests that post to every URL, so that the real plans stay unchanged
SAMPLE_PLAN = "walked-over"


def add_sample_plan() -> str:
    with global_scope():
        if all(plan.code != SAMPLE_PLAN for plan in every_plan()):
            price_list.add_plan(
                SAMPLE_PLAN,
                price_list.PlanDraft(
                    "Walked over", Decimal(5), "USD", {}, position=99, rate_per_second=1, burst=1
                ),
            )
    return SAMPLE_PLAN


def add_sample_account(business: Business, name: str) -> dict[str, str]:
    """Ids by URL parameter name."""
    terms = InvoiceTerms(f"{name} issuer", "VAT", Decimal(20))
    with business.scope():
        billing.change_billing_address(f"{name} billing", f"{name} street", "123")
        payment = billing.start_payment("growth", terms, "simulated")
        billing.mark_open(payment.id, f"{name}-ref", f"https://example.com/{name}")
        invoice = billing.record_payment(payment.id, f"{name}-paid", now(), terms)
        assert invoice is not None
        export = data_export.request_export()
        export.asked_by = f"{name} owner"
    return {"export_id": export.id, "invoice": invoice.code, "plan": add_sample_plan()}
