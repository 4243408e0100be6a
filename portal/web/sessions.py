"""Sessions in a signed cookie. API requests carry none, so no cookie is read for them."""

from flask import Flask, Request, Response, g, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from flask_wtf.csrf import generate_csrf


def csrf_token() -> str:
    """The token for the forms of a page, which has up to fifty of them."""
    return str(g.get("csrf_token") or generate_csrf())


class CookieSessions(SecureCookieSessionInterface):
    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        if "HTTP_COOKIE" not in request.environ:
            return self.session_class()
        if self.get_cookie_name(app) not in request.cookies:
            return self.session_class()
        return super().open_session(app, request)

    def save_session(self, app: Flask, session: SecureCookieSession, response: Response) -> None:  # type: ignore[override]
        """Answers to programs do not depend on a cookie, so they carry no `Vary: Cookie`."""
        if not request.path.startswith(("/api/", "/hooks/")):
            super().save_session(app, session, response)
