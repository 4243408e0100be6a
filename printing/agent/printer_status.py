"""Query the status of an ESC/POS printer with DLE EOT, which bypasses its queue."""

from collections.abc import Callable
from dataclasses import dataclass

READY = "ready"
PRINTABLE = frozenset({READY, "paper_low"})
STATE_TEXTS = {
    "ready": "ready",
    "paper_low": "paper is low",
    "paper_out": "out of paper",
    "cover_open": "the cover is open",
    "offline": "not responding",
    "error": "reports an error",
}
_ASK = b"\x10\x04"
_PRINTER, _OFFLINE, _ERROR, _PAPER = 1, 2, 3, 4


@dataclass(frozen=True)
class Status:
    state: str
    detail: str = ""
    answered: bool = True

    @property
    def can_print(self) -> bool:
        return self.state in PRINTABLE


NO_ANSWER = Status("offline", "no answer to DLE EOT", answered=False)


def query_status(send: Callable[[bytes], None], read_byte: Callable[[], int | None]) -> Status:
    """Query the status. `read_byte` returns None if nothing arrived in time."""
    answers: dict[int, int] = {}
    for question in (_PRINTER, _OFFLINE, _ERROR, _PAPER):
        send(_ASK + bytes([question]))
        answer = _status_byte(read_byte)
        if answer is None:
            break
        answers[question] = answer
    return parse_status(answers)


def parse_status(answers: dict[int, int]) -> Status:
    if not answers:
        return NO_ANSWER
    why, paper = answers.get(_OFFLINE, 0), answers.get(_PAPER, 0)
    detail = " ".join(f"{question}={value:02x}" for question, value in answers.items())
    if why & 0x04:
        return Status("cover_open", detail)
    if why & 0x20 or paper & 0x60:
        return Status("paper_out", detail)
    if why & 0x40 or answers.get(_ERROR, 0) & 0x68:
        return Status("error", detail)
    if answers.get(_PRINTER, 0) & 0x08:
        return Status("offline", detail)
    if paper & 0x0C:
        return Status("paper_low", detail)
    return Status(READY, detail)


def _status_byte(read_byte: Callable[[], int | None]) -> int | None:
    """Bits 0, 1, 4 and 7 are the same in every status byte; other bytes are skipped."""
    for _ in range(16):
        value = read_byte()
        if value is None or value & 0x93 == 0x12:
            return value
    return None
