"""An account's own things: an export that is ready, and a month that was paid."""

from decimal import Decimal

from core.clock import now
from tenants import billing, exporting
from tenants.billing import Terms
from tests.cast import Business


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
    return {"export_id": export.id, "invoice": invoice.code}
