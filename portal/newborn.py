"""What a new business gets with its account: its simulated line."""

from flask import current_app

from core.settings import Settings
from messaging.starting import add_simulated_line


def equip(*, live: bool = False) -> None:
    """In the transaction that makes the tenant. `live`: in development also a default line."""
    settings: Settings = current_app.extensions["comanda"]
    address, secret = settings.base_url, settings.simulator_secret
    add_simulated_line("Test line", address, secret, test=True)
    if live and not settings.production:
        add_simulated_line("Simulated line", address, secret, test=False, default=True)
