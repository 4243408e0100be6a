"""A day of API calls for the demo's request log, masked like real ones."""

import json
import random
from datetime import timedelta
from typing import Any

from core.clock import now
from core.db import tenant_scope
from core.ids import new_id
from core.logs import new_request_id
from tenants import api_keys
from tenants import request_log as tenant_request_log
from tenants.masking import masked_body

CALLS = 64
HOURS = 20  # a fresh database has no partitions yet for the days before yesterday
MAVI = ("Siparişiniz yola çıktı, 15 dakikaya kapınızda.", "Masanız saat 20.00 için ayrıldı.")
KUMRU = ("Your parcel has left the workshop.", "Your mug is ready to be picked up.")
SEND, READ, ME = "POST /messages/send", "GET /messages/{message_id}", "GET /me"


def add_api_calls(tenant_id: int, key_name: str, texts: tuple[str, ...]) -> None:
    """The random generator has a fixed seed, so that the data is the same every time."""
    dice = random.Random(20260202)  # noqa: S311 - a demo, not a secret
    minutes = sorted(dice.sample(range(HOURS * 60), CALLS), reverse=True)
    with tenant_scope(tenant_id):
        key = next(key for key in api_keys.list_keys() if key.name == key_name)
        rows = []
        for ago in minutes:
            row = dict(_call(dice, texts), id=new_request_id(), at=now() - timedelta(minutes=ago))
            row |= {"key_id": key.id, "key_name": key.name, "address": "203.0.113.24"}
            rows.append(row)
    tenant_request_log.write_requests({tenant_id: rows})


def _call(dice: random.Random, texts: tuple[str, ...]) -> dict[str, Any]:
    message_id = new_id("msg")
    kind = dice.choices(("sent", "later", "bad", "fast", "read", "me"), (30, 8, 5, 2, 14, 5))[0]
    if kind == "me":
        return _row(ME, "/api/v1/me", 200, dice.randrange(6, 30), None, {"key": {"mode": "live"}})
    if kind == "read":
        path = f"/api/v1/messages/{message_id}"
        found = {"id": message_id, "status_code": "read", "phone": "905321110101", "text": "…" * 40}
        return _row(READ, path, 200, dice.randrange(7, 40), None, found)
    request_body = {"phone": "905321110101", "message": dice.choice(texts), "instance_id": 1}
    if kind == "bad":
        request_body["phone"] = "0532 111 01 01"
        answer = _refusal("invalid_phone", "phone must be digits only, country code first.")
        return _row(SEND, "/api/v1/messages/send", 422, dice.randrange(4, 12), request_body, answer)
    if kind == "fast":
        answer = _refusal("rate_limited", "More than 80 requests a second. Wait 1 s and try again.")
        return _row(SEND, "/api/v1/messages/send", 429, dice.randrange(2, 5), request_body, answer)
    answer = {
        "status": "success",
        "message_id": "wamid.HBgMOTA1MzIxMTEwMTAxFQIAERgS" if kind == "sent" else None,
        "status_code": "sent" if kind == "sent" else "queued",
        "cost_usd": 0.0053,
        "id": message_id,
        "phone": "905321110101",
        "test": False,
    }
    status, millis = (200, dice.randrange(60, 240)) if kind == "sent" else (202, 10_004)
    return _row(SEND, "/api/v1/messages/send", status, millis, request_body, answer)


def _refusal(code: str, message: str) -> dict[str, Any]:
    return {"status": "error", "code": code, "message": message, "errors": []}


def _row(
    call: str, path: str, status: int, millis: int, request_body: Any, answered: dict[str, Any]
) -> dict[str, Any]:
    body, code = masked_body(json.dumps(answered).encode())
    return {
        "method": call.partition(" ")[0],
        "path": path,
        "query": "",
        "call": call,
        "status": status,
        "code": code,
        "duration_ms": millis,
        "asked": masked_body(json.dumps(request_body).encode())[0] if request_body else "",
        "answered": body,
    }
