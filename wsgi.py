"""Builds the web application. `wsgi:app` runs on any WSGI server."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import click
from flask import Request, Response
from flask.cli import ScriptInfo
from flask.globals import request_ctx
from flask_migrate import Migrate
from flask_openapi3.openapi import OpenAPI
from prometheus_client import Counter, Histogram
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import MapAdapter
from werkzeug.wsgi import get_host

from api.blueprints import register_api
from api.current import current_g, current_request
from api.errors import add_api_headers, is_api_request, response_for, validation_error_response
from api.openapi_routes import INFO, SECURITY_SCHEMES
from api.schemas import ErrorBody
from core.app_setup import configure_app
from core.db import Base, db
from core.http.body_length import refuse_short_bodies
from core.http.json_response import JsonProvider
from core.logs import bind_request, log_request, logger, new_request_id
from core.queue.tenant_waiters import configure_waiters
from core.queue.wakeups import gather_wakeups
from core.settings import Settings, SettingsError, load_settings
from deploy.demo.commands import add_demo_commands
from messaging.lines.simulated_line import refuse_live_simulated_lines
from messaging.messages.sending.direct import DirectSender
from messaging.messages.sync_wait import configure_sync_wait
from messaging.messages.sync_wait_limits import configure_sync_wait_limits
from portal.web.app import portal_error_response, setup_portal
from portal.web.headers import add_security_headers
from restaurant.wiring import wire_domains
from tenants.audit import SYSTEM, set_actor
from tenants.passwords import use_cheap_hashes

log = logger("comanda.web")

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REQUESTS = Counter("http_requests_total", "Answers by route and status", ["route", "status"])
DURATION = Histogram("http_request_seconds", "Time to answer", ["route"])
# Blueprints that programs call. They have no session, no form and no signed-in person.
PROGRAM_BLUEPRINTS = frozenset({"v1", "hooks", "print_agents"})

Hook = Callable[..., Any]


class _Hooks(NamedTuple):
    """The functions that run before and after the requests of one endpoint, in order."""

    before: list[Hook]
    after: list[Hook]
    has_session: bool


class WebApp(OpenAPI):
    """Flask, with shorter ways for what it repeats in every request."""

    json_provider_class = JsonProvider

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._hooks: dict[str | None, _Hooks] = {}
        self._page_hooks: set[Hook] = set()
        self._host = lru_cache(maxsize=1024)(self._checked_host)
        super().__init__(*args, **kwargs)

    @contextmanager
    def hooks_for_pages(self) -> Iterator[None]:
        """Hooks that are added meanwhile do not run for the blueprints that programs call."""
        known = self._hooks_of_app()
        yield
        self._page_hooks |= self._hooks_of_app() - known

    def ensure_sync(self, func: Hook) -> Hook:
        """No view or hook is a coroutine. Flask asks for each of them in every request."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """As in Flask, but a host that was seen before is not checked and encoded again."""
        config = self.config
        if (
            request is None
            or config["TRUSTED_HOSTS"] is not None
            or config["SERVER_NAME"] is not None
            or "HTTP_UPGRADE" in request.environ
        ):
            return super().create_url_adapter(request)
        environ = request.environ
        scheme = environ["wsgi.url_scheme"]
        request.host, server_name = self._host(
            scheme,
            environ.get("HTTP_HOST"),
            environ.get("SERVER_NAME"),
            environ.get("SERVER_PORT"),
        )
        return MapAdapter(
            self.url_map,
            server_name,
            _text(environ.get("SCRIPT_NAME", "/")),
            "",
            scheme,
            _text(environ.get("PATH_INFO", "/")),
            environ["REQUEST_METHOD"],
            _text(environ.get("QUERY_STRING", "")),
        )

    def preprocess_request(self) -> Any:
        """As in Flask, without `url_value_preprocessors`, of which there are none."""
        for hook in self._hooks_of(current_request()).before:
            answer = hook()
            if answer is not None:
                return answer
        return None

    def process_response(self, response: Response) -> Response:
        context = request_ctx._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
        hooks = self._hooks_of(context.request)
        for hook in context._after_request_functions:  # noqa: SLF001
            response = hook(response)
        for hook in hooks.after:
            response = hook(response)
        session = context._session  # noqa: SLF001
        if hooks.has_session and not self.session_interface.is_null_session(session):
            self.session_interface.save_session(self, session, response)
        return response

    def _checked_host(
        self, scheme: str, header: str | None, name: str | None, port: str | None
    ) -> tuple[str, str]:
        """The host of the request and its ASCII form. Raises SecurityError and BadHost."""
        environ = {"HTTP_HOST": header, "SERVER_NAME": name, "SERVER_PORT": port}
        known = {field: value for field, value in environ.items() if value is not None}
        host = get_host({"wsgi.url_scheme": scheme, **known})
        return host, self.url_map.bind(host).server_name

    def _hooks_of_app(self) -> set[Hook]:
        before, after = self.before_request_funcs, self.after_request_funcs
        return {*before.get(None, ()), *after.get(None, ())}

    def _hooks_of(self, request: Request) -> _Hooks:
        """Collected at the first request of an endpoint; Flask refuses new hooks after that."""
        found = self._hooks.get(request.endpoint)
        if found is None:
            blueprints = request.blueprints
            is_page = PROGRAM_BLUEPRINTS.isdisjoint(blueprints)
            skipped = set() if is_page else self._page_hooks
            before, after = self.before_request_funcs, self.after_request_funcs
            found = self._hooks[request.endpoint] = _Hooks(
                [
                    hook
                    for name in (None, *reversed(blueprints))
                    for hook in before.get(name, ())
                    if hook not in skipped
                ],
                [
                    hook
                    for name in (*blueprints, None)
                    for hook in reversed(after.get(name, ()))
                    if hook not in skipped
                ],
                is_page,
            )
        return found


def _text(value: str) -> str:
    """What a client wrote as UTF-8. WSGI passes each byte as one character."""
    return value.encode("latin-1").decode("utf-8", "replace")


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
    configure_waiters(settings.redis_url, settings.waiting_readers)
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
    with app.hooks_for_pages():
        setup_portal(app, settings)
    add_security_headers(app, settings)
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
