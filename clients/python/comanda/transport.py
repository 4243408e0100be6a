"""HTTP calls with retries where a retry is safe and useful."""

import json
import random
import time
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import urllib3
from urllib3.exceptions import HTTPError

from comanda.errors import BadKey, ConnectionFailed, error_for

AGAIN = frozenset({429, 500, 502, 503, 504})
LONGEST_WAIT = 60.0


class Transport:
    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: float,
        retries: int,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        api_key = api_key.strip()  # a key from a file often ends with a newline
        if not api_key.startswith("ck_"):
            raise BadKey("an API key begins with ck_live_ or ck_test_")
        if not (api_key.isascii() and api_key.replace("_", "").isalnum()):
            raise BadKey("an API key consists of letters, digits and underscores")
        self._base = base_url.rstrip("/").removesuffix("/api/v1") + "/api/v1"
        self._retries = retries
        self._sleep = sleep
        self._pool = urllib3.PoolManager(
            timeout=urllib3.Timeout(connect=min(timeout, 10), read=timeout),
            retries=False,
            headers={
                "Authorization": f"Bearer {api_key}",
                "Accept": "application/json",
                "User-Agent": "comanda-python/0.1",
            },
        )

    def call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Every POST has an idempotency key, the same in each try, so it is executed once."""
        sent = {**self._pool.headers, **(headers or {})}
        if method == "POST":
            idempotency_key = idempotency_key or uuid.uuid4().hex
            sent["Idempotency-Key"] = idempotency_key
        data = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            data = json.dumps(body, ensure_ascii=False).encode()
        fields = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = self._base + path + (f"?{urlencode(fields)}" if fields else "")
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                answer = self._pool.request(method, url, body=data, headers=sent, redirect=False)
            except HTTPError as error:
                # A DELETE whose response was lost would get a 404 the second time.
                if last or method == "DELETE":
                    raise ConnectionFailed(
                        f"{method} {path}: {error}", idempotency_key=idempotency_key
                    ) from error
                self._sleep(_back_off(attempt))
                continue
            found = _parsed(answer.data)
            if answer.status < 400:
                return found
            wait = _worth_a_wait(answer.status, found, answer.headers.get("Retry-After"), attempt)
            if last or wait is None:
                raise error_for(answer.status, found, answer.headers.get("X-Request-Id", ""))
            self._sleep(wait)
        raise AssertionError("unreachable")

    def close(self) -> None:
        self._pool.clear()


def _worth_a_wait(
    status: int, body: Mapping[str, Any], retry_after: str | None, attempt: int
) -> float | None:
    """Seconds until the next try; None if a retry cannot help."""
    code = body.get("code")
    if code == "line_unavailable" or (status not in AGAIN and code != "idempotency_in_flight"):
        return None
    if retry_after is not None and retry_after.isdigit():
        seconds = float(retry_after)
        return seconds if seconds <= LONGEST_WAIT else None
    return _back_off(attempt)


def _back_off(attempt: int) -> float:
    """Half a second, one, two, … with jitter, so that many clients do not retry together."""
    return float(min(0.5 * 2**attempt, 20.0) * random.uniform(0.75, 1.25))  # noqa: S311 - no secret


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data, parse_float=Decimal) if data else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
