"""A server that speaks the wire format of Meta's Conversions API."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

EVENT_FIELDS = {
    *("event_name", "event_time", "event_id", "action_source", "messaging_channel"),
    *("user_data", "custom_data"),
}


class FakeMeta:
    """`replies` are the next statuses; an empty list accepts. 0 breaks the connection."""

    def __init__(self) -> None:
        self.replies: list[int] = []
        self.events: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.tokens: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.paths.append(self.path)
                outer.tokens.append(self.headers["Authorization"])
                status = outer.replies.pop(0) if outer.replies else 200
                if status == 0:
                    outer.events += body["data"]
                    self.close_connection = True
                    return
                if status != 200:
                    fault = {"message": "Invalid parameter", "code": 100, "type": "OAuthException"}
                    self.answer(status, {"error": fault})
                    return
                for event in body["data"]:
                    assert set(event) == EVENT_FIELDS
                    assert event["action_source"] == "business_messaging"
                    assert event["messaging_channel"] == "whatsapp"
                    assert set(event["user_data"]) == {"whatsapp_business_account_id", "ctwa_clid"}
                    assert isinstance(event["event_time"], int)
                    assert isinstance(event["custom_data"]["value"], float)
                outer.events += body["data"]
                received = {"events_received": len(body["data"]), "messages": [], "fbtrace_id": "x"}
                self.answer(200, received)

            def answer(self, status: int, body: dict[str, Any]) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
