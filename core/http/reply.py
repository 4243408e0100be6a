from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

USER_AGENT = "Comanda/1"
MAX_BODY = 64 * 1024
TIMEOUT = 15.0
CONNECT_TIMEOUT = 5.0
# The client sets these itself; a caller's value could contradict it.
_RESERVED_HEADERS = {"host", "content-length", "transfer-encoding", "connection", "accept-encoding"}


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes = field(repr=False)
    duration: float  # seconds
    address: str  # the address that was called
    truncated: bool = False

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


def headers_to_send(given: Mapping[str, str] | None, decompress: bool) -> dict[str, str]:
    headers = {"User-Agent": USER_AGENT, "Accept": "*/*"}
    known = {"user-agent": "User-Agent", "accept": "Accept"}
    for name, value in (given or {}).items():
        low = name.lower()
        if low in _RESERVED_HEADERS:
            raise ValueError(f"the header {name} is set by the call itself")
        if low in known:
            del headers[known[low]]
        known[low] = name
        headers[name] = value
    headers["Accept-Encoding"] = "gzip, deflate" if decompress else "identity"
    return headers


def headers_received(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in pairs:
        known = name.lower()
        headers[known] = f"{headers[known]}, {value}" if known in headers else value
    return headers
