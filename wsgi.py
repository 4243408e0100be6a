"""Composition root: the app with all its doors. `wsgi:app` serves it on any WSGI server."""

import time
from pathlib import Path
from typing import Any

from flask import Response, g, request
from flask_migrate import Migrate
from flask_openapi3.openapi import OpenAPI
from prometheus_client import Counter, Histogram
from werkzeug.middleware.proxy_fix import ProxyFix

from api.answers import add_api_headers, answer_for, in_api, refuse_invalid
from api.doors import open_api_doors
from api.reference import INFO, SECURITY_SCHEMES
from api.shapes import ErrorBody
from core.db import Base, db
from core.ground import lay_ground
from core.logs import bind_request, log_answer, logger, new_request_id
from core.settings import Settings, SettingsError, load_settings
from core.whole_bodies import count_body_bytes
from messaging.wait_limits import use_wait_limits
from messaging.waiting import use_waiting
from portal.doors import open_portal_doors, portal_answer_for
from restaurant import followers, guests
from restaurant.loyalty import gifts
from tenants.audit import SYSTEM, act_as
from tenants.passwords import use_cheap_hashes

log = logger("comanda.web")

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REQUESTS = Counter("http_requests_total", "Answers by route and status", ["route", "status"])
DURATION = Histogram("http_request_seconds", "Time to answer", ["route"])


def build_app(settings: Settings) -> OpenAPI:
    app = OpenAPI(
        "comanda",
        info=INFO,
        security_schemes=SECURITY_SCHEMES,
        validation_error_model=ErrorBody,
        validation_error_callback=refuse_invalid,
        doc_ui=False,
        static_folder="portal/static",
        static_url_path="/static",
        root_path=str(Path(__file__).parent),
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    lay_ground(app, settings)
    use_waiting(settings.redis_url)
    use_wait_limits(settings.waiting_sends)
    if settings.app_env == "test":
        use_cheap_hashes()
    app.wsgi_app = count_body_bytes(app.wsgi_app)  # type: ignore[method-assign, assignment]
    if settings.trusted_proxies:
        proxies = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, proxies, proxies, proxies)  # type: ignore[method-assign]
    Migrate(app, db, metadatas=Base.metadata)
    watch_requests(app)
    add_api_headers(app)
    guests.listen()
    followers.listen()
    gifts.listen()
    open_api_doors(app, settings.request_log_days)
    open_portal_doors(app, settings)

    @app.errorhandler(Exception)
    def answer_error(error: Exception) -> Any:
        return answer_for(error) if in_api() else portal_answer_for(error)

    return app


def watch_requests(app: OpenAPI) -> None:
    @app.before_request
    def begin() -> None:
        g.request_id, g.began = new_request_id(), time.perf_counter()
        bind_request(g.request_id)
        act_as(SYSTEM)  # a thread that served somebody before must not act in their name

    @app.after_request
    def end(answer: Response) -> Response:
        seconds = time.perf_counter() - g.get("began", time.perf_counter())
        route = request.url_rule.rule if request.url_rule else "(none)"
        REQUESTS.labels(route, answer.status_code).inc()
        DURATION.labels(route).observe(seconds)
        log_answer(
            log,
            g.get("request_id", ""),
            method=request.method if request.method in METHODS else "(other)",
            route=route,
            status=answer.status_code,
            duration_ms=round(seconds * 1000, 1),
            tenant_id=g.get("tenant_id"),
        )
        return answer


def create_app() -> OpenAPI:
    try:
        app = build_app(load_settings())
    except SettingsError as error:
        raise SystemExit(str(error)) from None
    app.extensions["request_log"].runs = True
    return app


def __getattr__(name: str) -> OpenAPI:
    """`wsgi:app` is made when a server asks for it, so that importing this module is free."""
    if name == "app":
        globals()["app"] = create_app()
        return globals()["app"]  # type: ignore[no-any-return]
    raise AttributeError(name)
