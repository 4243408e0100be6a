"""Shared steps of journeys that pay by card on the simulated provider."""

import json
import re

from playwright.sync_api import expect

from restaurant.orders import queries as order_queries
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries
from restaurant.sites import sites
from tests.webhooks.receivers import wait_until


def set_up_cards(bistro, settings) -> str:
    """The simulated provider, checked over the wire, offered to the bistro's guests."""
    with bistro.scope():
        account = payment_accounts.add(
            payment_accounts.AccountSettings(provider="simulated", name="Paper money")
        )
        credentials = payment_accounts.credentials(account, settings)
    checked, error = payment_accounts.check_credentials("simulated", credentials)
    assert checked is not None, error
    with bistro.scope():
        payment_accounts.record_check(account.id, checked, "")
        sites.change(
            bistro.site_id,
            {
                "payment_methods": ["pos_at_table", "cash", "card_link"],
                "order_types": ["dine_in", "takeaway", "delivery"],
            },
        )
    return account.id


def order_for_delivery(chromium, service, bistro, address: str) -> str:
    """The text that the diner's page offers to send: for delivery, paid by card online."""
    context = chromium.new_context(
        base_url=service.url, locale="en-GB", viewport={"width": 390, "height": 844}
    )
    page = context.new_page()
    page.goto(f"/r/lemar-{bistro.business.tenant_id}/menu?lang=en")
    page.get_by_role("button", name="Add Ayran").click()
    page.get_by_role("button", name="Your order").click()
    cart = page.get_by_role("dialog")
    cart.get_by_role("radio", name="Delivery").check()
    cart.get_by_label("Delivery address").fill(address)
    cart.get_by_role("radio", name="Card, online").check()
    page.get_by_role("button", name="Send order").click()
    expect(page.get_by_text("Order code").first).to_be_visible()
    text = page.locator("[data-text]").inner_text()
    context.close()
    return text


def card_page_url(shown: list[dict], network: str) -> str:
    """The URL of the card page in the chat messages or their buttons, or an empty text."""
    for one in reversed(shown):
        found = re.search(rf"{re.escape(network)}/card/[^\s\"]+", json.dumps(one))
        if found:
            return found[0]
    return ""


def pays_by_card(chromium, url: str, *, declined_first: bool = False) -> None:
    """Pay on the provider's page, which then leads back to the restaurant's page."""
    context = chromium.new_context(locale="en-GB", viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(url)
    if declined_first:
        page.locator("button.second").click()
        expect(page.locator(".result.bad")).to_be_visible()
    page.locator("button[value=pay]").click()
    expect(page.locator(".result.good")).to_be_visible()
    page.locator("a.back").click()
    expect(page.get_by_role("heading")).to_be_visible()
    context.close()


def order_of(bistro, code: str):
    with bistro.scope():
        link = link_queries.by_reference(code)
        return order_queries.get(link.order_id) if link and link.order_id else None


def reaches(bistro, code: str, state: str, seconds: float = 30) -> bool:
    def there() -> bool:
        order = order_of(bistro, code)
        return order is not None and order.state == state

    return bool(wait_until(there, seconds))
