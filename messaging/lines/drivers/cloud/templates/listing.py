"""Fetch the templates of a business account."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from core.http.async_client import Client
from messaging import reasons
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.field_readers import (
    read_id,
    read_object,
    read_objects,
    read_text,
    without_unstorable,
)
from messaging.lines.drivers.cloud.health_check import LineProblem, get_json

PAGE, MOST_PAGES = 50, 40
LARGEST_PAGE = 4 * 1024 * 1024  # the components of fifty long templates with their examples
LONGEST_REASON = 300
_FIELDS = (
    "id,name,language,status,category,components,rejected_reason,quality_score,parameter_format"
)
WRONG_ACCOUNT = LineProblem(
    "wrong_account_id",
    reasons.UNKNOWN_ACCOUNT_ID,
)


@dataclass(frozen=True)
class NetworkTemplate:
    """`state` and `category` are the network's values in lower case."""

    network_id: str
    name: str
    language: str
    category: str
    state: str
    reason: str = ""
    quality: str = ""
    parameter_format: str = "positional"
    components: list[dict[str, Any]] = field(default_factory=list)


async def fetch_templates(
    client: Client, base_url: str, version: str, facts: LineFacts, account_id: str
) -> list[NetworkTemplate] | LineProblem:
    """Fetch all pages. Uses the cursor with our base URL, never the `next` link of the response."""
    at = f"{base_url}/{version}/{quote(account_id, safe='')}/message_templates"
    params = {"fields": _FIELDS, "limit": str(PAGE)}
    found: list[NetworkTemplate] = []
    for _ in range(MOST_PAGES):
        answer = await get_json(client, f"{at}?{urlencode(params)}", facts, max_body=LARGEST_PAGE)
        if isinstance(answer, LineProblem):
            return WRONG_ACCOUNT if answer.code == "wrong_phone_number_id" else answer
        page = read_objects(without_unstorable(answer.get("data")))
        found += [one for one in map(read_template, page) if one is not None]
        paging = read_object(answer, "paging")
        after = read_id(read_object(paging, "cursors").get("after"))
        if not page or not after or not paging.get("next"):
            return found
        params["after"] = after
    return found


def read_template(one: dict[str, Any]) -> NetworkTemplate | None:
    """Return the template, or None without a name or a language, because it could not be sent."""
    name, language = read_text(one.get("name")), read_text(one.get("language"))
    if not name or not language:
        return None
    return NetworkTemplate(
        network_id=read_id(one.get("id")),
        name=name[:512],
        language=language[:15],
        category=read_text(one.get("category")).lower()[:40],
        state=read_text(one.get("status")).lower()[:40] or "unknown",
        reason=reason_of(one.get("rejected_reason")),
        quality=read_text(read_object(one, "quality_score").get("score")).lower()[:20],
        parameter_format=(
            "named" if read_text(one.get("parameter_format")).upper() == "NAMED" else "positional"
        ),
        components=read_objects(one.get("components")),
    )


def reason_of(value: Any) -> str:
    reason = read_text(value)[:LONGEST_REASON]
    return "" if reason.upper() == "NONE" else reason
