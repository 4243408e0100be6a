"""Payments: links, money and its way back, what providers told us, and the providers themselves."""

from flask import Blueprint

from restaurant.payments.gateways.base import Gateway
from restaurant.payments.gateways.registry import GATEWAYS

payments_pages = Blueprint("payments", __name__, url_prefix="/payments")


@payments_pages.app_template_global()
def payment_gateway(code: str) -> Gateway | None:
    return GATEWAYS.get(code)
