"""A payment provider for plans."""

from decimal import Decimal

from restaurant.payments.gateways.base import CreatedLink, LinkStatus
from restaurant.payments.gateways.registry import GATEWAYS


class Bank:
    """A fake provider that creates links and marks them as paid."""

    def __init__(self):
        self.links, self.paid = {}, {}

    def base_url(self, _settings, _key):
        return "https://bank.example"

    def operator_secret(self, _settings):
        return ""

    def create_link(self, _desk, asking):
        self.links[f"ref-{asking.key}"] = asking
        return CreatedLink(f"https://bank.example/{asking.key}", f"ref-{asking.key}")

    def fetch(self, _desk, ref, _reference, _payment=""):
        if ref not in self.paid:  # not paid, or a link of another test's provider
            return LinkStatus("open")
        asking = self.links[ref]
        return LinkStatus(
            "paid", asking.reference, "pi_1", self.paid[ref] or asking.amount, asking.currency
        )

    def pays(self, amount=None):
        self.paid[list(self.links)[-1]] = amount


def open_bank(app, monkeypatch) -> Bank:
    bank = Bank()
    monkeypatch.setitem(GATEWAYS, "simulated", bank)
    settings = app.extensions["comanda"]
    for name, value in {
        "billing_provider": "simulated",
        "billing_key": "k",
        "invoice_issuer": "Comanda A.Ş.|Gümüşsuyu",
        "invoice_tax_percent": Decimal(20),
    }.items():
        monkeypatch.setattr(settings, name, value)
    return bank
