"""Read the network's updates about an account, a number or a template."""

import re
from datetime import date
from typing import Any

from core.logs import logger
from core.values.reasons import encode_reason
from messaging import reasons
from messaging.lines.drivers.base import LineUpdate
from messaging.lines.drivers.cloud.field_readers import (
    flat_copy,
    read_object,
    read_objects,
    read_phone,
    read_text,
    read_timestamp,
)
from messaging.lines.drivers.cloud.number_limits import read_recipient_limit

_MONTH = re.compile(r"(20[0-9]{2})-(0[1-9]|1[0-2])", re.ASCII)
log = logger(__name__)
_QUALITY_DROPS = {"FLAGGED", "DOWNGRADE"}
_RESTRICTING = {
    "ACCOUNT_RESTRICTION": reasons.ACCOUNT_RESTRICTED,
    "ACCOUNT_DELETED": reasons.ACCOUNT_DELETED,
    "ACCOUNT_OFFBOARDED": reasons.ACCOUNT_OFFBOARDED,
    "ACCOUNT_VIOLATION": reasons.ACCOUNT_VIOLATION,
    "PARTNER_REMOVED": reasons.PARTNER_REMOVED,
    "PARTNER_APP_UNINSTALLED": reasons.APP_UNINSTALLED,
}
_TEMPLATE_FIELDS = {
    "message_template_status_update",
    "message_template_quality_update",
    "message_template_components_update",
    "template_category_update",
}


def read_account_update(field: str, account_id: str, value: dict[str, Any]) -> list[LineUpdate]:
    """Read one update.

    Kinds: restricted, restored, quality, capability, template, marketing, pricing_tier, account.

    `detail` has `field`, `account_id` and the network's values; `because` is a reason. An update
    about one number has it in `phone`, because these webhooks have no phone_number_id.
    """
    if field == "user_preferences":
        return [_preference(one) for one in read_objects(value.get("user_preferences"))]
    detail = {**flat_copy(value), "field": field, "account_id": account_id}
    if phone := read_phone(value.get("display_phone_number")) or read_phone(
        value.get("phone_number")
    ):
        detail["phone"] = phone
    event = read_text(value.get("event")).upper()
    if field == "account_update" and event == "VOLUME_BASED_PRICING_TIER_UPDATE":
        return _pricing_tier(account_id, read_object(value, "volume_tier_info"))
    if field == "account_update":
        kind, because = _account(event, value)
    elif field == "phone_number_quality_update":
        kind, because = "quality", _quality(event, value)
        detail["worse"] = event in _QUALITY_DROPS
    elif field == "business_capability_update":
        kind, because = "capability", ""
    elif field in _TEMPLATE_FIELDS:
        kind, because = "template", _template(event, value)
    else:
        kind, because = "account", ""
    return [LineUpdate(kind, {**detail, "because": because})]


def _account(event: str, value: dict[str, Any]) -> tuple[str, str]:
    if event == "DISABLED_UPDATE":
        ban = read_text(read_object(value, "ban_info").get("waba_ban_state")).upper()
        if ban == "REINSTATE":
            return "restored", reasons.ACCOUNT_REOPENED
        if ban == "SCHEDULE_FOR_DISABLE":
            return "account", reasons.ACCOUNT_CLOSING
        return "restricted", reasons.ACCOUNT_CLOSED
    if event in ("ACCOUNT_RECONNECTED", "ACCOUNT_RESTORED"):
        return "restored", reasons.ACCOUNT_REOPENED
    if event not in _RESTRICTING:
        return "account", ""
    because = _RESTRICTING[event]
    types = [
        read_text(one.get("restriction_type"))
        for one in read_objects(value.get("restriction_info"))
    ]
    if violation := read_text(read_object(value, "violation_info").get("violation_type")):
        types.append(violation)
    if types := [one for one in types if one]:
        named = encode_reason(reasons.VIOLATIONS_NAMED, types=", ".join(types))
        because = encode_reason(because, then=named)
    # A violation is a warning; a restriction comes as a separate update.
    return ("account" if event == "ACCOUNT_VIOLATION" else "restricted"), because


def _pricing_tier(account_id: str, info: dict[str, Any]) -> list[LineUpdate]:
    """Read a volume tier, such as "25000001:50000000". One that cannot be read is left out."""
    lower = read_text(info.get("tier")).partition(":")[0]
    month = _MONTH.fullmatch(read_text(info.get("effective_month")))
    category, region = read_text(info.get("pricing_category")), read_text(info.get("region"))
    category = category.lower().replace("authentication_international", "authentication")
    if not month or not lower.isdecimal() or len(lower) > 15 or not category or not region:
        log.warning("pricing tier unreadable", account=account_id, tier=lower[:40])
        return []
    detail = {
        "account_id": account_id,
        "region": region,
        "category": category,
        "month": date(int(month[1]), int(month[2]), 1),
        "from_messages": int(lower),
        "at": read_timestamp(info.get("tier_update_time")),
    }
    return [LineUpdate("pricing_tier", detail)]


def _quality(event: str, value: dict[str, Any]) -> str:
    given = value.get("max_daily_conversations_per_business") or value.get("current_limit")
    limit = read_recipient_limit(given)
    allowed = encode_reason(reasons.DAILY_LIMIT, limit=limit) if limit else ""
    if event in _QUALITY_DROPS:
        return encode_reason(reasons.QUALITY_FALLEN, then=allowed)
    return encode_reason(reasons.LIMIT_CHANGED, then=allowed)


def _template(event: str, value: dict[str, Any]) -> str:
    name = read_text(value.get("message_template_name"))
    reason = read_text(value.get("reason"))
    if event and name:
        why = f" ({reason})" if reason and reason.upper() != "NONE" else ""
        return f"The template {name} is now {event.lower().replace('_', ' ')}{why}."
    return f"The template {name} has changed." if name else ""


def _preference(one: dict[str, Any]) -> LineUpdate:
    return LineUpdate(
        "marketing",
        {
            "field": "user_preferences",
            "phone": read_phone(one.get("wa_id")),
            "network_id": read_text(one.get("user_id")),
            "value": read_text(one.get("value")),  # stop, resume or signup
            "at": read_timestamp(one.get("timestamp")),
            "because": read_text(one.get("detail")),
        },
    )
