"""Which guide explains which page of the portal."""

# By endpoint if the page has its own guide, otherwise by blueprint.
GUIDE_OF_AREA = {
    "home": "quick-start",
    "first": "quick-start",
    "reports": "reports",
    "reports.delivery": "delivery",
    "reports.printing": "printing",
    "inbox": "inbox",
    "approvals": "agents",
    "messages": "quick-start",
    "contacts": "contacts",
    "contact": "contacts",
    "contact_duplicates": "contacts",
    "contact_fields": "contacts",
    "contact_imports": "contacts",
    "campaigns": "campaigns",
    "loyalty": "loyalty",
    "lines": "lines",
    "lines.new": "going-live-cloud",
    "linked": "linked",
    "templates": "templates",
    "template_editor": "templates",
    "usage": "account",
    "received": "webhooks",
    "board": "restaurant",
    "orders": "restaurant",
    "sites": "restaurant",
    "tables": "restaurant",
    "menus": "restaurant",
    "items": "restaurant",
    "happy_hours": "restaurant",
    "kitchen": "restaurant",
    "ticket_codes": "restaurant",
    "delivery": "delivery",
    "couriers": "delivery",
    "payments": "payments",
    "printers": "printing",
    "printers.pair": "print-agent",
    "printers.pairing": "print-agent",
    "print_jobs": "printing",
    "stores": "integrations/stores",
    "automations": "integrations/stores",
    "journeys": "journeys",
    "integrations": "quick-start",
    "apps": "agents",
    "requests": "errors",
    "webhooks": "webhooks",
    "deliveries": "webhooks",
    "team": "account",
    "settings": "account",
    "data": "account",
    "language_model": "restaurant",
    "plan": "account",
    "audit": "account",
}


def help_for(endpoint: str | None) -> str | None:
    """The guide's name as used in its URL; None if there is no guide for the page."""
    if not endpoint:
        return None
    return GUIDE_OF_AREA.get(endpoint) or GUIDE_OF_AREA.get(endpoint.partition(".")[0])
