"""Who calls: a bearer key, checked by its form, then by memory, then by the database.

What is remembered about a key is checked at every request: the rate limit's one Redis call
brings the tenant's generation along. After five seconds it is looked up again in any case.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from threading import Lock
from typing import Any, TypeVar

from flask import g, request
from redis import RedisError

from core.buckets import Bucket, take
from core.clock import now
from core.errors import Forbidden, RateLimited, Unauthenticated
from core.lookups import digest
from core.rings import let_redis_rest, redis_client, redis_rests
from messaging import callers
from messaging.callers import Caller
from tenants import keys
from tenants.audit import Actor, act_as
from tenants.rights import SCOPES

# A revoked key is refused after this time in any case: also when the change of its generation
# could not be announced, or Redis has lost its memory.
REMEMBER_SECONDS = 5.0
MOST_REMEMBERED = 20_000

View = TypeVar("View", bound=Callable[..., Any])


@dataclass
class Remembered:
    caller: Caller | None
    looked_at: float
    generation: str | None

    def older_than(self, seconds: float) -> bool:
        return time.monotonic() - self.looked_at > seconds


_memory: dict[str, Remembered] = {}
_lock = Lock()


def authenticate() -> None:
    """Before every v1 request: the caller, the tenant, and one token from its bucket."""
    secret = _bearer()
    if secret is None:
        raise Unauthenticated(
            "invalid_key", "Send your API key in the header: Authorization: Bearer ck_live_…"
        )
    if not keys.well_formed(secret):
        raise Unauthenticated("invalid_key", "This API key is not valid. Was it copied whole?")
    secret_hash = digest(secret)
    found = _memory.get(secret_hash)
    if found is None or found.older_than(REMEMBER_SECONDS):
        found = _look_up(secret, secret_hash)
    found = _take_token(secret, secret_hash, found)
    caller = _usable(found.caller)
    g.caller, g.facts, g.tenant_id = caller, caller.tenant, caller.tenant.id
    act_as(Actor("key", caller.key.id, caller.key.name, request.remote_addr or ""))


def key_may(scope: str | None, *, test_keys: bool = False) -> Callable[[View], View]:
    """The key needs this scope; None: any valid key will do.

    A route is for live keys unless it says `test_keys=True`. One that does shows and changes
    rows of test mode alone when the key is a test key; configuration it may show.
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
    """Also before a request's parameters are looked at: 403 comes before 422."""
    scope: str = getattr(view, "key_scope", "any")
    if scope != "any" and scope not in g.caller.key.scopes:
        raise Forbidden("missing_scope", "This key may not do that; it needs {scope}.", scope=scope)
    if g.caller.test and not getattr(view, "test_keys", False):
        raise Forbidden(
            "live_key_required", "A test key may not do that. Use a live key, ck_live_…"
        )


def forget_callers() -> None:
    _memory.clear()


def _bearer() -> str | None:
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" and secret.strip() else None


def _look_up(secret: str, secret_hash: str) -> Remembered:
    caller, generation = None, None
    owner = callers.owner_of(secret)
    if owner is None:
        _slow_down_strangers()
    else:
        tenant_id, key_id = owner
        generation = _generation(tenant_id)
        caller = callers.look_up(tenant_id, key_id)
    found = Remembered(caller, time.monotonic(), generation)
    with _lock:
        if len(_memory) >= MOST_REMEMBERED:
            _memory.clear()
        _memory[secret_hash] = found
    return found


def _slow_down_strangers() -> None:
    """Keys of the right form that nobody has cost a look into the database each."""
    stranger = digest(request.remote_addr or "")[:32]
    taken = take([Bucket(f"strangers:{stranger}", rate=5, burst=100)])
    if not taken.allowed:
        raise RateLimited(
            "Too many wrong keys. Wait {seconds} s and try again.",
            retry_after=taken.retry_after,
            seconds=taken.retry_after,
        )


def _generation(tenant_id: int) -> str | None:
    if redis_rests():
        return None
    try:
        value = redis_client().get(f"generation:{tenant_id}")
    except RedisError:
        let_redis_rest()
        return None
    return value.decode() if isinstance(value, bytes) else "0"


def _take_token(secret: str, secret_hash: str, found: Remembered) -> Remembered:
    if found.caller is None:
        return found
    tenant, key = found.caller.tenant, found.caller.key
    buckets = [Bucket(f"tenant:{tenant.id}", tenant.rate_per_second, tenant.burst)]
    if key.rate_per_second is not None:
        buckets.append(Bucket(f"key:{key.id}", key.rate_per_second, key.rate_per_second * 2))
    taken = take(buckets, str(tenant.id))
    g.facts, g.key, g.taken = tenant, key, taken
    if taken.generation is not None and taken.generation != found.generation:
        found = _look_up(secret, secret_hash)
        _usable(found.caller)
    if not taken.allowed:
        raise RateLimited(
            "More than {rate} requests a second. Wait {seconds} s and try again.",
            retry_after=taken.retry_after,
            rate=tenant.rate_per_second,
            seconds=taken.retry_after,
        )
    return found


def _usable(caller: Caller | None) -> Caller:
    if caller is None or caller.key.revoked_at is not None:
        raise Unauthenticated("invalid_key", "This API key is not valid or was revoked.")
    if caller.key.expires_at is not None and caller.key.expires_at <= now():
        raise Unauthenticated("key_expired", "This API key has expired. Make a new one.")
    if caller.tenant.state == "closed":
        raise Unauthenticated(
            "account_closed", "This account is closed. An owner can open it again for 30 days."
        )
    if caller.tenant.suspended:
        raise Unauthenticated(
            "account_suspended", "This account is suspended. Write to us to have it opened again."
        )
    return caller
