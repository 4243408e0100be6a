"""Authenticate a bearer key: by its format, then from the cache, then from the database.

A cached key is checked at every request: the Redis call for the rate limit also returns the
tenant's generation. After five seconds the key is read from the database again in any case.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from threading import Lock
from typing import Any, TypeVar

from flask import Request
from redis import RedisError

from api.address_limits import seconds_to_wait
from api.current import current_g, current_request
from core.clock import now
from core.db import global_scope
from core.errors import Forbidden, RateLimited, Unauthenticated
from core.lookups import secret_digest
from core.rate_limits import Bucket, take_tokens
from core.redis.client import mark_redis_down, redis_client, redis_is_down
from messaging import api_caller
from messaging.api_caller import ApiCaller
from tenants import api_keys
from tenants.apps import grants as app_grants
from tenants.apps.grants import TokenFacts
from tenants.audit import Actor, set_actor
from tenants.partners import keys as partner_keys
from tenants.rights import SCOPES

# A revoked key is refused after this time even if the change of its generation could not be
# published or Redis has lost its data.
CACHE_SECONDS = 5.0
CACHE_SIZE = 20_000
PARTNER_RATE, PARTNER_BURST = 50, 100

View = TypeVar("View", bound=Callable[..., Any])


@dataclass
class CachedCaller:
    caller: ApiCaller | None
    read_at: float
    generation: str | None

    def older_than(self, seconds: float) -> bool:
        return time.monotonic() - self.read_at > seconds


_cache: dict[str, CachedCaller] = {}
_lock = Lock()


def authenticate() -> None:
    """Before every v1 request: set caller and tenant, and take one token of the rate limit."""
    request, context = current_request(), current_g()
    secret = _bearer(request)
    if secret is None:
        raise Unauthenticated(
            "invalid_key", "Send your API key in the header: Authorization: Bearer ck_live_…"
        )
    app_token = app_grants.token_facts(secret)
    if app_token is not None:
        _check_app_token(app_token, request)
    context.by_app = app_token is not None
    secret_hash = secret_digest(secret)
    found = _cache.get(secret_hash)
    if found is None and app_token is None and not api_keys.is_well_formed(secret):
        raise Unauthenticated(
            "invalid_key", "This API key is not valid. Check that you copied all of it."
        )
    if found is None or (found.caller is None and found.older_than(CACHE_SECONDS)):
        found = _find_caller(secret, secret_hash)
    if found.caller is not None:
        found = _take_token(context, secret_hash, found, found.caller)
    caller = _check_usable(found.caller)
    context.caller, context.facts = caller, caller.tenant
    context.tenant_id = caller.tenant.id
    set_actor(Actor("key", caller.key.id, caller.key.name, request.remote_addr or ""))


def _check_app_token(token: TokenFacts, request: Request) -> None:
    """An access token of an app states when it ends and where it may be used."""
    if token.expired:
        raise Unauthenticated("token_expired", "This access token has expired. Refresh it.")
    if not token.is_for("mcp" if request.path.startswith("/mcp") else "api"):
        raise Unauthenticated("invalid_token", "This access token is for another resource.")


def authenticate_partner() -> None:
    """The same for a partner's key (ck_partner_…). It is read at every request."""
    request = current_request()
    secret = _bearer(request)
    if secret is None or not partner_keys.is_well_formed(secret):
        raise Unauthenticated(
            "invalid_key", "Send your partner key in the header: Authorization: Bearer ck_partner_…"
        )
    with global_scope():
        caller = partner_keys.find_caller(secret)
    if caller is None:
        _limit_unknown_keys()
        raise Unauthenticated("invalid_key", "This partner key is not valid or was revoked.")
    if caller.suspended_at is not None:
        raise Unauthenticated(
            "account_suspended", "This account is suspended. Contact us to reactivate it."
        )
    limit = take_tokens([Bucket(f"partner:{caller.partner_id}", PARTNER_RATE, PARTNER_BURST)])
    if not limit.allowed:
        raise RateLimited(
            "More than {rate} requests a second. Wait {seconds} s and try again.",
            retry_after=limit.retry_after,
            rate=PARTNER_RATE,
            seconds=limit.retry_after,
        )
    current_g().partner = caller
    set_actor(Actor("partner", caller.key_id, caller.name, request.remote_addr or ""))


def key_may(scope: str | None, *, test_keys: bool = False) -> Callable[[View], View]:
    """Require this scope; None accepts any valid key.

    A route is for live keys unless it sets `test_keys=True`. Such a route shows and changes only
    test rows for a test key; it may show configuration.
    """
    if scope is not None and scope not in SCOPES:
        raise RuntimeError(f"{scope} is not a scope; tenants/rights.py names them all")

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            check_rights(guarded)
            return view(*args, **kwargs)

        guarded.key_scope = scope or "any"  # type: ignore[attr-defined]
        guarded.test_keys = test_keys  # type: ignore[attr-defined]
        return guarded  # type: ignore[return-value]

    return guard


def check_rights(view: Callable[..., Any] | None) -> None:
    """Also runs before a request's parameters are validated: 403 comes before 422."""
    scope: str = getattr(view, "key_scope", "any")
    caller: ApiCaller = current_g().caller
    if scope != "any" and scope not in caller.key.scopes:
        raise Forbidden(
            "missing_scope", "This API key does not have the scope {scope}.", scope=scope
        )
    if caller.test and not getattr(view, "test_keys", False):
        raise Forbidden(
            "live_key_required", "Test keys cannot do this. Use a live key (ck_live_…)."
        )


def clear_caller_cache() -> None:
    _cache.clear()


def _bearer(request: Request) -> str | None:
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" and secret.strip() else None


def _find_caller(secret: str, secret_hash: str) -> CachedCaller:
    owner = api_caller.find_key_owner(secret)
    if owner is None:
        _limit_unknown_keys()
        return _remember(secret_hash, None, None)
    generation = _generation(owner[0])
    return _remember(secret_hash, api_caller.read_caller(*owner), generation)


def _remember(secret_hash: str, caller: ApiCaller | None, generation: str | None) -> CachedCaller:
    """The generation was read before the caller."""
    found = CachedCaller(caller, time.monotonic(), generation)
    with _lock:
        if len(_cache) >= CACHE_SIZE:
            _cache.clear()
        _cache[secret_hash] = found
    return found


def _limit_unknown_keys() -> None:
    """Limit unknown keys of the right format, because each costs a database query."""
    seconds = seconds_to_wait("strangers", rate=5, burst=100)
    if seconds is not None:
        raise RateLimited(
            "Too many requests with invalid keys. Wait {seconds} s and try again.",
            retry_after=seconds,
            seconds=seconds,
        )


def _generation(tenant_id: int) -> str | None:
    if redis_is_down():
        return None
    try:
        value = redis_client().get(f"generation:{tenant_id}")
    except RedisError:
        mark_redis_down()
        return None
    return value.decode() if isinstance(value, bytes) else "0"


def _take_token(
    context: Any, secret_hash: str, found: CachedCaller, caller: ApiCaller
) -> CachedCaller:
    """Take a token, and read the caller again if it has changed or was read long ago."""
    tenant, key = caller.tenant, caller.key
    buckets = [Bucket(f"tenant:{tenant.id}", tenant.rate_per_second, tenant.burst)]
    if key.rate_per_second is not None:
        buckets.append(Bucket(f"key:{key.id}", key.rate_per_second, key.rate_per_second * 2))
    context.facts, context.key = tenant, key
    context.rate_limit = rate_limit = take_tokens(buckets, str(tenant.id))
    changed = rate_limit.generation is not None and rate_limit.generation != found.generation
    if changed or found.older_than(CACHE_SECONDS):
        read = api_caller.read_caller(tenant.id, key.id)
        found = _remember(secret_hash, read, rate_limit.generation)
        caller = _check_usable(read)
        context.facts, context.key = caller.tenant, caller.key
    if not rate_limit.allowed:
        raise RateLimited(
            "More than {rate} requests a second. Wait {seconds} s and try again.",
            retry_after=rate_limit.retry_after,
            rate=tenant.rate_per_second,
            seconds=rate_limit.retry_after,
        )
    return found


def _check_usable(caller: ApiCaller | None) -> ApiCaller:
    if caller is None or caller.key.revoked_at is not None:
        raise Unauthenticated("invalid_key", "This API key is not valid or was revoked.")
    if caller.key.expires_at is not None and caller.key.expires_at <= now():
        raise Unauthenticated("key_expired", "This API key has expired. Create a new one.")
    if caller.tenant.state == "closed":
        raise Unauthenticated(
            "account_closed", "This account is closed. An owner can reopen it within 30 days."
        )
    if caller.tenant.suspended:
        raise Unauthenticated(
            "account_suspended", "This account is suspended. Contact us to reactivate it."
        )
    return caller
