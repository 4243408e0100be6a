"""What may be called. A URL is parsed once, strictly; a name is resolved once, and every address it
has must be public. Clients connect only to addresses that were checked here.
"""

import re
import socket
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_address
from urllib.parse import quote

import idna

from core.http.errors import NAME_NOT_FOUND, BadUrl, ConnectFailed, RefusedAddress
from core.http.public_addresses import Address, is_loopback, why_refused

MAX_URL = 2048
DEFAULT_PORTS = {"http": 80, "https": 443}

Resolver = Callable[[str, int], Iterable[str]]

_URL = re.compile(r"(?i:(https?)):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::([0-9]{1,5}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_STRICT_IPV4 = re.compile(r"(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})")
# What resolvers and browsers accept as a number, and therefore as a disguised IPv4 address.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_TARGET_SAFE = "%/:?@!$&'()*+,;=-._~"


@dataclass(frozen=True)
class Policy:
    """`ports` applies to public hosts. Loopback, if development allows it, may use every port."""

    ports: frozenset[int] = frozenset({80, 443})
    allow_loopback: bool = False


@dataclass(frozen=True)
class Url:
    scheme: str
    host: str  # lower-case ASCII; an IPv6 address without its brackets
    port: int
    target: str  # path and query, percent-encoded
    literal: Address | None

    @property
    def authority(self) -> str:
        """For the Host header."""
        host = f"[{self.host}]" if isinstance(self.literal, IPv6Address) else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


@lru_cache(maxsize=4096)
def check_url(url: str, policy: Policy) -> Url:
    """Check form, port and literal address; no name is resolved here. Raises OutboundError.

    The result depends only on the arguments, so it is cached: endpoints are called often.
    """
    parsed = parse_url(url)
    local = parsed.host == "localhost" or parsed.host.endswith(".localhost")
    if parsed.literal is not None:
        check_address(parsed.literal, policy)
        local = is_loopback(parsed.literal)
    elif local and not policy.allow_loopback:
        raise RefusedAddress(f"{parsed.host} is this machine, not a public address")
    elif not local and "." not in parsed.host:
        raise BadUrl("the URL's host must be a full name with a dot, such as example.com")
    if not local and parsed.port not in policy.ports:
        allowed = ", ".join(str(port) for port in sorted(policy.ports))
        raise BadUrl(f"port {parsed.port} may not be called; allowed: {allowed}")
    return parsed


def parse_url(url: str) -> Url:
    if len(url) > MAX_URL:
        raise BadUrl(f"the URL is longer than {MAX_URL} characters")
    if any(_is_forbidden(char) for char in url):
        raise BadUrl("the URL contains a space, a backslash or a character that is not printed")
    found = _URL.fullmatch(url)
    if found is None:
        raise BadUrl("the URL must begin with http:// or https:// and a host")
    scheme, authority, path, query = found[1].lower(), found[2], found[3], found[4] or ""
    if "@" in authority:
        raise BadUrl("the URL must not carry a user name or password")
    if "%" in authority:
        raise BadUrl("the URL's host must not be percent-encoded or carry a zone")
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None:
        raise BadUrl("the URL's host or port cannot be read")
    host, literal = _host(parts[1])
    port = int(parts[2]) if parts[2] else DEFAULT_PORTS[scheme]
    if not 0 < port < 65536:
        raise BadUrl("the URL's port must be 1 to 65535")
    return Url(scheme, host, port, quote((path or "/") + query, safe=_TARGET_SAFE), literal)


def check_address(address: Address, policy: Policy) -> None:
    reason = why_refused(address)
    if reason is None or (policy.allow_loopback and is_loopback(address)):
        return
    raise RefusedAddress(f"{address} is not a public address ({reason})")


def system_resolver(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


def resolve(
    host: str, port: int, policy: Policy, resolver: Resolver = system_resolver
) -> list[Address]:
    """The addresses to connect to, in order. Raises RefusedAddress if any of them is not public."""
    try:
        answers = list(dict.fromkeys(resolver(host, port)))
    except (OSError, UnicodeError):
        raise ConnectFailed(f"the name {host} cannot be resolved", problem=NAME_NOT_FOUND) from None
    if not answers:
        raise ConnectFailed(f"the name {host} has no address", problem=NAME_NOT_FOUND)
    addresses = []
    for answer in answers:
        try:
            addresses.append(ip_address(answer))
        except ValueError:
            raise RefusedAddress(f"the name {host} resolves to something odd") from None
    for address in addresses:
        check_address(address, policy)
    return addresses


def addresses_of(url: Url, policy: Policy, resolver: Resolver = system_resolver) -> list[Address]:
    if url.literal is not None:
        check_address(url.literal, policy)
        return [url.literal]
    return resolve(url.host, url.port, policy, resolver)


def _is_forbidden(char: str) -> bool:
    # Some URL parsers drop tabs and line ends and others do not. Anything that two parsers could
    # read differently is rejected.
    return char == "\\" or char.isspace() or unicodedata.category(char)[0] == "C"


def _host(text: str) -> tuple[str, Address | None]:
    if text.startswith("["):
        try:
            address = IPv6Address(text[1:-1])
        except AddressValueError:
            raise BadUrl("the URL's IPv6 address cannot be read") from None
        return str(address), address
    host = text.lower() if text.isascii() else _to_ascii(text)
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadUrl("the URL's host is not a name such as example.com")
    if _NUMBER.fullmatch(labels[-1]):
        if text != host or not _STRICT_IPV4.fullmatch(host):
            raise BadUrl("the URL's host is an IPv4 address in an unusual form")
        try:
            literal = IPv4Address(host)
        except AddressValueError:
            raise BadUrl("the URL's IPv4 address cannot be read") from None
        return host, literal
    if any(label.startswith("xn--") for label in labels):
        try:
            idna.decode(host)
        except (idna.IDNAError, UnicodeError):
            raise BadUrl("the URL's host is not a valid international name") from None
    return host, None


def _to_ascii(host: str) -> str:
    try:
        return idna.encode(host, uts46=True, std3_rules=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise BadUrl("the URL's host is not a valid international name") from None
