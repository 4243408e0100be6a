"""What a notification says, in the member's language."""

from collections.abc import Mapping
from typing import Any

from core.i18n.catalogs import N_, Catalog

TITLES = {
    "assigned": N_("A conversation is assigned to you"),
    "messages": N_("New message"),
    "orders": N_("New order"),
    "printers": N_("Printer problem"),
    "test": N_("Notifications work on this device"),
}
PRIVATE_TITLES = {
    "assigned": N_("%(name)s is assigned to you"),
    "messages": N_("New message from %(name)s"),
}
BODIES = {
    "orders": N_("Order %(number)s · %(place)s"),
    "printers": N_("%(printer)s does not print. Check it now."),
}


def words_of(
    topic: str, facts: Mapping[str, Any], catalog: Catalog, locale: str, *, private: bool
) -> tuple[str, str]:
    """Title and text. Names and words of customers are only in it if `private` allows it."""
    if private and topic in PRIVATE_TITLES and facts.get("name"):
        title = catalog.gettext(locale, PRIVATE_TITLES[topic]) % {"name": facts["name"]}
        return title, str(facts.get("text") or "")
    title = catalog.gettext(locale, TITLES[topic])
    if topic not in BODIES:
        return title, ""
    return title, catalog.gettext(locale, BODIES[topic]) % facts
