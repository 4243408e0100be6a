"""Ids of rows: UUIDv7 in the database, ``msg_01JF…`` everywhere else."""

import os
import re
import secrets
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from uuid import UUID

from sqlalchemy import Dialect, Uuid
from sqlalchemy.exc import DontWrapMixin
from sqlalchemy.types import TypeDecorator

from core import clock

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# For codes that people read aloud and type: no characters that look alike, and no vowels.
READABLE_ALPHABET = "23456789BCDFGHJKMNPQRSTVWXYZ"


class _Base32Digits(dict[int, str]):
    """Translates the letters of an id into the digits that `int` reads, and others into none."""

    def __missing__(self, key: int) -> str:
        return "!"


_DIGITS = _Base32Digits(
    {
        ord(letter): digit
        for letters in (CROCKFORD, CROCKFORD.lower())
        for letter, digit in zip(letters, "0123456789abcdefghijklmnopqrstuv", strict=True)
    }
)
# An id has 26 characters of five bits each. They are encoded in pairs, from three numbers that are
# small enough to be fast: the rows of a list have hundreds of ids.
_PAIRS = [first + second for first in CROCKFORD for second in CROCKFORD]
_FORTY_BITS = (1 << 40) - 1
_RANDOM_BITS = 74
_STEPS = 256
_RANDOM_TOP = 1 << _RANDOM_BITS
MILLISECOND = timedelta(milliseconds=1)


class BadId(DontWrapMixin, ValueError):
    """Text that cannot be an id of the expected kind. The entry points answer "not found"."""

    code = "not_found"
    value = ""
    """The text that was given as an id."""


class _Sequence:
    """UUIDv7 generator. Ids increase within a process, also within one millisecond and when the
    clock is set back.

    The increment within a millisecond is random, so that an id cannot be guessed from the one
    before.
    """

    def __init__(self) -> None:
        self.clock: Callable[[], datetime] | None = None
        self.forget()

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._millis = -1
        self._tail = 0
        self._steps: list[int] = []
        self._correction = clock.correction()

    def next(self) -> int:
        with self._lock:
            millis = self._now()
            if millis > self._millis or (self.clock is not None and millis < self._millis):
                self._millis = millis
                self._tail = secrets.randbits(_RANDOM_BITS)
            else:
                if not self._steps:  # a call of the system for each number takes longer
                    self._steps = array("I", secrets.token_bytes(4 * _STEPS)).tolist()
                self._tail += 1 + self._steps.pop()
                if self._tail >= _RANDOM_TOP:
                    self._millis += 1
                    self._tail = secrets.randbits(_RANDOM_BITS)
            millis, tail = self._millis, self._tail
        high, low = tail >> 62, tail & ((1 << 62) - 1)
        return (millis << 80) | (0x7 << 76) | (high << 64) | (0b10 << 62) | low

    def _now(self) -> int:
        if self.clock is not None:
            return int(self.clock().timestamp() * 1000)
        if (correction := clock.correction()) != self._correction:
            self._correction = correction  # ids from a wrong clock must not hold back later ones
            self._millis = -1
        return time.time_ns() // 1_000_000 + correction // MILLISECOND


_sequence = _Sequence()
# A child that continued its parent's counter would repeat the parent's ids, and the lock may have
# been held by a thread that does not exist in the child.
os.register_at_fork(after_in_child=_sequence.forget)


def new_uuid() -> UUID:
    return UUID(int=_sequence.next())


def new_uuid_text() -> str:
    """As `str(new_uuid())`, in a third of the time: a send needs seven of them."""
    text = f"{_sequence.next():032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


@contextmanager
def dated_by(clock: Callable[[], datetime]) -> Iterator[None]:
    """Take the time of new ids from this clock, for records with a past date such as the demo's
    data. Their ids then sort by that date.
    """
    _sequence.clock = clock
    try:
        yield
    finally:
        _sequence.clock = None
        _sequence.forget()


def new_id(prefix: str) -> str:
    return _written(prefix, _sequence.next())


def from_uuid(prefix: str, uuid: UUID) -> str:
    return _written(prefix, uuid.int)


@lru_cache(maxsize=4096)  # a request writes the id of its message several times
def _written(prefix: str, value: int) -> str:
    _check_prefix(prefix)
    high, middle, low = value >> 80, (value >> 40) & _FORTY_BITS, value & _FORTY_BITS
    return (
        f"{prefix}_{_PAIRS[high >> 40]}"
        f"{_PAIRS[(high >> 30) & 1023]}{_PAIRS[(high >> 20) & 1023]}"
        f"{_PAIRS[(high >> 10) & 1023]}{_PAIRS[high & 1023]}"
        f"{_PAIRS[middle >> 30]}{_PAIRS[(middle >> 20) & 1023]}"
        f"{_PAIRS[(middle >> 10) & 1023]}{_PAIRS[middle & 1023]}"
        f"{_PAIRS[low >> 30]}{_PAIRS[(low >> 20) & 1023]}"
        f"{_PAIRS[(low >> 10) & 1023]}{_PAIRS[low & 1023]}"
    )


def to_uuid(prefix: str, public: str) -> UUID:
    _check_prefix(prefix)
    letters = public[len(prefix) + 1 :]
    if not public.startswith(f"{prefix}_") or len(letters) != 26:
        raise _bad(prefix, public)
    try:
        value = int(letters.translate(_DIGITS), 32)
    except ValueError:
        raise _bad(prefix, public) from None
    if value >> 128:
        raise _bad(prefix, public)
    return UUID(int=value)


def id_time(uuid: UUID) -> datetime:
    """When the id was created, by the corrected clock of the host that created it."""
    return datetime.fromtimestamp((uuid.int >> 80) / 1000, UTC)


def canonical_id(prefix: str, public: str) -> str:
    """The canonical spelling of an id: upper case after the prefix. Raises BadId."""
    return from_uuid(prefix, to_uuid(prefix, public))


def new_tenant_id() -> int:
    """A random number of 15 digits. It reveals nothing and is exact as a JSON number."""
    return 10**14 + secrets.randbelow(9 * 10**14)


def new_token(bits: int = 128) -> str:
    return secrets.token_urlsafe((bits + 7) // 8)


def short_code(length: int) -> str:
    return "".join(secrets.choice(READABLE_ALPHABET) for _ in range(length))


class Id(TypeDecorator[str]):
    """A uuid column whose Python value is the public id. A malformed id raises BadId on bind."""

    impl = Uuid
    cache_ok = True

    def __init__(self, prefix: str) -> None:
        _check_prefix(prefix)
        super().__init__(as_uuid=True)
        self.prefix = prefix

    def process_bind_param(self, value: str | UUID | None, _dialect: Dialect) -> UUID | None:
        if value is None or isinstance(value, UUID):
            return value
        if not isinstance(value, str):
            raise _bad(self.prefix, str(value))
        return to_uuid(self.prefix, value)

    def process_literal_param(self, value: str | None, _dialect: Dialect) -> str:
        return "NULL" if value is None else f"'{to_uuid(self.prefix, value)}'"

    def process_result_value(self, value: UUID | None, _dialect: Dialect) -> str | None:
        return None if value is None else from_uuid(self.prefix, value)

    def __repr__(self) -> str:
        return f"Id({self.prefix!r})"


@lru_cache(maxsize=256)
def _check_prefix(prefix: str) -> None:
    if not re.fullmatch(r"[a-z]{1,8}", prefix):
        raise RuntimeError(f"{prefix!r} cannot be an id prefix: 1 to 8 lower-case letters")


def _bad(prefix: str, public: str) -> BadId:
    # The message does not quote the input: it may be anything, and the message is logged.
    error = BadId(f"that is not an id of the form {prefix}_ and 26 letters and digits")
    error.value = public
    return error
