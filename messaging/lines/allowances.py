"""What the network allows a line, learned from its checks and webhooks."""

import asyncio
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from core.errors import invalid
from core.http import Policy
from core.http.async_client import Client
from core.logs import logger
from core.settings import Settings
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.driver import base_url
from messaging.lines.drivers.cloud.number_limits import (
    NumberAllowance,
    fetch_allowance,
    read_quality,
    read_recipient_limit,
)
from messaging.lines.drivers.registry import DRIVERS
from messaging.lines.send_lane import wake_waiting_messages
from messaging.models import Line

BUSINESS_APP_PER_SECOND = Decimal(20)
_LIMIT_FIELDS = ("max_daily_conversations_per_business", "current_limit")
LineToAsk = tuple[int, str, LineFacts, str]
"""Line id, network, access, account id."""
log = logger(__name__)


def check_pace(line: Line, per_second: Decimal) -> None:
    """Raise Invalid for a pace that the network does not allow this number."""
    if line.on_business_app and per_second > BUSINESS_APP_PER_SECOND:
        raise invalid(
            "per_second",
            "too_fast",
            "A number that is also used in the WhatsApp Business app sends at most {most} messages "
            "a second.",
            most=BUSINESS_APP_PER_SECOND,
        )


def lines_to_ask() -> list[LineToAsk]:
    return [
        (line.id, line.network, line_repository.line_facts(line), line.account_id or "")
        for line in line_repository.list_lines()
        if DRIVERS[line.kind].has_access_token and line.token
    ]


def ask_network(settings: Settings, lines: Iterable[LineToAsk]) -> dict[int, NumberAllowance]:
    """Ask about each line; without a transaction."""

    async def ask() -> dict[int, NumberAllowance]:
        # The network's base URL is a setting of the operator and may be on this machine.
        async with Client(Policy(allow_loopback=True)) as client:
            return {
                line_id: await fetch_allowance(
                    client, base, settings.cloud_version, facts, account_id
                )
                for line_id, network, facts, account_id in lines
                if (base := base_url(settings, network))
            }

    return asyncio.run(ask())


def store_allowances(found: dict[int, NumberAllowance]) -> None:
    lines = {line.id: line for line in line_repository.list_lines()}
    for line_id, allowance in found.items():
        if line_id in lines:
            _apply(lines[line_id], allowance)
    # Lines of one portfolio share its limit, so those that do not know it take it over.
    for line in lines.values():
        if line.portfolio_id and line.recipient_limit:
            _share_limit(line, lines.values())


def apply_limit_update(line: Line, detail: dict[str, Any], lines: Iterable[Line]) -> None:
    """Apply a webhook: the limit holds for all lines of the portfolio, quality for the number."""
    if quality := read_quality(detail.get("quality_rating")):
        line.quality = quality
    elif detail.get("worse"):
        line.quality = "red" if str(detail.get("event")).upper() == "FLAGGED" else line.quality
    elif str(detail.get("event")).upper() == "UNFLAGGED":
        line.quality = "green"
    limit = next(filter(None, (read_recipient_limit(detail.get(one)) for one in _LIMIT_FIELDS)), "")
    if not limit or limit == line.recipient_limit:
        return
    log.info("recipient limit changed", line=line.id, was=line.recipient_limit, now=limit)
    line.recipient_limit = limit
    _share_limit(line, lines)
    wake_waiting_messages()


def _apply(line: Line, found: NumberAllowance) -> None:
    line.quality = found.quality or line.quality
    line.portfolio_id = found.portfolio_id or line.portfolio_id
    line.recipient_limit = found.recipient_limit or line.recipient_limit
    if found.on_business_app is not None:
        line.on_business_app = found.on_business_app
    if line.on_business_app and line.per_second > BUSINESS_APP_PER_SECOND:
        line_repository.set_pace(line.id, BUSINESS_APP_PER_SECOND)


def _share_limit(line: Line, lines: Iterable[Line]) -> None:
    for other in lines:
        if other.id != line.id and shares_limit(line, other):
            other.recipient_limit = line.recipient_limit


def shares_limit(line: Line, other: Line) -> bool:
    if line.portfolio_id and other.portfolio_id:
        return line.portfolio_id == other.portfolio_id
    return bool(line.account_id) and line.account_id == other.account_id
