"""The store platforms. A new one is a module beside this one and a line in `PLATFORMS`."""

from webhooks.stores.base import Platform
from webhooks.stores.generic_store import GENERIC_STORE
from webhooks.stores.shopify import SHOPIFY
from webhooks.stores.website_form import WEBSITE_FORM
from webhooks.stores.woocommerce import WOOCOMMERCE

PLATFORMS: dict[str, Platform] = {
    "shopify": SHOPIFY,
    "woocommerce": WOOCOMMERCE,
    "store": GENERIC_STORE,
    "form": WEBSITE_FORM,
}
