"""Files that only their owner can read, and locks that end with their process."""

import fcntl
import json
import os
import secrets
from pathlib import Path
from typing import IO


def write_private(path: Path, text: str) -> None:
    """Replace a file atomically; its mode is 0600 from the start."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def read_json(path: Path) -> dict[str, str]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


class Locked(RuntimeError):
    """Another process holds the lock; `holder` is its process id if it could be read."""

    def __init__(self, holder: str) -> None:
        super().__init__(f"locked by {holder}")
        self.holder = holder


def hold_lock(path: Path) -> IO[str]:
    """Take the lock until the returned file is closed. Raises Locked."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    file = os.fdopen(descriptor, "r+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = file.read().strip() or "unknown"
        file.close()
        raise Locked(holder) from None
    file.seek(0)
    file.truncate()
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file
