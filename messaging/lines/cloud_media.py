"""A customer's file: the network tells where it is, and gives it to who holds the line's token."""

from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import quote, urlsplit

from core.outbound import OutboundError, Policy, TooLarge
from core.outbound.sync import request
from messaging.lines import LineFacts
from messaging.lines.cloud_errors import EXPIRED, meaning_of
from messaging.lines.cloud_parts import number, text
from messaging.lines.cloud_wire import api_error, bearer, read_json

LOOK_SECONDS, FETCH_SECONDS = 15.0, 90.0
GONE = "The network no longer has this file."
TOO_LARGE = "The file is larger than we take in."


class NotFetched(Exception):
    """`final`: asking again would change nothing."""

    def __init__(self, sentence: str, *, final: bool = False) -> None:
        super().__init__(sentence)
        self.final = final


@dataclass(frozen=True)
class Described:
    url: str
    mime_type: str
    sha256: str


def fetch(
    base_url: str,
    version: str,
    facts: LineFacts,
    media_id: str,
    most: int,
    into: IO[bytes],
) -> Described:
    """Writes the file into `into`. Raises NotFetched."""
    # The network's address is the operator's own setting, and may be on this machine.
    policy = Policy(allow_loopback=_plain(base_url))
    authorization = bearer(facts.token)
    if authorization is None:
        raise NotFetched(EXPIRED.sentence)
    where = f"{base_url}/{version}/{quote(media_id, safe='')}"
    found = _describe(where, authorization, policy, most)
    # The token must not travel in the clear, whatever address was told.
    if not _plain(base_url) and urlsplit(found.url).scheme != "https":
        raise NotFetched("The network told an address that is not safe.", final=True)
    try:
        reply = request(
            "GET",
            found.url,
            policy=policy,
            headers={"Authorization": authorization},
            timeout=FETCH_SECONDS,
            max_body=most,
            into=into,
        )
    except TooLarge:
        raise NotFetched(TOO_LARGE, final=True) from None
    except OutboundError as error:
        raise NotFetched(f"The file could not be fetched: {error}.") from None
    if not reply.ok:
        raise NotFetched(f"The network answered {reply.status} for the file.")
    return found


def _describe(url: str, authorization: str, policy: Policy, most: int) -> Described:
    try:
        reply = request(
            "GET",
            url,
            policy=Policy(ports=policy.ports, allow_loopback=True),
            headers={"Authorization": authorization},
            timeout=LOOK_SECONDS,
        )
    except OutboundError as error:
        raise NotFetched(f"The network could not be reached: {error}.") from None
    answer: Any = read_json(reply.body)
    fault = api_error(answer)
    if fault is not None or not reply.ok or not isinstance(answer, dict):
        known = meaning_of(fault.code, fault.subcode) if fault else None
        if reply.status in (400, 404) and not (known and known.line_state == "token_expired"):
            raise NotFetched(GONE, final=True)
        raise NotFetched(known.sentence if known else f"The network answered {reply.status}.")
    if (size := number(answer.get("file_size"))) is not None and size > most:
        raise NotFetched(TOO_LARGE, final=True)
    if not text(answer.get("url")):
        raise NotFetched(GONE, final=True)
    return Described(answer["url"], text(answer.get("mime_type")), text(answer.get("sha256")))


def _plain(base_url: str) -> bool:
    """A network on this machine, for development and tests, speaks without TLS."""
    return urlsplit(base_url).scheme == "http"
