"""A business begins with one simulated line, so that its test keys work from the first minute."""

import secrets

from core.security.signing import sign_token
from messaging.lines import repository as line_repository
from messaging.models import Line
from messaging.simulator.token_purposes import LINE, NO_EXPIRY, UNSIGNED
from tenants import accounts


def add_simulated_line(
    name: str, base_url: str, simulator_secret: str, *, test: bool, default: bool = False
) -> Line:
    """A cloud line whose network is the simulator.

    Its token tells the simulator where to send receipts and how to sign them, so that a
    simulator that was started anew knows its lines from their first message on.
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
    """What a simulated phone calls the chat: the business, as a real phone does."""
    business = accounts.account_name()
    return f"{business} · {line.name}" if line.test else business
