"""A ZIP archive that is written in parts, by one process after another.

The archive is the concatenation of the parts. What the next part needs (checksums, sizes, offsets)
is a small JSON value. An entry of the archive may span several parts: each part ends its section of
the compressed stream at a byte boundary, and the next begins with an empty window. Sizes are
written after each entry, as for any streamed ZIP.
"""

import struct
import zlib
from datetime import datetime
from typing import Any

LEVEL = 6
_FLAGS = 0x0808  # sizes follow the data; names are UTF-8
_DEFLATED, _VERSION, _BY_UNIX = 8, 45, 3
_LARGE = 0xFFFFFFFF
_MANY = 0xFFFF
_READABLE = 0o600 << 16

State = dict[str, Any]


def new_state(made: datetime) -> State:
    return {"made": made.strftime("%Y%m%d%H%M%S"), "offset": 0, "open": False, "files": []}


class EntryStream:
    """The compressed bytes of one entry, with the checksum and sizes for its header."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._out = bytearray()
        self._deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._clean = True

    @staticmethod
    def new_state() -> State:
        return {"crc": 0, "size": 0, "packed": 0}

    def write(self, data: bytes) -> None:
        self.state["crc"] = zlib.crc32(data, self.state["crc"])
        self.state["size"] += len(data)
        self._out += self._deflate.compress(data)
        self._clean = self._clean and not data

    def read_output(self, *, last: bool = False) -> bytes:
        """Return the bytes since the last call. Another process can continue from here unless
        `last`.
        """
        if last or not self._clean:
            self._out += self._deflate.flush(zlib.Z_FINISH if last else zlib.Z_FULL_FLUSH)
        output, self._out, self._clean = bytes(self._out), bytearray(), True
        self.state["packed"] += len(output)
        return output

    @property
    def waiting(self) -> int:
        return len(self._out)


class ResumableZip:
    """Continue from `state`. `take` returns the next part and updates the state."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._out = bytearray()
        self._stream = EntryStream(self._file["stream"]) if state["open"] else None

    @property
    def waiting(self) -> int:
        return len(self._out) + (self._stream.waiting if self._stream else 0)

    def begin(self, name: str) -> None:
        self._open(name, EntryStream.new_state())
        self._stream = EntryStream(self._file["stream"])
        self.state["open"] = True

    def write(self, data: bytes) -> None:
        if self._stream is None:
            raise RuntimeError("begin(name) comes first")
        self._stream.write(data)

    def end(self) -> None:
        if self._stream is not None:
            self._put(self._stream.read_output(last=True))
            self._stream = None
            self._close()

    def add(self, name: str, data: bytes) -> None:
        self.begin(name)
        self.write(data)
        self.end()

    def add_compressed(self, name: str, stream: State) -> tuple[bytes, bytes]:
        """For an entry whose stream was compressed separately: the bytes before and after its data.

        The data goes between the two, in the order in which it was taken.
        """
        self._open(name, stream)
        before = self.read_output()
        self.state["offset"] += stream["packed"]
        self._close()
        return before, self.read_output()

    def read_output(self) -> bytes:
        if self._stream is not None:
            self._put(self._stream.read_output())
        output, self._out = bytes(self._out), bytearray()
        return output

    def close(self) -> bytes:
        """The central directory, which ends the archive."""
        self.end()
        begins = self.state["offset"]
        for file in self.state["files"]:
            self._put(self._listed(file))
        size, count = self.state["offset"] - begins, len(self.state["files"])
        if begins + size >= _LARGE or count >= _MANY:
            self._put(_end_64(count, size, begins, self.state["offset"]))
        fields = (min(count, _MANY), min(count, _MANY), min(size, _LARGE), min(begins, _LARGE))
        self._put(struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, *fields, 0))
        return self.read_output()

    @property
    def _file(self) -> State:
        last: State = self.state["files"][-1]
        return last

    def _put(self, data: bytes) -> None:
        self._out += data
        self.state["offset"] += len(data)

    def _open(self, name: str, stream: State) -> None:
        self.state["files"].append({"name": name, "at": self.state["offset"], "stream": stream})
        raw = name.encode()
        head = (_VERSION, _FLAGS, _DEFLATED, *self._moment(), 0, _LARGE, _LARGE, len(raw), 20)
        extra = struct.pack("<HHQQ", 1, 16, 0, 0)
        self._put(struct.pack("<4sHHHHHIIIHH", b"PK\3\4", *head) + raw + extra)

    def _close(self) -> None:
        one = self._file["stream"]
        self._put(struct.pack("<4sIQQ", b"PK\7\x08", one["crc"], one["packed"], one["size"]))
        self.state["open"] = False

    def _listed(self, file: State) -> bytes:
        raw: bytes = file["name"].encode()
        one = file["stream"]
        sizes, fields = (one["size"], one["packed"], file["at"]), b""
        for value in sizes:
            fields += struct.pack("<Q", value) if value >= _LARGE else b""
        extra = struct.pack("<HH", 1, len(fields)) + fields if fields else b""
        size, packed, at = (min(value, _LARGE) for value in sizes)
        made = (_BY_UNIX << 8 | _VERSION, _VERSION, _FLAGS, _DEFLATED, *self._moment())
        rest = (one["crc"], packed, size, len(raw), len(extra), 0, 0, 0, _READABLE, at)
        return struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", *made, *rest) + raw + extra

    def _moment(self) -> tuple[int, int]:
        made = datetime.strptime(self.state["made"], "%Y%m%d%H%M%S")  # noqa: DTZ007 - ZIP has no zone
        date = (made.year - 1980) << 9 | made.month << 5 | made.day
        return made.hour << 11 | made.minute << 5 | made.second // 2, date


def _end_64(count: int, size: int, begins: int, at: int) -> bytes:
    record = (44, _VERSION, _VERSION, 0, 0, count, count, size, begins)
    return struct.pack("<4sQHHIIQQQQ", b"PK\6\6", *record) + struct.pack(
        "<4sIQI", b"PK\6\7", 0, at, 1
    )
