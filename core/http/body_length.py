"""Reject a request body that is shorter than its Content-Length, under any WSGI server.

Granian and gunicorn end a truncated body like a complete one. They also set
`wsgi.input_terminated`, which makes Werkzeug trust them. Without it, Werkzeug counts the bytes and
raises ClientDisconnected. For chunked bodies only gunicorn reports a truncation; JSON shows its own
end, and files need a Content-Length (api/v1).
"""

from collections.abc import Callable, Iterable
from typing import Any

Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class _Chunks:
    """A chunked body. gunicorn raises its own errors for a broken chunk; Werkzeug expects
    OSError.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        try:
            return bytes(self._stream.read(size))
        except OSError:
            raise
        except Exception as error:
            raise OSError("broken chunk") from error


def refuse_short_bodies(app: Wsgi) -> Wsgi:
    def counted(environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        if "HTTP_TRANSFER_ENCODING" in environ:
            environ["wsgi.input"] = _Chunks(environ["wsgi.input"])
        elif environ.get("CONTENT_LENGTH"):
            environ.pop("wsgi.input_terminated", None)
        return app(environ, start_response)

    return counted
