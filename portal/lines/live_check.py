"""Checks a line with its network while the person waits."""

import asyncio

from flask import current_app

from core.http import Policy
from core.http.async_client import Client
from core.settings import Settings
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.driver import LineProblem, base_url, check_line
from messaging.models import Line

# Problems that keep a line from sending at all, with the state that each one sets.
BLOCKING = {
    "token_expired": "token_expired",
    "wrong_phone_number_id": "restricted",
    "restricted": "restricted",
    "number_not_ready": "restricted",
}
# Problems that leave it unknown whether the line can send.
UNREACHABLE = frozenset({"network_unreachable"})
# A line has no callback URL at the network until it is saved.
AFTER_SAVING = frozenset({"webhook_not_subscribed", "webhook_elsewhere", "webhook_fields_missing"})


def callback_url(line: Line) -> str:
    settings: Settings = current_app.extensions["comanda"]
    return f"{settings.base_url}/hooks/cloud/{line.hook_token}"


def run_line_check(
    facts: LineFacts, *, network: str = "whatsapp", callback: str = "", account_id: str = ""
) -> list[LineProblem]:
    """Return the problems found; empty if the line works."""
    settings: Settings = current_app.extensions["comanda"]
    base = base_url(settings, network)

    async def ask() -> list[LineProblem]:
        # The network's URL is set by the operator and may point to this machine.
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
