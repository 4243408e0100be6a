"""Asks the network about a line and says in words what is wrong with it."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from core.outbound import OutboundError
from core.outbound.aio import Client
from core.outbound.reply import MAX_BODY
from messaging.lines import LineFacts
from messaging.lines.cloud_errors import EXPIRED, UNKNOWN_NUMBER, meaning_of, meaning_of_status
from messaging.lines.cloud_wire import api_error, bearer, read_json

_FIELDS = "id,display_phone_number,verified_name,quality_rating,status,webhook_configuration"
_RESTRICTED = {"BANNED", "RESTRICTED", "RATE_LIMITED", "FLAGGED"}
_NOT_READY = {"DISCONNECTED", "DELETED", "MIGRATED", "PENDING", "UNVERIFIED", "OFFLINE"}


@dataclass(frozen=True)
class Finding:
    """`code`: token_expired, restricted, wrong_phone_number_id, number_not_ready, quality_low,
    webhook_not_subscribed, webhook_elsewhere or network_unreachable."""

    code: str
    sentence: str


async def live_check(
    client: Client,
    base_url: str,
    version: str,
    facts: LineFacts,
    *,
    callback_url: str = "",
    account_id: str = "",
) -> list[Finding]:
    """Empty when all is well. With `account_id` the account's subscription is looked at too."""
    at = f"{base_url}/{version}"
    number = await ask(
        client, f"{at}/{quote(facts.phone_number_id, safe='')}?fields={_FIELDS}", facts
    )
    if isinstance(number, Finding):
        return [number]
    found = _number(number) + _webhook(number, callback_url)
    if account_id:
        apps = await ask(client, f"{at}/{quote(account_id, safe='')}/subscribed_apps", facts)
        if isinstance(apps, Finding):
            found.append(apps)
        elif not apps.get("data"):
            found.append(
                Finding(
                    "webhook_not_subscribed",
                    "The app does not listen to this business account: subscribe it to the"
                    " account's webhooks.",
                )
            )
    return found


async def ask(
    client: Client, url: str, facts: LineFacts, *, max_body: int = MAX_BODY
) -> dict[str, Any] | Finding:
    """What the network answers to a question, or what is wrong with the asking."""
    authorization = bearer(facts.token)
    if authorization is None:
        return Finding("token_expired", EXPIRED.sentence)
    if not facts.phone_number_id:
        return Finding("wrong_phone_number_id", "The line has no phone number ID.")
    try:
        reply = await client.request(
            "GET", url, headers={"Authorization": authorization}, max_body=max_body
        )
    except OutboundError as error:
        return Finding("network_unreachable", f"The network could not be reached: {error}.")
    answer = read_json(reply.body)
    fault = api_error(answer)
    if reply.ok and isinstance(answer, dict) and fault is None:
        return answer
    known = meaning_of(fault.code, fault.subcode) if fault else None
    known = known or meaning_of_status(reply.status)
    if known is UNKNOWN_NUMBER or (fault and fault.code == 100):
        return Finding("wrong_phone_number_id", UNKNOWN_NUMBER.sentence)
    return Finding(known.line_state or "network_unreachable", known.sentence)


def _number(number: dict[str, Any]) -> list[Finding]:
    found = []
    status = str(number.get("status") or "").upper()
    if status in _RESTRICTED:
        found.append(Finding("restricted", f"The network has put this number under {status}."))
    elif status in _NOT_READY:
        found.append(
            Finding(
                "number_not_ready", f"The number cannot send yet; the network calls it {status}."
            )
        )
    if str(number.get("quality_rating") or "").upper() == "RED":
        found.append(
            Finding(
                "quality_low",
                "Recipients block or report this number often; the network may restrict it.",
            )
        )
    return found


def _webhook(number: dict[str, Any], callback_url: str) -> list[Finding]:
    places = number.get("webhook_configuration")
    urls = list(places.values()) if isinstance(places, dict) else []
    if not urls:
        return [
            Finding(
                "webhook_not_subscribed",
                "The network has no address to tell of answers and receipts: paste the callback"
                " URL and the verify token in the app's webhook settings.",
            )
        ]
    if callback_url and callback_url not in urls:
        return [
            Finding(
                "webhook_elsewhere",
                "The network tells of answers and receipts at another address than this line's"
                f" callback URL: {urls[0]}.",
            )
        ]
    return []
