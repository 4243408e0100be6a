"""Loyalty in the portal: programmes, rewards, coupons, members and automatic messages."""

from decimal import Decimal

from flask import Blueprint

loyalty_pages = Blueprint("loyalty", __name__, url_prefix="/loyalty")


@loyalty_pages.app_template_filter("plain_number")
def plain_number(amount: Decimal) -> str:
    """Format without trailing zeros: 12.5, and 10 rather than 10.000."""
    return f"{amount.normalize():f}"
