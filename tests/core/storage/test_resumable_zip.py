"""A ZIP archive made in pieces can be read by every ZIP reader."""

import io
import json
import random
import shutil
import subprocess
import zipfile
from datetime import UTC, datetime

import pytest

from core.storage.resumable_zip import EntryStream, ResumableZip, new_state

MADE = datetime(2026, 11, 16, 3, 4, 6, tzinfo=UTC)


def stored(state):
    """The state as the database returns it."""
    return json.loads(json.dumps(state))


def made(texts, cuts):
    """Write each text line by line; after every `cuts` lines another process continues."""
    whole, state, since = b"", new_state(MADE), 0
    pieces = ResumableZip(state)
    for name, lines in texts.items():
        pieces.begin(name)
        for line in lines:
            pieces.write(line)
            since += 1
            if since % cuts == 0:
                whole += pieces.read_output()
                pieces = ResumableZip(stored(pieces.state))
        pieces.end()
    return whole + pieces.close()


@pytest.mark.parametrize("cuts", [1, 7, 1000])
def test_what_goes_in_comes_out_wherever_it_is_cut(cuts):
    chance = random.Random(cuts)
    texts = {
        "empty.csv": [],
        "çay.csv": [f"{n},{chance.random()}\r\n".encode() for n in range(500)],
        "one.txt": [b"x"],
    }
    with zipfile.ZipFile(io.BytesIO(made(texts, cuts))) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == {
            name: b"".join(lines) for name, lines in texts.items()
        }
        assert archive.infolist()[0].date_time == (2026, 11, 16, 3, 4, 6)


def test_a_file_that_was_compressed_apart_is_put_between():
    pieces, apart = ResumableZip(new_state(MADE)), EntryStream(EntryStream.new_state())
    pieces.add("first.txt", b"first")
    apart.write(b"second, ")
    bytes_of = [apart.read_output()]
    apart = EntryStream(stored(apart.state))
    apart.write(b"in two parts")
    bytes_of.append(apart.read_output(last=True))
    before, after = pieces.add_compressed("second.txt", apart.state)
    whole = b"".join([before, *bytes_of, after, pieces.close()])
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        assert archive.testzip() is None
        assert archive.read("second.txt") == b"second, in two parts"


@pytest.mark.skipif(not shutil.which("unzip"), reason="needs unzip")
def test_unzip_reads_it(tmp_path):
    place = tmp_path / "all.zip"
    place.write_bytes(made({"a.csv": [b"1\r\n"] * 100, "b.csv": [b"2\r\n"] * 100}, 30))
    subprocess.run(["unzip", "-tq", str(place)], check=True)


def test_more_than_four_gigabytes_are_listed_with_their_sizes():
    pieces = ResumableZip(new_state(MADE))
    large = {"crc": 1, "size": 5 << 32, "packed": 1 << 32}
    before, after = pieces.add_compressed("large.csv", large)
    pieces.add("last.txt", b"")
    end = pieces.close()
    with zipfile.ZipFile(_Sparse(before, 1 << 32, after + end)) as archive:
        one, last = archive.infolist()
        assert (one.file_size, one.compress_size) == (5 << 32, 1 << 32)
        assert last.header_offset > 1 << 32
        assert archive.read("last.txt") == b""


class _Sparse(io.RawIOBase):
    """A file with a hole of zeros."""

    def __init__(self, head, hole, tail):
        self.head, self.hole, self.tail, self.at = head, hole, tail, 0

    def seekable(self):
        return True

    def readable(self):
        return True

    def tell(self):
        return self.at

    def seek(self, offset, whence=0):
        whole = len(self.head) + self.hole + len(self.tail)
        self.at = offset + (0, self.at, whole)[whence]
        return self.at

    def read(self, size=-1):
        start = len(self.head) + self.hole
        if self.at >= start:
            data = self.tail[self.at - start :]
        elif self.at < len(self.head):
            data = self.head[self.at :]
        else:
            data = b"\0" * min(size, start - self.at)
        data = data if size < 0 else data[:size]
        self.at += len(data)
        return data
