"""The supported payment providers."""

from typing import cast

from restaurant.payments.gateways import iyzico, simulated, stripe
from restaurant.payments.gateways.base import Gateway

GATEWAYS: dict[str, Gateway] = {
    "stripe": cast(Gateway, stripe),
    "iyzico": cast(Gateway, iyzico),
    "simulated": cast(Gateway, simulated),
}
PROVIDERS = tuple(GATEWAYS)
