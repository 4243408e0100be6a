"""A server that speaks the wire format of Meta's Conversions API."""

import json
from collections.abc import Mapping
from typing import Any

from tests.core.http.json_server import CUT, JsonServer

EVENT_FIELDS = {
    *("event_name", "event_time", "event_id", "action_source", "messaging_channel"),
    *("user_data", "custom_data"),
}


class FakeMeta(JsonServer):
    """`replies` are the next statuses; an empty list accepts. 0 breaks the connection."""

    def __init__(self) -> None:
        self.replies: list[int] = []
        self.events: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.tokens: list[str] = []
        super().__init__()

    def respond(
        self, path: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, Any]]:
        events = json.loads(body)["data"]
        self.paths.append(path)
        self.tokens.append(headers["Authorization"])
        status = self.replies.pop(0) if self.replies else 200
        if status not in (CUT, 200):
            fault = {"message": "Invalid parameter", "code": 100, "type": "OAuthException"}
            return status, {"error": fault}
        for event in events:
            assert set(event) == EVENT_FIELDS
            assert event["action_source"] == "business_messaging"
            assert event["messaging_channel"] == "whatsapp"
            assert set(event["user_data"]) == {"whatsapp_business_account_id", "ctwa_clid"}
            assert isinstance(event["event_time"], int)
            assert isinstance(event["custom_data"]["value"], float)
        self.events += events
        return status, {"events_received": len(events), "messages": [], "fbtrace_id": "x"}
