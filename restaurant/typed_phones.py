"""Phone numbers that people type: without a country code, the account's home country counts."""

from core.errors import invalid
from core.values.phone import BadPhone, read_phone
from tenants import accounts


def required_phone(text: str, field: str = "phone") -> str:
    try:
        return read_phone(text, accounts.home_country() or None)
    except BadPhone as error:
        raise invalid(field, "invalid_phone", str(error)) from error


def optional_phone(text: str) -> str:
    """Blank for a text without digits, such as a lone plus sign."""
    return required_phone(text) if any(char.isdigit() for char in text) else ""
