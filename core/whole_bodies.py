"""A request body that is shorter than its Content-Length is refused, whichever server runs the app.

Granian and gunicorn end a body that broke off like a whole one. They also set
`wsgi.input_terminated`, and with it Werkzeug trusts them. Without it, Werkzeug counts the bytes and
raises ClientDisconnected.
"""

from collections.abc import Callable, Iterable
from typing import Any

Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


def count_body_bytes(app: Wsgi) -> Wsgi:
    def counted(environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("CONTENT_LENGTH") and "HTTP_TRANSFER_ENCODING" not in environ:
            environ.pop("wsgi.input_terminated", None)
        return app(environ, start_response)

    return counted
