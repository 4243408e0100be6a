"""The objects behind Flask's `request`, `g` and `current_app`.

Every access through those looks the object up again, in four function calls. Code that runs for
every request takes the object itself. Only to be called during a request.
"""

from typing import Any

from flask import Flask, Request
from flask.globals import _cv_app, _cv_request  # Flask's own variables, without the proxies


def current_request() -> Request:
    return _cv_request.get().request


def current_g() -> Any:
    return _cv_app.get().g


def current_flask() -> Flask:
    return _cv_app.get().app
