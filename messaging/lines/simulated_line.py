"""The simulated line that every account gets, so that test keys work at once."""

import secrets

from core.security.signing import sign_token
from messaging.lines import repository as line_repository
from messaging.models import Line
from messaging.token_purposes import LINE, NO_EXPIRY, UNSIGNED
from tenants import accounts


def add_simulated_line(
    name: str, base_url: str, simulator_secret: str, *, test: bool, default: bool = False
) -> Line:
    """Add a cloud line whose network is the simulator.

    Its token contains where to send receipts and how to sign them, so that a restarted simulator
    has the line's data from its first message on.
    """
    line = line_repository.add_cloud_line(
        name,
        f"90555{secrets.randbelow(10**7):07d}",
        f"55{secrets.randbelow(10**13):013d}",
        "",
        secrets.token_hex(16),
        network="simulator",
        test=test,
        default=default,
    )
    line.token = sign_token(
        simulator_secret or UNSIGNED,
        LINE,
        {
            "phone_number_id": line.phone_number_id,
            "phone": line.phone,
            "app_secret": line.app_secret,
            "callback_url": f"{base_url}/hooks/cloud/{line.hook_token}",
            "tenant_id": line.tenant_id,
            "name": _shown_name(line),
        },
        NO_EXPIRY,
    )
    return line


def _shown_name(line: Line) -> str:
    """The chat's name on a simulated phone: the business name, as on a real phone."""
    business = accounts.account_name()
    return f"{business} · {line.name}" if line.test else business
