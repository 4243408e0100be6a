"""URLs of the service, some of them signed and with an expiry. Configured at process start."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from core.security.signing import read_token, sign_token, sign_token_until

_base_url = ""
_secret_key = ""
_our_hosts: frozenset[str] = frozenset()
_menu_domain = ""


def configure_urls(
    base_url: str, secret_key: str, *, live_url: str = "", menu_domain: str = ""
) -> None:
    global _base_url, _secret_key, _our_hosts, _menu_domain
    _menu_domain = menu_domain.lower()
    _base_url, _secret_key = base_url, secret_key
    hosts = (urlsplit(base_url).hostname, urlsplit(live_url).hostname, menu_domain)
    _our_hosts = frozenset(host.lower() for host in hosts if host)


def is_own_host(host: str) -> bool:
    """True for a host of the service or a subdomain of one."""
    return any(host == own_host or host.endswith(f".{own_host}") for own_host in _our_hosts)


def menu_domain() -> str:
    """The domain with a host name for every menu; empty if there is none."""
    return _menu_domain


def absolute_url(path: str) -> str:
    if not _base_url:
        raise RuntimeError("use_links(base_url, secret_key) has not been called")
    return f"{_base_url}{path}"


def signed_url(path: str, purpose: str, value: Any, expires_in: timedelta) -> str:
    """`path` followed by a token. Anyone with the URL may open it until it expires."""
    return absolute_url(f"{path}{sign_token(_secret_key, purpose, value, expires_in)}")


def signed_url_until(path: str, purpose: str, value: Any, until: datetime) -> str:
    """The same URL for every call with these values."""
    return absolute_url(f"{path}{sign_token_until(_secret_key, purpose, value, until)}")


def read_signed(purpose: str, token: str) -> Any:
    """Raises BadToken, or its subclass ExpiredToken."""
    return read_token(_secret_key, purpose, token)


def sign_value(purpose: str, value: Any, expires_in: timedelta) -> str:
    """A token for `read_signed`, to be carried in a URL."""
    return sign_token(_secret_key, purpose, value, expires_in)
