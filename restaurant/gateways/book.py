"""Which providers there are."""

from typing import cast

from restaurant.gateways import Gateway, iyzico, simulated, stripe

GATEWAYS: dict[str, Gateway] = {
    "stripe": cast(Gateway, stripe),
    "iyzico": cast(Gateway, iyzico),
    "simulated": cast(Gateway, simulated),
}
PROVIDERS = tuple(GATEWAYS)
