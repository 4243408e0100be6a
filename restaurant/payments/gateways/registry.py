"""The payment gateways. A new one is a module beside this one and a line in `GATEWAYS`."""

from typing import cast

from restaurant.payments.gateways import iyzico, simulated, stripe
from restaurant.payments.gateways.base import Gateway

GATEWAYS: dict[str, Gateway] = {
    "stripe": cast(Gateway, stripe),
    "iyzico": cast(Gateway, iyzico),
    "simulated": cast(Gateway, simulated),
}
