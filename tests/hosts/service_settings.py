"""What every process of a tested service gets, and requests to its simulated network."""

import json
import os
from typing import Any
from urllib.request import Request, urlopen

from core.settings import Settings


def environment_of(settings: Settings) -> dict[str, str]:
    """The variables of every process. What differs by machine is added by the caller."""
    return {
        **{key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ},
        "APP_ENV": "test",
        "BASE_URL": settings.base_url,
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": settings.secret_key,
        "ENCRYPTION_KEYS": settings.encryption_keys,
        "MAIL_URL": settings.mail_url,
        "SIMULATOR_URL": settings.simulator_url,
        "SIMULATOR_SECRET": settings.simulator_secret,
        "LEASE_SECONDS": str(settings.lease_seconds),
        "LINKED_NETWORK": settings.linked_network,
        "LINKED_STORE_URL": settings.linked_store_url,
        "LINKED_LEASE_SECONDS": str(settings.linked_lease_seconds),
        "ALLOW_LOOPBACK": "true",  # the customers' servers are here too
        "LOG_LEVEL": "WARNING",
    }


def ask_network(settings: Settings, method: str, path: str, body: Any = None) -> Any:
    request = Request(
        f"{settings.simulator_url}/_sim{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"X-Simulator-Secret": settings.simulator_secret},
        method=method,
    )
    with urlopen(request, timeout=10) as answer:
        return json.load(answer)
