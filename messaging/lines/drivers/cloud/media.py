"""Fetch a customer's file. The network returns its URL, which needs the line's token."""

from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import quote, urlsplit

from core.http import OutboundError, Policy, TooLarge
from core.http.sync_client import request
from messaging import reasons
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.errors import TOKEN_REJECTED, error_meaning
from messaging.lines.drivers.cloud.field_readers import read_number, read_text
from messaging.lines.drivers.cloud.responses import api_error, bearer_header, read_json
from messaging.reasons import with_detail

LOOKUP_SECONDS, FETCH_SECONDS = 15.0, 90.0


class MediaNotFetched(Exception):
    """`final` means that a retry would not help."""

    def __init__(self, reason: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.final = final


@dataclass(frozen=True)
class MediaDescription:
    url: str
    mime_type: str
    sha256: str


def fetch_media(
    base_url: str,
    version: str,
    facts: LineFacts,
    media_id: str,
    most: int,
    into: IO[bytes],
) -> MediaDescription:
    """Write the file to `into` and return its description. Raises MediaNotFetched."""
    # The network's base URL is a setting of the operator and may be on this machine.
    policy = Policy(allow_loopback=_is_plain_http(base_url))
    authorization = bearer_header(facts.token)
    if authorization is None:
        raise MediaNotFetched(TOKEN_REJECTED.reason)
    where = f"{base_url}/{version}/{quote(media_id, safe='')}"
    found = _describe(where, authorization, policy, most)
    # The token must not be sent without TLS, whatever URL the network returned.
    if not _is_plain_http(base_url) and urlsplit(found.url).scheme != "https":
        raise MediaNotFetched(reasons.FILE_UNSAFE_ADDRESS, final=True)
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
        raise MediaNotFetched(reasons.FILE_LARGER, final=True) from None
    except OutboundError as error:
        raise MediaNotFetched(with_detail(reasons.FILE_NOT_FETCHED, f"{error}.")) from None
    if not reply.ok:
        raise MediaNotFetched(with_detail(reasons.NETWORK_STATUS, f"{reply.status} for the file."))
    return found


def _describe(url: str, authorization: str, policy: Policy, most: int) -> MediaDescription:
    try:
        reply = request(
            "GET",
            url,
            policy=Policy(ports=policy.ports, allow_loopback=True),
            headers={"Authorization": authorization},
            timeout=LOOKUP_SECONDS,
        )
    except OutboundError as error:
        raise MediaNotFetched(with_detail(reasons.UNREACHABLE_BECAUSE, f"{error}.")) from None
    answer: Any = read_json(reply.body)
    fault = api_error(answer)
    if fault is not None or not reply.ok or not isinstance(answer, dict):
        known = error_meaning(fault.code, fault.subcode) if fault else None
        if reply.status in (400, 404) and not (known and known.line_state == "token_expired"):
            raise MediaNotFetched(reasons.FILE_GONE, final=True)
        unknown = with_detail(reasons.NETWORK_STATUS, f"{reply.status}.")
        raise MediaNotFetched(known.reason if known else unknown)
    if (size := read_number(answer.get("file_size"))) is not None and size > most:
        raise MediaNotFetched(reasons.FILE_LARGER, final=True)
    if not read_text(answer.get("url")):
        raise MediaNotFetched(reasons.FILE_GONE, final=True)
    return MediaDescription(
        answer["url"], read_text(answer.get("mime_type")), read_text(answer.get("sha256"))
    )


def _is_plain_http(base_url: str) -> bool:
    """Return whether the base URL has no TLS, as a local network for development and tests has."""
    return urlsplit(base_url).scheme == "http"
