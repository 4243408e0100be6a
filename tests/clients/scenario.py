"""One scenario of forty calls, run by the client of every language with the same result."""

import json
import re
from datetime import datetime
from typing import Any

PHONE, OTHER = "905321112233", "905321112244"
ASYNC = {"wait": 0}
STEPS: list[dict[str, Any]] = [
    {"call": "me", "pick": ["plan", "limits"]},
    {"call": "send", "args": [PHONE, "Merhaba ığüşöç"], "options": {"reference": "a"}, "as": "a"},
    {"call": "send", "args": [PHONE, "once"], "options": {"idempotencyKey": "k1"}, "as": "b"},
    {"call": "send", "args": [PHONE, "once"], "options": {"idempotencyKey": "k1"}},
    {"call": "send", "args": [PHONE, "other"], "options": {"idempotencyKey": "k1"}},
    {"call": "send", "args": ["+90 532", "x"]},
    {"call": "send", "args": [PHONE, ""]},
    {"call": "send", "args": [PHONE, "x"], "options": {"instance_id": 999999}},
    {"call": "send", "args": ["905550000002", "closed"], "options": {"wait": 30}},
    {"call": "send", "args": ["905550000001", "gone"], "options": {"wait": 30}},
    {
        "call": "send",
        "args": [PHONE, "later"],
        "options": {"scheduled_at": "2026-12-01T10:00:00Z", "reference": "later"},
        "as": "later",
    },
    {"call": "sendMedia", "args": [PHONE, "https://example.com/a.png", "image"], "options": ASYNC},
    {
        "call": "sendMedia",
        "args": [PHONE, "https://example.com/a.pdf", "document"],
        "options": {"caption": "Menu", "filename": "menu.pdf", **ASYNC},
    },
    {"call": "sendMedia", "args": [PHONE, "ftp://example.com/a.pdf", "document"]},
    {"call": "sendMedia", "args": [PHONE, "https://example.com/a.pdf", "poem"]},
    {"call": "sendLocation", "args": [PHONE, 41.0082, 28.9784], "options": ASYNC},
    {
        "call": "sendLocation",
        "args": [PHONE, 41.0, 28.9],
        "options": {"name": "Mavi", "address": "Moda Cd. 12", **ASYNC},
    },
    {"call": "sendLocation", "args": [PHONE, 95, 28.9]},
    {
        "call": "sendTemplate",
        "args": [PHONE, "order_confirmation", "tr", ["Ada", "M-1"]],
        "options": {"reference": "t", **ASYNC},
    },
    {"call": "sendTemplate", "args": [PHONE, "hello_world", "en_US"], "options": ASYNC},
    {"call": "message", "args": ["$a.id"], "pick": ["text", "phone", "direction", "reference"]},
    {"call": "message", "args": ["msg_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"]},
    {"call": "message", "args": ["no such id"]},
    {"call": "cancel", "args": ["$later.id"], "pick": ["status_code", "text"]},
    {"call": "cancel", "args": ["$a.id"]},
    {"call": "messages", "filters": {"reference": "a", "page": 1}, "pick": ["text", "reference"]},
    {"call": "messages", "filters": {"reference": "later"}, "pick": ["status_code"]},
    {"call": "messages", "filters": {"direction": "in"}},
    {"call": "messages", "filters": {"direction": "sideways"}},
    {"call": "addContact", "facts": {"name": "Ayşe", "phone": PHONE, "tags": ["vip"]}, "as": "c"},
    {"call": "addContact", "facts": {"name": "Mert", "phone": OTHER, "tags": ["vip"]}, "as": "m"},
    {"call": "addContact", "facts": {"name": "Ayşe", "phone": PHONE}},
    {"call": "addContact", "facts": {"name": "Nobody", "phone": "0532"}},
    {"call": "contact", "args": ["$c.id"], "pick": ["name", "phone", "tags", "opted_out"]},
    {
        "call": "changeContact",
        "args": ["$c.id"],
        "facts": {"opted_out": True, "fields": {}},
        "pick": ["name", "fields"],
    },
    {"call": "contacts", "filters": {"tag": "vip", "page": 1}, "pick": ["name"]},
    {"call": "contacts", "filters": {"opted_out": True}, "pick": ["name", "opted_out"]},
    {"call": "removeContact", "args": ["$m.id"]},
    {"call": "contact", "args": ["$m.id"]},
    {"call": "contacts", "filters": {"search": "Ayşe"}, "pick": ["name"]},
]
VOLATILE = re.compile(r"(?:\w+_)?[0-9A-HJKMNP-TV-Z]{26}|wamid\.[\w=+/-]+|\d{4}-\d\d-\d\dT[\d:.]+Z?")
HIDDEN = ("request_id", "key", "created_at", "instance_id", "cost_usd")


def snake(name: str) -> str:
    return re.sub(r"([A-Z])", r"_\1", name).lower()


def run_in_python(client: Any, error: type[Exception]) -> list[Any]:
    saved: dict[str, Any] = {}
    return [_step(client, step, saved, error) for step in STEPS]


def _step(client: Any, step: dict[str, Any], saved: dict[str, Any], error: Any) -> Any:
    act = getattr(client, snake(step["call"]))
    args = [_resolved(one, saved) for one in step.get("args", [])]
    options = {snake(name): value for name, value in step.get("options", {}).items()}
    if "scheduled_at" in options:
        options["scheduled_at"] = datetime.fromisoformat(options["scheduled_at"])
    try:
        found = act(*args, **options, **step.get("filters", {}), **step.get("facts", {}))
        found = found if found is None or isinstance(found, dict) else _raw(found)
    except error as refused:
        return {
            "error": type(refused).__name__,
            "status": refused.status,
            "code": refused.code,
            "fields": [one["field"] for one in refused.errors],
        }
    if "as" in step:
        saved[step["as"]] = found
    return picked(found, step.get("pick"))


def _raw(found: Any) -> Any:
    return found.raw if hasattr(found, "raw") else [one.raw for one in found]


def _resolved(value: Any, saved: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith("$"):
        name, _, field = value[1:].partition(".")
        return saved[name][field]
    return value


def picked(found: Any, fields: list[str] | None) -> Any:
    if isinstance(found, list):
        return [picked(one, fields) for one in found]
    if isinstance(found, dict):
        return {name: found[name] for name in fields or sorted(found) if name not in HIDDEN}
    return found


def comparable(results: list[Any]) -> list[Any]:
    """Without ids and times, and with numbers as JSON writes them."""
    text = json.dumps(results, default=float, ensure_ascii=False, sort_keys=True)
    return list(json.loads(VOLATILE.sub("…", text)))
