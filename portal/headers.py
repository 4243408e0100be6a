"""What a browser is told about every page: load from us alone, run only what we signed."""

import secrets
from functools import cache
from hashlib import blake2s
from pathlib import Path
from typing import Any

from flask import Flask, Response, g, request

from core.settings import Settings

FOR_A_YEAR = "public, max-age=31536000, immutable"


def csp_nonce() -> str:
    if "csp_nonce" not in g:
        g.csp_nonce = secrets.token_urlsafe(18)
    return str(g.csp_nonce)


def content_policy(nonce: str, live_url: str = "") -> str:
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' 'nonce-{nonce}'",
            f"style-src 'self' 'nonce-{nonce}'",
            "img-src 'self' data:",
            f"connect-src 'self' {live_url}".rstrip(),
            "font-src 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def stamp_static_files(app: Flask) -> None:
    """Addresses of our own files change with their content, so that they can be kept for long."""
    folder = Path(app.static_folder or "")

    @cache
    def stamp(filename: str) -> str:
        return blake2s((folder / filename).read_bytes(), digest_size=6).hexdigest()

    @app.url_defaults
    def add_stamp(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static" and (folder / values["filename"]).is_file():
            values["v"] = stamp(values["filename"])


def add_security_headers(app: Flask, settings: Settings) -> None:
    @app.after_request
    def headers(answer: Response) -> Response:
        answer.headers.setdefault("X-Content-Type-Options", "nosniff")
        if answer.mimetype == "application/json":
            return answer
        policy = content_policy(csp_nonce(), settings.live_url)
        answer.headers.setdefault("Content-Security-Policy", policy)
        answer.headers.setdefault("Referrer-Policy", "same-origin")
        answer.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
        answer.headers.setdefault("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
        if settings.https:
            answer.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
        if request.endpoint == "static" and "v" in request.args:
            answer.headers["Cache-Control"] = FOR_A_YEAR
        elif answer.mimetype == "text/html":
            answer.headers.setdefault("Cache-Control", "no-store")
        return answer
