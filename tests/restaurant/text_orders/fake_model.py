"""A server that speaks the OpenAI protocol: /chat/completions and /audio/transcriptions."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.core.http.json_server import JsonServer

Answer = Callable[[dict[str, Any]], Any]


class FakeModel(JsonServer):
    """`answer` gets the JSON of the user's message and returns what the model writes."""

    def __init__(self, answer: Answer, transcript: str = "") -> None:
        self.answer, self.transcript = answer, transcript
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.forms: list[bytes] = []
        super().__init__()

    def respond(
        self, path: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, Any]]:
        self.headers.append(dict(headers))
        if path == "/v1/audio/transcriptions":
            self.forms.append(body)
            return 200, {"text": self.transcript}
        if path == "/v1/chat/completions":
            request = json.loads(body)
            self.requests.append(request)
            return self.reply(request)
        return 404, {"error": {"message": "not found"}}

    @property
    def url(self) -> str:
        return f"{super().url}/v1"

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
