"""A simulated line's token contains who it is and where its receipts go.

So a restarted simulator can register a line from its first message.
"""

from typing import Any

from core.security.signing import BadToken, read_token
from messaging.simulator.network.state import SimulatedLine
from messaging.token_purposes import LINE, UNSIGNED


def line_from_token(secret: str, authorization: str, phone_number_id: str) -> SimulatedLine | None:
    token = authorization.partition(" ")[2].strip()
    try:
        claims: Any = read_token(secret or UNSIGNED, LINE, token)
    except BadToken:
        return None
    if not isinstance(claims, dict) or claims.get("phone_number_id") != phone_number_id:
        return None
    return SimulatedLine(
        phone_number_id=phone_number_id,
        phone=str(claims.get("phone", "")),
        app_secret=str(claims.get("app_secret", "")),
        callback_url=str(claims.get("callback_url", "")),
        tenant_id=int(claims.get("tenant_id", 0)),
        name=str(claims.get("name", "")),
    )
