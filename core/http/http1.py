"""HTTP/1.1 as bytes: the request that is sent, and the answer as it arrives."""

from collections.abc import Mapping

import httptools

from core.http.errors import BROKE_OFF, ConnectFailed, TooLarge
from core.http.guard import Url
from core.http.reply import Reply, headers_received, headers_to_send

MAX_HEAD = 32 * 1024  # bytes of an answer's headers


def request_bytes(method: str, target: Url, given: Mapping[str, str] | None, body: bytes) -> bytes:
    headers = headers_to_send(given, decompress=False)
    headers["Content-Length"] = str(len(body))
    lines = [f"{method} {target.target} HTTP/1.1", f"Host: {target.authority}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join([*lines, "", ""])
    if head.count("\r") != len(lines) + 1 or head.count("\n") != len(lines) + 1:
        raise ValueError("a header contains a line break")
    return head.encode("latin-1") + body


class Answer:
    """Collects what the parser finds.

    A body over `max_body` bytes raises TooLarge, or is cut with `truncate`. `keep`: keep only this
    many bytes of it in memory.
    """

    def __init__(
        self, method: str, max_body: int, truncate: bool = False, keep: int | None = None
    ) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._without_body = method == "HEAD"
        self._max_body, self._truncate = max_body, truncate
        self._keep = max_body if keep is None else keep
        self._pairs: list[tuple[str, str]] = []
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._length = 0
        self._head = 0
        self._in_body = False
        self.complete = False
        self.reusable = False
        """Whether the connection can be used for the next request."""

    @property
    def status(self) -> int:
        """Also of an answer that is not complete; 0 before it begins."""
        return int(self._parser.get_status_code())

    def feed(self, data: bytes | memoryview) -> None:
        """Take the next bytes; none of them: the server has closed the connection. Raises
        OutboundError or OSError.
        """
        if not data:
            self._end()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if isinstance(error.__context__, TooLarge):
                raise error.__context__ from None
            if self.complete:  # data after the answer, which nobody asked for
                self.reusable = False
                return
            raise ConnectionError("this is not HTTP") from error

    def reply(self, duration: float, address: str) -> Reply:
        return Reply(
            self.status, self._headers, bytes(self._body), duration, address, self._too_long()
        )

    def on_message_begin(self) -> None:
        if self.complete:
            raise ConnectionError("there was one request, and this is a second answer")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._head += len(name) + len(value)
        if self._head > MAX_HEAD:
            raise ConnectionError("the headers are too long")
        self._pairs.append((_text(name), _text(value)))

    def on_headers_complete(self) -> None:
        self._headers = headers_received(self._pairs)
        announced = self._headers.get("content-length", "")
        if announced.isdigit() and int(announced) > self._max_body and not self._truncate:
            raise TooLarge(
                f"the answer has {announced} bytes; at most {self._max_body} are read", sent=True
            )
        self._in_body = True
        self.complete = self._without_body and self.status >= 200

    def on_body(self, data: bytes) -> None:
        if self._too_long():
            return
        self._length += len(data)
        self._body += data[: self._keep - len(self._body)]
        if self._too_long() and not self._truncate:
            raise TooLarge(f"the answer is longer than {self._max_body} bytes", sent=True)
        self.complete = self._too_long()  # the rest is not read

    def on_message_complete(self) -> None:
        if self.status < 200:  # the answer itself follows
            self._pairs.clear()
            self._in_body = False
            return
        self.complete = True
        self.reusable = self._parser.should_keep_alive() and not self._too_long()

    def _too_long(self) -> bool:
        return self._length > self._max_body

    def _end(self) -> None:
        """Only a body without a length ends with the connection."""
        whole = "content-length" not in self._headers and "transfer-encoding" not in self._headers
        if not (self._in_body and whole):
            raise ConnectFailed("the connection broke off", sent=True, problem=BROKE_OFF)
        self.complete = True


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")
