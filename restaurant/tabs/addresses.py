"""The signed address of a tab, for a guest's phone, a printed bill and the page after a payment."""

from datetime import timedelta
from typing import Any

from core.security.signed_urls import read_signed, signed_url_until
from restaurant.models import Tab

PURPOSE = "tab"
PATH = "/tab/"
LIFETIME = timedelta(days=2)


def bill_url(tab: Tab, guest_id: str = "") -> str:
    """Anyone who has it sees the bill and can pay it. With a guest, it is that guest's own."""
    value = [tab.tenant_id, tab.id, guest_id]
    return signed_url_until(PATH, PURPOSE, value, tab.opened_at + LIFETIME)


def read(token: str) -> Any:
    """Tenant, tab and guest. Raises BadToken."""
    return read_signed(PURPOSE, token)
