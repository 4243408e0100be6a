"""The objects behind Flask's `request` and `g`.

Every access through those two looks the object up again, in four function calls. Code that runs for
every request and needs several values takes the object once.
"""

from typing import Any

from flask import Request, g, request


def current_request() -> Request:
    found: Request = request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    return found


def current_g() -> Any:
    return g._get_current_object()  # noqa: SLF001
