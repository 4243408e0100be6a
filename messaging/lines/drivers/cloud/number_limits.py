"""Ask the network what it allows a number: its limit of recipients, quality and portfolio."""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from core.http.async_client import Client
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.field_readers import read_id, read_object, read_text
from messaging.lines.drivers.cloud.health_check import LineProblem, get_json

UNLIMITED = "unlimited"
_NUMBER_FIELDS = (
    "quality_rating,is_on_biz_app,platform_type,whatsapp_business_manager_messaging_limit"
)
_TIER = re.compile(r"TIER_([0-9]{1,7})(K?)", re.ASCII)
_QUALITIES = ("green", "yellow", "red")


@dataclass(frozen=True)
class NumberAllowance:
    """What is empty or None was not reported."""

    recipient_limit: str = ""
    """A number, or `unlimited`."""
    quality: str = ""
    portfolio_id: str = ""
    on_business_app: bool | None = None


def read_recipient_limit(value: Any) -> str:
    """Read `TIER_2K`, `2000`, or -1 for no limit; empty for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return UNLIMITED if value < 0 else str(value) if value else ""
    text = read_text(value).upper()
    if text in ("TIER_UNLIMITED", "UNLIMITED", "-1"):
        return UNLIMITED
    if found := _TIER.fullmatch(text):
        return str(int(found[1]) * (1000 if found[2] else 1) or "")
    return text if text.isdecimal() and 0 < len(text) < 10 and int(text) else ""


def read_quality(value: Any) -> str:
    quality = read_text(value).lower()
    return quality if quality in _QUALITIES else ""


async def fetch_allowance(
    client: Client, base_url: str, version: str, facts: LineFacts, account_id: str
) -> NumberAllowance:
    """Never fails: what the network does not tell stays as it is stored."""
    at = f"{base_url}/{version}"
    number = await get_json(
        client, f"{at}/{quote(facts.phone_number_id, safe='')}?fields={_NUMBER_FIELDS}", facts
    )
    account: dict[str, Any] | LineProblem = {}
    if account_id:
        path = f"{quote(account_id, safe='')}?fields=owner_business_info"
        account = await get_json(client, f"{at}/{path}", facts)
    found = {} if isinstance(number, LineProblem) else number
    owner = {} if isinstance(account, LineProblem) else read_object(account, "owner_business_info")
    return NumberAllowance(
        recipient_limit=read_recipient_limit(
            found.get("whatsapp_business_manager_messaging_limit")
        ),
        quality=read_quality(found.get("quality_rating")),
        portfolio_id=read_id(owner.get("id")),
        on_business_app=(
            bool(found["is_on_biz_app"]) and read_text(found.get("platform_type")) == "CLOUD_API"
            if "is_on_biz_app" in found
            else None
        ),
    )
