"""A request body that is shorter than its Content-Length is refused, whichever server runs the app.

Granian and gunicorn end a body that broke off like a whole one. They also set
`wsgi.input_terminated`, and with it Werkzeug trusts them. Without it, Werkzeug counts the bytes and
raises ClientDisconnected. Of chunked bodies only gunicorn tells that they broke off; there JSON
shows its own end, and files need a Content-Length (api/v1).
"""

from collections.abc import Callable, Iterable
from typing import Any

Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class _Chunks:
    """A chunked body. gunicorn has its own errors for a broken chunk; Werkzeug knows OSError."""

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
