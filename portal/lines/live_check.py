"""A live look at a line: the network is asked while the person waits."""

import asyncio

from flask import current_app

from core.http import Policy
from core.http.async_client import Client
from core.settings import Settings
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.driver import LineProblem, base_url, check_line
from messaging.models import Line

# With these a line cannot send at all, and what state each one is.
BLOCKING = {
    "token_expired": "token_expired",
    "wrong_phone_number_id": "restricted",
    "restricted": "restricted",
    "number_not_ready": "restricted",
}
# With these nobody knows whether it can send.
UNREACHABLE = frozenset({"network_unreachable"})
# Before a line is saved it has no callback URL that the network could know.
AFTER_SAVING = frozenset({"webhook_not_subscribed", "webhook_elsewhere"})


def callback_url(line: Line) -> str:
    settings: Settings = current_app.extensions["comanda"]
    return f"{settings.base_url}/hooks/cloud/{line.hook_token}"


def run_line_check(
    facts: LineFacts, *, network: str = "whatsapp", callback: str = "", account_id: str = ""
) -> list[LineProblem]:
    """What is wrong; nothing when all is well."""
    settings: Settings = current_app.extensions["comanda"]
    base = base_url(settings, network)

    async def ask() -> list[LineProblem]:
        # The network's address is the operator's own setting, and may be on this machine.
        async with Client(Policy(allow_loopback=True)) as client:
            return await check_line(
                client,
                base,
                settings.cloud_version,
                facts,
                callback_url=callback,
                account_id=account_id,
            )

    return asyncio.run(ask())
