"""The one way in for hooks: find the address, limit the size, verify, store, wake a worker.

A kind of hook passes in its addresses, its limit, how to verify and how to store.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from flask import Response
from prometheus_client import Counter
from werkzeug.datastructures import Headers
from werkzeug.exceptions import RequestEntityTooLarge

from api.current import current_g, current_request
from api.hooks import error_reply
from api.hooks.address_cache import CHANGED_SECONDS, HookAddressCache
from core.http.json_response import JsonResponse
from webhooks.inbound.receive import store_hook

KIB = 1024
MIB = 1024 * KIB

HOOKS_REFUSED = Counter("hooks_refused_total", "Hooks whose signature did not fit", ["kind"])


class HookOwner(Protocol):
    @property
    def tenant_id(self) -> int: ...
    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...


Owner = TypeVar("Owner", bound=HookOwner)


@dataclass(frozen=True)
class HookToStore:
    facts: dict[str, str] | None = None
    """What of the headers is stored beside the body."""


class HookRefused(Exception):
    def __init__(
        self,
        code: str = "invalid_signature",
        sentence: str = "The signature does not fit the body.",
    ) -> None:
        super().__init__(code)
        self.code, self.sentence = code, sentence


def store_as_received(owner: HookOwner, raw: bytes, hook: HookToStore) -> None:
    store_hook(owner.tenant_id, owner.kind, owner.id, raw, hook.facts)


@dataclass(frozen=True)
class HookSource(Generic[Owner]):
    addresses: HookAddressCache[Owner]
    largest_body: int
    verify: Callable[[Owner, Headers, bytes], HookToStore | None]
    """Checks the raw bytes. None: answer 200 and store nothing. Raises HookRefused."""
    store: Callable[[Owner, bytes, HookToStore], None] = store_as_received


def receive_hook(source: HookSource[Owner], kind: str, token: str) -> Response:
    owner = source.addresses.of(token)
    if owner is None or owner.kind != kind:
        return no_such_address()
    request, context = current_request(), current_g()
    request.max_content_length = source.largest_body
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        limit = _readable_size(source.largest_body)
        return error_reply(413, "body_too_large", f"The body is larger than {limit}.")
    context.tenant_id = owner.tenant_id
    try:
        owner, hook = _verified(source, owner, token, request.headers, raw)
    except HookRefused as refusal:
        HOOKS_REFUSED.labels(kind).inc()
        return error_reply(401, refusal.code, refusal.sentence)
    if hook is not None:
        source.store(owner, raw, hook)
    return JsonResponse(b'{"status":"ok"}')


def _verified(
    source: HookSource[Owner], owner: Owner, token: str, headers: Headers, raw: bytes
) -> tuple[Owner, HookToStore | None]:
    try:
        return owner, source.verify(owner, headers, raw)
    except HookRefused:
        current = source.addresses.of(token, CHANGED_SECONDS)
        if current is None or current == owner:
            raise
    return current, source.verify(current, headers, raw)


def no_such_address() -> Response:
    return error_reply(404, "not_found", "There is nothing at this address.")


def _readable_size(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"
