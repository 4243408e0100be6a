"""Reads phone numbers from forms."""

from flask import g

from core.db import tenant_scope
from core.errors import invalid
from core.values.phone import normalize_phone
from tenants import accounts


def read_phone(written: str) -> str:
    """Parse a number in any notation; a country code is required only if it cannot be inferred."""
    with tenant_scope(g.tenant_id):
        country = accounts.home_country()
    phone = normalize_phone(written, country or None)
    if phone is None:
        raise invalid(
            "phone",
            "invalid_phone",
            "This is not a valid phone number. Enter it with its country code, "
            "such as 905321112233.",
        )
    return phone
