"""Ask the network about a line and describe its problems."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from core.http import OutboundError
from core.http.async_client import Client
from core.http.reply import MAX_BODY
from messaging import reasons
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.errors import (
    TOKEN_REJECTED,
    UNKNOWN_PHONE_NUMBER_ID,
    error_meaning,
    status_meaning,
)
from messaging.lines.drivers.cloud.field_readers import (
    read_id,
    read_object,
    read_objects,
    read_text,
)
from messaging.lines.drivers.cloud.responses import api_error, bearer_header, read_json
from messaging.reasons import with_detail

_FIELDS = "id,display_phone_number,verified_name,quality_rating,status,webhook_configuration"
# What this service reads. Echoes, standby and hand-overs come only for numbers that use them.
WEBHOOK_FIELDS = (
    "messages",
    "smb_message_echoes",
    "standby",
    "messaging_handovers",
    "user_preferences",
    "account_update",
    "phone_number_quality_update",
    "message_template_status_update",
    "message_template_quality_update",
    "message_template_components_update",
    "template_category_update",
)
_RESTRICTED = {"BANNED", "RESTRICTED", "RATE_LIMITED", "FLAGGED"}
_NOT_READY = {"DISCONNECTED", "DELETED", "MIGRATED", "PENDING", "UNVERIFIED", "OFFLINE"}


@dataclass(frozen=True)
class LineProblem:
    """A problem of a line, as a code and a sentence.

    `code` is token_expired, restricted, wrong_phone_number_id, number_not_ready, quality_low,
    webhook_not_subscribed, webhook_elsewhere, webhook_fields_missing or network_unreachable.
    """

    code: str
    reason: str


async def check_line(
    client: Client,
    base_url: str,
    version: str,
    facts: LineFacts,
    *,
    callback_url: str = "",
    account_id: str = "",
) -> list[LineProblem]:
    """Return the problems of a line; empty if there are none.

    With `account_id`, the account's webhook subscription is checked too.
    """
    at = f"{base_url}/{version}"
    number = await get_json(
        client, f"{at}/{quote(facts.phone_number_id, safe='')}?fields={_FIELDS}", facts
    )
    if isinstance(number, LineProblem):
        return [number]
    found = _number(number) + _webhook(number, callback_url)
    if account_id:
        apps = await get_json(client, f"{at}/{quote(account_id, safe='')}/subscribed_apps", facts)
        if isinstance(apps, LineProblem):
            found.append(apps)
        elif not apps.get("data"):
            found.append(
                LineProblem(
                    "webhook_not_subscribed",
                    reasons.NOT_SUBSCRIBED,
                )
            )
        else:
            found += await _missing_fields(client, at, facts, read_objects(apps["data"]))
    return found


async def _missing_fields(
    client: Client, at: str, facts: LineFacts, apps: list[dict[str, Any]]
) -> list[LineProblem]:
    """Compare the fields that the app subscribes to with those that this service reads.

    Only the app itself may read its subscriptions, with its id and secret. Of several apps of the
    account, the one that the line's app secret belongs to answers. Without an answer there is no
    problem to report.
    """
    if not facts.app_secret:
        return []
    for app in apps:
        app_id = read_id(read_object(app, "whatsapp_business_api_data").get("id"))
        if not app_id.isdecimal():
            continue
        own = replace(facts, token=f"{app_id}|{facts.app_secret}")
        answer = await get_json(client, f"{at}/{app_id}/subscriptions", own)
        if isinstance(answer, LineProblem):
            continue
        subscribed = {
            read_text(one.get("name"))
            for subscription in read_objects(answer.get("data"))
            if subscription.get("object") == "whatsapp_business_account"
            and subscription.get("active") is not False
            for one in read_objects(subscription.get("fields"))
        }
        missing = [name for name in WEBHOOK_FIELDS if name not in subscribed]
        if not missing:
            return []
        named = with_detail(reasons.FIELDS_MISSING, f"{', '.join(missing)}.")
        return [LineProblem("webhook_fields_missing", named)]
    return []


async def get_json(
    client: Client, url: str, facts: LineFacts, *, max_body: int = MAX_BODY
) -> dict[str, Any] | LineProblem:
    """Return the network's JSON response, or the problem that prevented it."""
    authorization = bearer_header(facts.token)
    if authorization is None:
        return LineProblem("token_expired", TOKEN_REJECTED.reason)
    if not facts.phone_number_id:
        return LineProblem("wrong_phone_number_id", reasons.NO_PHONE_NUMBER_ID)
    try:
        reply = await client.request(
            "GET", url, headers={"Authorization": authorization}, max_body=max_body
        )
    except OutboundError as error:
        return LineProblem(
            "network_unreachable", with_detail(reasons.UNREACHABLE_BECAUSE, f"{error}.")
        )
    answer = read_json(reply.body)
    fault = api_error(answer)
    if reply.ok and isinstance(answer, dict) and fault is None:
        return answer
    known = error_meaning(fault.code, fault.subcode) if fault else None
    known = known or status_meaning(reply.status)
    if known is UNKNOWN_PHONE_NUMBER_ID or (fault and fault.code == 100):
        return LineProblem("wrong_phone_number_id", UNKNOWN_PHONE_NUMBER_ID.reason)
    return LineProblem(known.line_state or "network_unreachable", known.reason)


def _number(number: dict[str, Any]) -> list[LineProblem]:
    found = []
    status = str(number.get("status") or "").upper()
    if status in _RESTRICTED:
        found.append(LineProblem("restricted", with_detail(reasons.NUMBER_STATUS, f"{status}.")))
    elif status in _NOT_READY:
        found.append(
            LineProblem("number_not_ready", with_detail(reasons.NUMBER_NOT_READY, f"{status}."))
        )
    if str(number.get("quality_rating") or "").upper() == "RED":
        found.append(
            LineProblem(
                "quality_low",
                reasons.QUALITY_LOW,
            )
        )
    return found


def _webhook(number: dict[str, Any], callback_url: str) -> list[LineProblem]:
    places = number.get("webhook_configuration")
    urls = list(places.values()) if isinstance(places, dict) else []
    if not urls:
        return [
            LineProblem(
                "webhook_not_subscribed",
                reasons.NO_CALLBACK,
            )
        ]
    if callback_url and callback_url not in urls:
        return [
            LineProblem(
                "webhook_elsewhere",
                with_detail(reasons.OTHER_CALLBACK, f"{urls[0]}."),
            )
        ]
    return []
