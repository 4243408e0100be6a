"""The settings for reporting purchases to Meta. The shop reports nothing."""

from restaurant.ads import settings

ADS_OFF = {"ad-conversions-off": "/settings/ad-conversions"}
ADS = {
    "ad-conversions": "/settings/ad-conversions",
    "ad-conversions-remove": "/settings/ad-conversions/remove",
}


def report_purchases() -> None:
    """Call it in the restaurant's scope."""
    settings.save("123456789012345", "EAA-token", enabled=True)
