"""The texts of the courier's page that views choose by a code; the pages have the others."""

from core.i18n.catalogs import N_, KeyedTexts

TEXTS = {
    # The state of an order
    "cooking": N_("In the kitchen"),
    "ready": N_("Ready for pickup"),
    "riding": N_("With you"),
    # What the courier collects
    "collect_cash": N_("Collect in cash"),
    "collect_card": N_("Collect by card"),
    "collect_nothing": N_("Paid. Nothing to collect."),
    # Errors
    "fault": N_("Something went wrong. Check the list and try again."),
    "fault_order_changed": N_("This order has changed. Check it and try again."),
    "fault_not_yours": N_("This order is no longer assigned to you."),
    "fault_reason_missing": N_("Describe the problem briefly."),
    "fault_invalid_choice": N_("Choose what went wrong."),
    # The message to the customer, and the cash of the shift
    "cash_total": N_("Cash to hand in: {amount}"),
    "hello": N_("Hello, I am the courier from {site} with your order {order}."),
}


_texts = KeyedTexts("courier", TEXTS)
courier_text = _texts.text
courier_languages = _texts.languages
page_functions = _texts.template_functions


def error_text(language: str, code: str) -> str:
    key = f"fault_{code}"
    return courier_text(language, key if key in TEXTS else "fault")
