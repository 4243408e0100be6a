"""Security headers of every page: content from this host only, scripts only with a nonce."""

import re
import secrets
from functools import cache, wraps
from hashlib import blake2s
from pathlib import Path, PurePosixPath
from typing import Any

from flask import Flask, Response, g, request

from core.http.json_response import JsonResponse
from core.settings import Settings

FOR_A_YEAR = "public, max-age=31536000, immutable"
# Types of files that refer to other static files, and how they do it.
REFERENCING_FILES = (".js", ".css")
FILE_REFERENCE = re.compile(rb'(?<=["(])((?:\./)?[\w-]+\.(?:js|svg))(?=[")])')


def csp_nonce() -> str:
    if "csp_nonce" not in g:
        g.csp_nonce = secrets.token_urlsafe(18)
    return str(g.csp_nonce)


def content_policy(nonce: str, live_url: str = "", tile_origin: str = "") -> str:
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' 'nonce-{nonce}'",
            f"style-src 'self' 'nonce-{nonce}'",
            f"img-src 'self' data: {tile_origin}".rstrip(),
            f"connect-src 'self' {live_url}".rstrip(),
            "font-src 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def version_static_files(app: Flask) -> None:
    """Put a content hash into the URLs of static files, so that browsers can cache them long.

    References inside a file, such as module imports, get the hash too.
    """
    folders = {
        "static": Path(app.static_folder or ""),
        "bootstrap.static": Path(app.blueprints["bootstrap"].static_folder or ""),
    }
    own = folders["static"]
    naming = {
        file.relative_to(own).as_posix()
        for file in own.rglob("*")
        if file.suffix in REFERENCING_FILES
    }

    @cache
    def written(filename: str) -> bytes:
        beside = PurePosixPath(filename).parent

        def stamped(found: re.Match[bytes]) -> bytes:
            name = str(beside / found[1].decode())
            if name == filename:  # the file mentions itself in a comment
                return found[1]
            return found[1] + f"?v={stamp('static', name)}".encode()

        return FILE_REFERENCE.sub(stamped, (own / filename).read_bytes())

    @cache
    def stamp(endpoint: str, filename: str) -> str:
        file = folders[endpoint] / filename
        if not file.is_file():
            return ""
        is_own_file = endpoint == "static" and filename in naming
        content = written(filename) if is_own_file else file.read_bytes()
        return blake2s(content, digest_size=6).hexdigest()

    @app.url_defaults
    def add_stamp(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint in folders and (found := stamp(endpoint, values["filename"])):
            values["v"] = found

    plain = app.view_functions["static"]

    @wraps(plain)
    def send(filename: str) -> Any:
        if filename not in naming:
            return plain(filename=filename)
        kind = "text/css" if filename.endswith(".css") else "text/javascript"
        answer = Response(written(filename), mimetype=kind)
        answer.headers["Cache-Control"] = "no-cache"
        answer.add_etag()
        return answer.make_conditional(request)

    app.view_functions["static"] = send


def add_security_headers(app: Flask, settings: Settings) -> None:
    @app.after_request
    def headers(answer: Response) -> Response:
        if isinstance(answer, JsonResponse):  # it is new and has none of these headers
            answer.headers.add("X-Content-Type-Options", "nosniff")
        else:
            answer.headers.setdefault("X-Content-Type-Options", "nosniff")
        if answer.mimetype == "application/json":
            return answer
        policy = content_policy(csp_nonce(), settings.live_url, settings.map_tile_origin)
        answer.headers.setdefault("Content-Security-Policy", policy)
        answer.headers.setdefault("Referrer-Policy", "same-origin")
        answer.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
        answer.headers.setdefault("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
        if settings.https:
            answer.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
        if request.endpoint in ("static", "bootstrap.static") and "v" in request.args:
            answer.headers["Cache-Control"] = FOR_A_YEAR
        elif answer.mimetype == "text/html":
            answer.headers.setdefault("Cache-Control", "no-store")
        return answer
