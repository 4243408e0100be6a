"""The Flask app of the web process, with shorter ways for what Flask repeats in every request."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

from flask import Request, Response
from flask.globals import request_ctx
from flask_openapi3.openapi import OpenAPI
from werkzeug.routing import MapAdapter
from werkzeug.wsgi import get_host

from core.http.current import current_request
from core.http.json_response import JsonProvider

# Blueprints that programs call. They have no session, no form and no signed-in person.
PROGRAM_BLUEPRINTS = frozenset({"v1", "hooks"})

Hook = Callable[..., Any]


class _Hooks(NamedTuple):
    """The functions that run before and after the requests of one endpoint, in order."""

    before: list[Hook]
    after: list[Hook]
    has_session: bool


class WebApp(OpenAPI):
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
