"""Creates the simulated line of a new tenant."""

from flask import current_app
from flask_babel import force_locale, gettext

from core.settings import Settings
from messaging.lines.simulated_line import add_simulated_line


def add_simulated_lines(*, live: bool = False, locale: str = "en") -> None:
    """Runs in the transaction that creates the tenant.

    `live`: in development, add a default line too.
    """
    settings: Settings = current_app.extensions["comanda"]
    address, secret = settings.base_url, settings.simulator_secret
    with force_locale(locale):
        add_simulated_line(gettext("Test line"), address, secret, test=True)
        if live and not settings.production:
            name = gettext("Simulated line")
            add_simulated_line(name, address, secret, test=False, default=True)
