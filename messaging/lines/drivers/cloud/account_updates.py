"""Read the network's updates about an account, a number or a template."""

from typing import Any

from messaging.lines.drivers.base import LineUpdate
from messaging.lines.drivers.cloud.field_readers import (
    flat_copy,
    read_object,
    read_objects,
    read_phone,
    read_text,
    read_timestamp,
)

_QUALITY_DROPS = {"FLAGGED", "DOWNGRADE"}
_RESTRICTING = {
    "ACCOUNT_RESTRICTION": "The network has restricted this business account.",
    "ACCOUNT_DELETED": "The business account was deleted.",
    "ACCOUNT_OFFBOARDED": "The business account was taken off the network.",
    "ACCOUNT_VIOLATION": "The network says that this business account broke a policy.",
    "PARTNER_REMOVED": "The app's access to this business account was withdrawn.",
    "PARTNER_APP_UNINSTALLED": "The app was removed from this business account.",
}
_TEMPLATE_FIELDS = {
    "message_template_status_update",
    "message_template_quality_update",
    "message_template_components_update",
    "template_category_update",
}


def read_account_update(field: str, account_id: str, value: dict[str, Any]) -> list[LineUpdate]:
    """Read one update. Kinds: restricted, restored, quality, template, marketing, account.

    `detail` has `field`, `account_id` and the network's values; `because` is a sentence. An update
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
    if field == "account_update":
        kind, because = _account(event, value)
    elif field == "phone_number_quality_update":
        kind, because = "quality", _quality(event, value)
        detail["worse"] = event in _QUALITY_DROPS
    elif field in _TEMPLATE_FIELDS:
        kind, because = "template", _template(event, value)
    else:
        kind, because = "account", ""
    return [LineUpdate(kind, {**detail, "because": because})]


def _account(event: str, value: dict[str, Any]) -> tuple[str, str]:
    if event == "DISABLED_UPDATE":
        ban = read_text(read_object(value, "ban_info").get("waba_ban_state")).upper()
        if ban == "REINSTATE":
            return "restored", "The network has opened this business account again."
        if ban == "SCHEDULE_FOR_DISABLE":
            return "account", "The network is about to close this business account."
        return "restricted", "The network has closed this business account."
    if event in ("ACCOUNT_RECONNECTED", "ACCOUNT_RESTORED"):
        return "restored", "The network has opened this business account again."
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
        because = f"{because} It names {', '.join(types)}."
    # A violation is a warning; a restriction comes as a separate update.
    return ("account" if event == "ACCOUNT_VIOLATION" else "restricted"), because


def _quality(event: str, value: dict[str, Any]) -> str:
    limit = read_text(value.get("current_limit"))
    allowed = f" It may now reach {limit.removeprefix('TIER_')} people a day." if limit else ""
    if event in _QUALITY_DROPS:
        return f"Recipients block or report this number; its quality has fallen.{allowed}"
    return f"The network has changed what this number may send.{allowed}"


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
