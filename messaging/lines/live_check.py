"""Checks a line with its network while the caller waits, and stores what was found."""

import asyncio

from core.http import Policy
from core.http.async_client import Client
from core.settings import Settings
from messaging.lines import repository as line_repository
from messaging.lines import send_lane
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


def callback_url(settings: Settings, line: Line) -> str:
    return f"{settings.base_url}/hooks/cloud/{line.hook_token}"


def run_line_check(
    settings: Settings,
    facts: LineFacts,
    *,
    network: str = "whatsapp",
    callback: str = "",
    account_id: str = "",
) -> list[LineProblem]:
    """Return the problems found; empty if the line works. Call outside a transaction."""
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


def check_saved_line(settings: Settings, line: Line) -> list[LineProblem]:
    """Check a line with the credentials that are stored, and its webhook."""
    return run_line_check(
        settings,
        line_repository.line_facts(line),
        network=line.network,
        callback=callback_url(settings, line),
        account_id=line.account_id or "",
    )


def check_new_credentials(
    settings: Settings, facts: LineFacts, account_id: str
) -> list[LineProblem]:
    """Check credentials before they are stored."""
    found = run_line_check(settings, facts, account_id=account_id)
    return [one for one in found if one.code not in AFTER_SAVING]


def blocking_problems(found: list[LineProblem]) -> list[LineProblem]:
    return [one for one in found if one.code in BLOCKING]


def unreachable_reason(found: list[LineProblem]) -> str:
    """Why the network could not be asked; empty if it answered."""
    return next((one.reason for one in found if one.code in UNREACHABLE), "")


def store_findings(line_id: int, found: list[LineProblem]) -> None:
    """Set the line's state from the check's result. Runs in the tenant's transaction."""
    stops = blocking_problems(found)
    if stops:
        line_repository.record_line_state(line_id, BLOCKING[stops[0].code], stops[0].reason)
    elif not any(one.code in (*UNREACHABLE, "quality_low") for one in found):
        line_repository.record_line_state(line_id, "connected", "")
        send_lane.wake_waiting_messages()
