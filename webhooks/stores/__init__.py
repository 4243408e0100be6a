"""Stores and forms that post to us: each platform one file, all with the same four functions.

verify(secret, headers, body)   is it really from there, told on the raw bytes
facts(headers)                  what of the headers is kept beside the body
dedupe_keys(facts, body)        a repeat of a post has one of the same keys
parse(facts, body)              neutral events, or NotUnderstood
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
