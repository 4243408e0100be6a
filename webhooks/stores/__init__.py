"""Stores and forms that send hooks: one file for each platform, all with the same four functions.

verify(secret, headers, body)   whether the signature is valid for the raw bytes
facts(headers)                  the values of the headers that are stored with the body
dedupe_keys(facts, body)        keys; a repeated hook has one of the same keys
parse(facts, body)              neutral events, or UnreadableBody
"""

from types import ModuleType

from webhooks.stores import generic_store, shopify, website_form, woocommerce

PLATFORMS: dict[str, ModuleType] = {
    "shopify": shopify,
    "woocommerce": woocommerce,
    "store": generic_store,
    "form": website_form,
}
KINDS = tuple(PLATFORMS)
