"""Builds the web application. `wsgi:app` runs on any WSGI server."""

import time
from functools import cache
from pathlib import Path
from typing import Any

import click
from flask import Response
from flask.cli import ScriptInfo
from flask_migrate import Migrate
from prometheus_client import Counter, Histogram
from werkzeug.middleware.proxy_fix import ProxyFix

from api.blueprints import register_api
from api.errors import add_api_headers, is_api_request, response_for, validation_error_response
from api.openapi_routes import INFO, SECURITY_SCHEMES
from api.schemas import ErrorBody
from core.app_setup import configure_app
from core.db import Base, db
from core.http.body_length import refuse_short_bodies
from core.http.current import current_g, current_request
from core.http.web_app import WebApp
from core.logs import bind_request, log_request, logger, new_request_id
from core.queue.wakeups import gather_wakeups
from core.settings import Settings, SettingsError, load_settings
from deploy.demo.commands import add_demo_commands
from messaging.lines.simulated_line import refuse_live_simulated_lines
from messaging.messages.sending.direct import DirectSender
from messaging.messages.sync_wait import configure_sync_wait
from messaging.messages.sync_wait_limits import configure_sync_wait_limits
from portal.web.app import portal_error_response, setup_portal
from restaurant.wiring import wire_domains
from tenants.audit import SYSTEM, set_actor
from tenants.passwords import use_cheap_hashes

log = logger("comanda.web")

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REQUESTS = Counter("http_requests_total", "Answers by route and status", ["route", "status"])
DURATION = Histogram("http_request_seconds", "Time to answer", ["route"])


def build_app(settings: Settings) -> WebApp:
    app = WebApp(
        "comanda",
        info=INFO,
        security_schemes=SECURITY_SCHEMES,
        validation_error_model=ErrorBody,
        validation_error_callback=validation_error_response,
        doc_ui=False,
        static_folder="portal/static",
        static_url_path="/static",
        root_path=str(Path(__file__).parent),
    )
    configure_app(app, settings)
    configure_sync_wait(settings.redis_url)
    configure_sync_wait_limits(settings.waiting_sends)
    app.extensions["direct_sends"] = DirectSender(app, settings)
    if settings.app_env == "test":
        use_cheap_hashes()
    app.wsgi_app = refuse_short_bodies(app.wsgi_app)  # type: ignore[method-assign, assignment]
    if settings.trusted_proxies:
        proxies = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, proxies, proxies, proxies)  # type: ignore[method-assign]
    Migrate(app, db, metadatas=Base.metadata)
    watch_requests(app)
    add_api_headers(app)
    wire_domains()
    register_api(app, settings.request_log_days)
    setup_portal(app, settings)
    add_demo_commands(app)

    @app.errorhandler(Exception)
    def answer_error(error: Exception) -> Any:
        return response_for(error) if is_api_request() else portal_error_response(error)

    return app


def watch_requests(app: WebApp) -> None:
    @app.before_request
    def begin() -> None:
        context, request_id = current_g(), new_request_id()
        context.request_id, context.began = request_id, time.perf_counter()
        bind_request(request_id)
        set_actor(SYSTEM)  # the thread may have served another person before

    @app.after_request
    def end(answer: Response) -> Response:
        context, request = current_g(), current_request()
        ended = time.perf_counter()
        seconds = ended - context.get("began", ended)
        rule, method = request.url_rule, request.method
        route = rule.rule if rule else "(none)"
        requests, duration = route_metrics(route, answer.status_code)
        requests.inc()
        duration.observe(seconds)
        log_request(
            log,
            context.get("request_id", ""),
            method=method if method in METHODS else "(other)",
            route=route,
            status=answer.status_code,
            duration_ms=round(seconds * 1000, 1),
            tenant_id=context.get("tenant_id"),
        )
        return answer


@cache
def route_metrics(route: str, status: int) -> tuple[Counter, Histogram]:
    """The metrics of a route, which are looked up once."""
    return REQUESTS.labels(route, status), DURATION.labels(route)


def create_app() -> WebApp:
    try:
        settings = load_settings()
        app = build_app(settings)
        if not _runs_a_command():
            with app.app_context():
                refuse_live_simulated_lines(settings)
                db.engine.dispose()  # a server may fork after this
            gather_wakeups(app)
    except SettingsError as error:
        raise SystemExit(str(error)) from None
    app.extensions["request_log"].runs = True
    return app


def _runs_a_command() -> bool:
    """Whether `flask` loads the app: its commands must be able to repair what stops a start."""
    context = click.get_current_context(silent=True)
    return context is not None and context.find_object(ScriptInfo) is not None


def __getattr__(name: str) -> WebApp:
    """`wsgi:app` is built on first access, so that importing this module is cheap."""
    if name == "app":
        globals()["app"] = create_app()
        return globals()["app"]  # type: ignore[no-any-return]
    raise AttributeError(name)
