"""A server that speaks the OpenAI protocol: /chat/completions and /audio/transcriptions."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], Any]


class FakeModel:
    """`answer` gets the JSON of the user's message and returns what the model writes."""

    def __init__(self, answer: Answer, transcript: str = "") -> None:
        self.answer, self.transcript = answer, transcript
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.forms: list[bytes] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.headers.append(dict(self.headers))
                if self.path == "/v1/audio/transcriptions":
                    outer.forms.append(body)
                    self.send(200, {"text": outer.transcript})
                elif self.path == "/v1/chat/completions":
                    request = json.loads(body)
                    outer.requests.append(request)
                    self.send(*outer.reply(request))
                else:
                    self.send(404, {"error": {"message": "not found"}})

            def send(self, status: int, body: dict[str, Any]) -> None:
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
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def reply(self, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        assert request["response_format"]["type"] == "json_schema"
        system, user = request["messages"]
        assert (system["role"], user["role"]) == ("system", "user")
        written = self.answer(json.loads(user["content"]))
        if isinstance(written, int):
            return written, {"error": {"message": "refused"}}
        content = written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)
        return 200, {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": request["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": content},
                }
            ],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
