"""Browsers in which a person has signed in before, identified by a signed cookie.

The cookie does not sign anybody in. It only gives the browser its own limit of sign-in attempts.
"""

from datetime import timedelta

from flask import Response, after_this_request, current_app, request

from core.ids import new_token
from core.security.signing import BadToken, read_token, sign_token
from core.settings import Settings
from tenants import signin
from tenants.models import Person

COOKIE = "comanda_device"
PURPOSE = "known-device"
COOKIE_LIFETIME = timedelta(days=180)
MOST_PEOPLE = 5  # people who can share one browser


def known_device(email: str) -> str:
    """The id of this browser for this person, or an empty string."""
    return _held().get(signin.device_key(email), "")


def remember_device(person: Person) -> None:
    """Called after a sign-in, or after a password was set through an e-mailed link."""
    keys, key = _held(), signin.device_key(person.email)
    name = keys.pop(key, "") or new_token(128)
    devices = dict([*keys.items(), (key, name)][-MOST_PEOPLE:])
    token = sign_token(_secret(), PURPOSE, devices, COOKIE_LIFETIME)

    @after_this_request
    def put(answer: Response) -> Response:
        answer.set_cookie(
            COOKIE,
            token,
            max_age=COOKIE_LIFETIME,
            path="/",
            secure=current_app.config["SESSION_COOKIE_SECURE"],
            httponly=True,
            samesite="Lax",
        )
        return answer


def _secret() -> str:
    settings: Settings = current_app.extensions["comanda"]
    return settings.secret_key


def _held() -> dict[str, str]:
    try:
        keys = read_token(_secret(), PURPOSE, request.cookies.get(COOKIE, ""))
    except BadToken:
        return {}
    return keys if isinstance(keys, dict) else {}
