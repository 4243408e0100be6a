"""JSON responses. They are sent as they are; Werkzeug would copy and correct their headers."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask, Response
from flask.json.provider import DefaultJSONProvider


class JsonResponse(Response):
    """For headers that are correct: ASCII in `Location`, and a body unless the status has none."""

    default_mimetype = "application/json"

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        body = self.response
        if self.status_code < 200 or self.status_code in (204, 304) or not isinstance(body, list):
            return super().__call__(environ, start_response)
        start_response(self.status, self.headers.to_wsgi_list())
        return () if environ["REQUEST_METHOD"] == "HEAD" else body


class JsonProvider(DefaultJSONProvider):
    """Flask's provider with one encoder. Flask makes an encoder for every response."""

    sort_keys = False
    ensure_ascii = False

    def __init__(self, app: Flask) -> None:
        super().__init__(app)
        self._encode = json.JSONEncoder(
            ensure_ascii=False, separators=(",", ":"), default=self.default
        ).encode

    def response(self, *args: Any, **kwargs: Any) -> Response:
        return self.answer(self._prepare_response_obj(args, kwargs), 200)

    def answer(self, body: Any, status: int) -> JsonResponse:
        written = self.dumps(body, indent=2) if self._app.debug else self._encode(body)
        return JsonResponse(f"{written}\n".encode(), status)
