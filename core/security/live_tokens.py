"""Tokens with which an open page connects to the live endpoint: its member and its topics."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from core.clock import now
from core.security.signing import BadToken, read_token, sign_token

PURPOSE = "live"
# A removed member, or one whose session was ended, gets live updates for at most this long.
LIFETIME = timedelta(minutes=3)


@dataclass(frozen=True)
class LiveToken:
    tenant_id: int
    member: str
    topics: frozenset[str]
    until: float

    def seconds_left(self) -> float:
        return self.until - now().timestamp()


def make_live_token(secret_key: str, tenant_id: int, member: str, topics: Iterable[str]) -> str:
    return sign_token(secret_key, PURPOSE, [tenant_id, member, sorted(topics), _until()], LIFETIME)


def read_live_token(secret_key: str, text: str) -> LiveToken:
    """Raises BadToken. With its subclass ExpiredToken the page has to fetch a new one."""
    value = read_token(secret_key, PURPOSE, text)
    try:
        tenant_id, member, topics, until = value
        return LiveToken(int(tenant_id), str(member), frozenset(map(str, topics)), float(until))
    except (TypeError, ValueError):
        raise BadToken("this is not a ticket for the live door") from None


def _until() -> int:
    return int((now() + LIFETIME).timestamp())
