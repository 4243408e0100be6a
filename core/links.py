"""Addresses of ours that carry a signature and run out. Set once when a process starts."""

from datetime import timedelta
from typing import Any

from core.signing import read_token, sign_token

_base_url = ""
_secret_key = ""


def use_links(base_url: str, secret_key: str) -> None:
    global _base_url, _secret_key
    _base_url, _secret_key = base_url, secret_key


def address(path: str) -> str:
    if not _base_url:
        raise RuntimeError("use_links(base_url, secret_key) has not been called")
    return f"{_base_url}{path}"


def signed(path: str, purpose: str, value: Any, expires_in: timedelta) -> str:
    """`path` and a token after it: whoever holds the address may open it until it runs out."""
    return address(f"{path}{sign_token(_secret_key, purpose, value, expires_in)}")


def read(purpose: str, token: str) -> Any:
    """Raises BadToken, and ExpiredToken among them."""
    return read_token(_secret_key, purpose, token)
