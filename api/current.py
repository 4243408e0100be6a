"""The objects behind Flask's `request`, `g` and `current_app`.

Every access through those looks the object up again, in four function calls. Code that runs for
every request takes the object once. Only to be called during a request.
"""

from typing import Any

from flask import Flask, Request, current_app, g, request


def current_request() -> Request:
    found: Request = request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    return found


def current_g() -> Any:
    return g._get_current_object()  # noqa: SLF001


def current_flask() -> Flask:
    found: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    return found
