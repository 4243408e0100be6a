"""Parsers for printer data, written from the vendors' command lists, not from our encoders.

A parser fails on any byte that is neither text nor a known command, so its result is everything
that a printer would do.
"""

from dataclasses import dataclass, field

# Code page numbers by printer, from the vendors' manuals.
EPSON = {0: "cp437", 13: "cp857", 48: "cp1254", 16: "cp1252", 19: "cp858", 18: "cp852"}
POS_5890 = {0: "cp437", 61: "cp857", 91: "cp1254", 16: "cp1252", 19: "cp858", 18: "cp852"}
STAR = {0: "cp437", 1: "cp437", 4: "cp858", 12: "cp857", 32: "cp1252", 5: "cp852"}


@dataclass
class Read:
    text: str = ""
    commands: list[str] = field(default_factory=list)
    pictures: list[tuple[int, int]] = field(default_factory=list)
    codes: list[bytes] = field(default_factory=list)
    inverse: list[str] = field(default_factory=list)
    cuts: int = 0


class Unknown(AssertionError):
    pass


def escpos(data: bytes, pages: dict[int, str]) -> Read:
    return _Escpos(data, pages).read()


def starprnt(data: bytes, pages: dict[int, str]) -> Read:
    return _Star(data, pages).read()


class _Reader:
    def __init__(self, data: bytes, pages: dict[int, str]) -> None:
        self.data, self.pages, self.at = data, pages, 0
        self.page, self.white = "cp437", False
        self.done = Read()
        self.code = b""

    def read(self) -> Read:
        while self.at < len(self.data):
            byte = self.take(1)
            if byte == b"\n":
                self.done.text += "\n"
            elif byte[0] >= 0x20 and byte[0] != 0x7F:
                letter = byte.decode(self.page)
                self.done.text += letter
                if self.white:
                    self.done.inverse.append(letter)
            else:
                self.command(byte)
        return self.done

    def command(self, first: bytes) -> None:
        raise NotImplementedError

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise Unknown("the data ends within a command")
        self.at += count
        return self.data[self.at - count : self.at]

    def word(self) -> int:
        return int.from_bytes(self.take(2), "little")

    def turn(self, number: int) -> None:
        if number not in self.pages:
            raise Unknown(f"page {number}")
        self.page = self.pages[number]

    def note(self, name: str) -> None:
        self.done.commands.append(name)

    def unknown(self, what: bytes) -> None:
        raise Unknown(f"{what.hex()} at {self.at}: …{self.data[self.at - 8 : self.at + 8]!r}")


class _Escpos(_Reader):
    def command(self, first: bytes) -> None:
        second = self.take(1)
        both = first + second
        if both == b"\x1b@":
            self.page, self.white = "cp437", False
            self.note("start")
        elif both in (b"\x1ba", b"\x1bE", b"\x1bJ", b"\x1bd", b"\x1b3", b"\x1d!"):
            self.note(f"{both!r} {self.take(1)[0]}")
        elif both in (b"\x1c.", b"\x1b2"):
            self.note(repr(both))
        elif both == b"\x1bt":
            self.turn(self.take(1)[0])
            self.note(f"page {self.page}")
        elif both == b"\x1dB":
            self.white = bool(self.take(1)[0])
            self.note(f"inverse {self.white}")
        elif both == b"\x1dV":
            if self.take(1)[0] in (65, 66):
                self.take(1)
            self.done.cuts += 1
        elif both == b"\x1dv":
            assert self.take(2) == b"0\x00"
            across, down = self.word(), self.word()
            self.take(across * down)
            self.done.pictures.append((across * 8, down))
        elif both == b"\x1d(":
            assert self.take(1) == b"k"
            body = self.take(self.word())
            if body[:3] == b"1P0":
                self.done.codes.append(body[3:])
        else:
            self.unknown(both)


class _Star(_Reader):
    def command(self, first: bytes) -> None:
        if first != b"\x1b":
            self.unknown(first)
        second = self.take(1)
        if second == b"@":
            self.page, self.white = "cp437", False
        elif second in (b"E", b"F"):
            self.note(repr(second))
        elif second in (b"4", b"5"):
            self.white = second == b"4"
        elif second == b"i":
            self.note(f"size {self.take(2)!r}")
        elif second == b"J":
            self.note(f"feed {self.take(1)[0]}")
        elif second == b"d":
            self.take(1)
            self.done.cuts += 1
        elif second == b"\x1d":
            self.extended(self.take(1))
        else:
            self.unknown(first + second)

    def extended(self, third: bytes) -> None:
        if third == b"t":
            self.turn(self.take(1)[0])
        elif third == b"a":
            self.note(f"align {self.take(1)[0]}")
        elif third == b"S":
            assert self.take(1) == b"\x01"
            across, down = self.word(), self.word()
            self.take(1 + across * down)
            self.done.pictures.append((across * 8, down))
        elif third == b"y":
            self.symbol(self.take(1))
        else:
            self.unknown(b"\x1b\x1d" + third)

    def symbol(self, fourth: bytes) -> None:
        if fourth == b"S":
            self.take(2)
        elif fourth == b"D":
            assert self.take(2) == b"1\x00"
            self.code = self.take(self.word())
        elif fourth == b"P":
            self.done.codes.append(self.code)
        else:
            self.unknown(fourth)
