"""Settings of the local service: generated secrets, and the file that flask commands read."""

import base64
import json
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path

from core.security.web_push import new_private_key
from deploy.local.files import read_json, write_private

# If the environment sets one of these, its value replaces our default.
OPTIONAL = (
    "BLOB_URL",
    "DATABASE_POOL",
    "DEBUG",
    "LOG_LEVEL",
    "MAIL_FROM",
    "OUTBOUND_PORTS",
    "TRUSTED_PROXIES",
    "WEB_PROCESSES",
)


def load_or_make_secrets(data_dir: Path) -> dict[str, str]:
    """Read DATA_DIR/secrets.json and add missing secrets."""
    path = data_dir / "secrets.json"
    known = read_json(path)
    fresh = {
        "secret_key": secrets.token_urlsafe(48),
        "encryption_keys": "k1:" + base64.b64encode(secrets.token_bytes(32)).decode(),
        "metrics_token": secrets.token_urlsafe(24),
        "vapid_private_key": new_private_key(),
        "postgres_password": secrets.token_urlsafe(24),
        "owner_password": secrets.token_urlsafe(24),
        "host_password": secrets.token_urlsafe(24),
        "app_password": secrets.token_urlsafe(24),
        "redis_password": secrets.token_urlsafe(24),
    } | known
    if fresh != known:
        write_private(path, json.dumps(fresh, indent=1) + "\n")
    return fresh


def service_settings(
    data_dir: Path, port: int, stored: Mapping[str, str], addresses: Mapping[str, str]
) -> dict[str, str]:
    chosen = {
        "APP_ENV": "development",
        "DATA_DIR": str(data_dir),
        "PORT": str(port),
        "BASE_URL": f"http://127.0.0.1:{port}",
        "SECRET_KEY": stored["secret_key"],
        "ENCRYPTION_KEYS": stored["encryption_keys"],
        "METRICS_TOKEN": stored["metrics_token"],
        "VAPID_PRIVATE_KEY": stored["vapid_private_key"],
        "MAIL_URL": "mailbox:",
        "ALLOW_LOOPBACK": "true",
        "LINKED_NETWORK": "simulator",
        "BILLING_PROVIDER": "simulated",
        "BILLING_KEY": "operator",
        "INVOICE_ISSUER": "Comanda (demo)|Gümüşsuyu 1|34437 İstanbul",
        "INVOICE_TAX_PERCENT": "20",
        "LOG_FORMAT": "console",
    }
    chosen |= {name: os.environ[name] for name in (*chosen, *OPTIONAL) if os.environ.get(name)}
    return chosen | dict(addresses) | {"DATA_DIR": str(data_dir), "PORT": str(port)}


def write_service_file(path: Path, settings: Mapping[str, str]) -> None:
    write_private(path, "".join(f"{name}={_quoted(text)}\n" for name, text in settings.items()))


def _quoted(text: str) -> str:
    if re.fullmatch(r"[\w./:@,+=%?&-]*", text):
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
