"""Argon2id hashes, a few at a time: each takes 64 MiB and a fifth of a second.

Hash and compare outside a transaction: a request that waits here must not hold a database
connection.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from core.concurrency_limits import HeavyWork
from core.db import in_transaction
from core.errors import TryAgain, invalid

MIN_LENGTH = 10
MAX_LENGTH = 256
MAX_CONCURRENT = 2
MAX_WAITING = 16  # threads, so that pages are still answered while many people sign in
WAIT_SECONDS = 10

# What people type when ten characters are required.
WEAK_PASSWORDS = {
    *("1234567890", "0123456789", "12345678910", "1111111111", "0000000000"),
    *("qwertyuiop", "qwerty12345", "1q2w3e4r5t", "abcdefghij", "iloveyou123"),
    *("passwordpassword", "password123", "password1234"),
}

# Words that stay weak with digits or punctuation around them, or when repeated.
COMMON_WORDS = (
    "password passwort qwerty qwertz iloveyou letmein welcome admin administrator changeme secret"
    " monkey dragon football sunshine princess abcdef abcdefgh asdfgh asdfghjkl zxcvbn zxcvbnm"
    " parola sifre şifre sifrem şifrem merhaba galatasaray fenerbahce fenerbahçe besiktas beşiktaş"
    " trabzonspor istanbul turkiye türkiye"
)
COMMON = frozenset(COMMON_WORDS.split())
_AROUND = "0123456789 .,;:!?*+-_#@$%&/()="

_hasher = PasswordHasher()


class PasswordHash(str):
    """A password that was checked and hashed. The type prevents storing a plain one by mistake."""

    __slots__ = ()


_dummy_hash = ""
_hashing = HeavyWork(at_once=MAX_CONCURRENT, waiting=MAX_WAITING, seconds=WAIT_SECONDS)


def use_cheap_hashes() -> None:
    """For tests, which create hundreds of people."""
    global _hasher, _dummy_hash
    _hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    _dummy_hash = ""


@contextmanager
def _hashing_slot() -> Iterator[None]:
    if in_transaction():
        raise RuntimeError("hash or compare passwords before the transaction is opened")
    with _hashing.slot() as acquired:
        if not acquired:
            raise TryAgain(
                "try_again", "Many people are signing in right now. Try again in a moment."
            )
        yield


def hash_password(password: str, email: str = "") -> PasswordHash:
    """Raises Invalid for a password that is too short, too long or too easy to guess, and TryAgain
    when too many are being hashed.
    """
    check_password(password, email)
    with _hashing_slot():
        return PasswordHash(_hasher.hash(password))


def check_password(password: str, email: str = "") -> None:
    """Raises Invalid if the password may not be chosen."""
    if len(password) < MIN_LENGTH:
        raise invalid(
            "password",
            "weak_password",
            "Use at least {count} characters for the password.",
            count=MIN_LENGTH,
        )
    if len(password) > MAX_LENGTH:
        raise invalid(
            "password",
            "long_password",
            "Use at most {count} characters for the password.",
            count=MAX_LENGTH,
        )
    lowered = password.lower()
    poor = lowered in WEAK_PASSWORDS or _is_common(lowered) or len(set(lowered)) < 4
    if poor or (email and lowered == email.lower()):
        raise invalid(
            "password", "weak_password", "This password is too easy to guess. Choose another one."
        )


def _is_common(lowered: str) -> bool:
    """`password12`, `!Welcome2026`, `qwertyqwerty`."""
    bare = lowered.strip(_AROUND)
    half = bare[: len(bare) // 2]
    return bare in COMMON or (half in COMMON and bare == half * 2)


def password_matches(password: str, known_hash: str | None) -> bool:
    """Takes as long for an unknown person as for a wrong password."""
    global _dummy_hash
    with _hashing_slot():
        if not _dummy_hash:
            _dummy_hash = _hasher.hash("nobody has this password")
        try:
            _hasher.verify(known_hash or _dummy_hash, password[:MAX_LENGTH])
        except (VerificationError, InvalidHashError):
            return False
    return known_hash is not None


def rehash_password(password: str) -> PasswordHash:
    """Hash without the rules: somebody who signs in may have chosen the password under older
    rules.
    """
    with _hashing_slot():
        return PasswordHash(_hasher.hash(password))


def needs_rehash(known_hash: str) -> bool:
    return _hasher.check_needs_rehash(known_hash)
