"""People's sessions, in a signed cookie. Programs bring none: nothing is unsigned for them."""

from flask import Flask, Request, Response, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface


class CookieSessions(SecureCookieSessionInterface):
    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        if self.get_cookie_name(app) not in request.cookies:
            return self.session_class()
        return super().open_session(app, request)

    def save_session(self, app: Flask, session: SecureCookieSession, response: Response) -> None:  # type: ignore[override]
        """API answers depend on no cookie, so they do not vary by one."""
        if not request.path.startswith("/api/"):
            super().save_session(app, session, response)
