"""The signed address of a tab, for a guest's phone, a printed bill and the page after a payment."""

from datetime import timedelta

from core.security.signing import sign_token_until
from restaurant.models import Tab

PURPOSE = "tab"
LIFETIME = timedelta(days=2)


def sign(secret_key: str, tab: Tab, guest_id: str = "") -> str:
    """The same for every call, so that a bill that is printed twice has the same code."""
    value = [tab.tenant_id, tab.id, guest_id]
    return sign_token_until(secret_key, PURPOSE, value, tab.opened_at + LIFETIME)


def bill_url(base_url: str, secret_key: str, tab: Tab, guest_id: str = "") -> str:
    return f"{base_url}/tab/{sign(secret_key, tab, guest_id)}"
