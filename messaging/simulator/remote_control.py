"""Ask the simulated network to act: a guest writes to a test line, or a test line is banned.

The network runs in its own process (`python -m messaging.simulator`), so these are calls over HTTP.
A line is registered first, because the network forgets its lines when it is restarted.
"""

import json
from typing import Any

from core.errors import TryAgain, invalid
from core.http import OutboundError, Policy
from core.http.sync_client import request
from core.settings import Settings
from messaging.models import Line
from messaging.simulator.access import SECRET_HEADER

SECONDS = 5.0


def write_to_line(settings: Settings, line: Line, phone: str, message: dict[str, Any]) -> str:
    """A simulated phone sends a message to the line. Returns the network's id of the message."""
    _register(settings, line)
    body = {"to_phone_number_id": line.phone_number_id, **message}
    answer = _call(settings, f"/phones/{phone}/messages", body)
    return str(answer["id"])


def change_line(settings: Settings, line: Line, change: str) -> None:
    """`ban`, `restore`, `lower_quality` or `raise_quality`: the network reports it by webhook."""
    _register(settings, line)
    _call(settings, f"/lines/{line.phone_number_id}/{change}", {})


def age_chats(settings: Settings, line: Line, seconds: int) -> None:
    """Every message in the line's chats was written this much earlier: windows close."""
    _register(settings, line)
    _call(settings, f"/lines/{line.phone_number_id}/clock", {"seconds": seconds})


def _register(settings: Settings, line: Line) -> None:
    facts = {
        "phone_number_id": line.phone_number_id,
        "phone": line.phone,
        "app_secret": line.app_secret,
        "callback_url": f"{settings.base_url}/hooks/cloud/{line.hook_token}",
        "tenant_id": line.tenant_id,
        "name": line.name,
    }
    _call(settings, "/lines", facts)


def _call(settings: Settings, path: str, body: dict[str, Any]) -> dict[str, Any]:
    url = f"{settings.simulator_url.rstrip('/')}/_sim{path}"
    try:
        reply = request(
            "POST",
            url,
            policy=Policy(allow_loopback=True),  # the operator's own server
            headers={SECRET_HEADER: settings.simulator_secret, "Content-Type": "application/json"},
            body=json.dumps(body).encode(),
            timeout=SECONDS,
        )
    except OutboundError:
        raise _unavailable() from None
    answer = json.loads(reply.body) if reply.body.startswith(b"{") else {}
    if reply.status == 422:
        raise invalid("text", "invalid_message", "{reason}", reason=str(answer.get("error", "")))
    if not reply.ok:
        raise _unavailable()
    return dict(answer)


def _unavailable() -> TryAgain:
    return TryAgain("simulator_unavailable", "The simulated network does not answer.")
