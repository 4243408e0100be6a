"""Signed links to the phones page; a token gives access to one tenant's phones."""

from datetime import timedelta
from urllib.parse import urlencode

from core.security.signing import BadToken, read_token, sign_token

PURPOSE = "simulator.phones"
LINK_VALIDITY = timedelta(hours=12)


def phones_link(simulator_url: str, secret: str, tenant_id: int, language: str = "") -> str:
    """Return the link to this tenant's phones, for the portal."""
    token = sign_token(secret, PURPOSE, tenant_id, LINK_VALIDITY) if secret else ""
    parameters = {name: value for name, value in (("ticket", token), ("lang", language)) if value}
    return f"{simulator_url.rstrip('/')}/phones" + (
        f"?{urlencode(parameters)}" if parameters else ""
    )


def tenant_of_token(secret: str, token: str) -> int | None:
    try:
        value = read_token(secret, PURPOSE, token)
    except BadToken:
        return None
    return value if isinstance(value, int) else None
