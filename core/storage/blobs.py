"""Tenants' files: what every store can do, and the store in a folder."""

import hashlib
import io
import os
import re
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO, Protocol

CHUNK = 64 * 1024
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")


class BlobError(ValueError):
    code = "blob_error"


class BadBlobUrl(BlobError):
    code = "bad_blob_url"


class BadKey(BlobError):
    """A key that could leave the store, or that not every store supports."""

    code = "bad_blob_key"


class NoSuchBlob(BlobError):
    code = "not_found"


@dataclass(frozen=True)
class Blob:
    key: str
    size: int
    sha256: str
    content_type: str


@dataclass(frozen=True)
class BlobEntry:
    key: str
    changed_at: datetime


class Blobs(Protocol):
    def put(self, key: str, data: bytes | IO[bytes], content_type: str) -> Blob: ...
    def open(self, key: str) -> BinaryIO: ...
    def delete(self, key: str) -> None: ...
    def exists(self, key: str) -> bool: ...
    def under(self, folder: str, most: int) -> list[BlobEntry]: ...


class FolderBlobs:
    """Writes are atomic: a blob exists completely or not at all, even after a power failure."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, key: str, data: bytes | IO[bytes], content_type: str) -> Blob:
        path = self._path(key)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The leading dot keeps half-written files out of the keys.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".put-")
        try:
            with os.fdopen(handle, "wb") as out:
                size, sha256 = copy_and_hash(data, out)
                out.flush()
                os.fsync(out.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        self._sync_folders(path.parent)
        return Blob(key, size, sha256, content_type)

    def open(self, key: str) -> BinaryIO:
        try:
            return self._path(key).open("rb")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            raise NoSuchBlob(f"there is no blob {key}") from None

    def delete(self, key: str) -> None:
        path = self._path(key)
        if path.is_file():
            path.unlink(missing_ok=True)

    def exists(self, key: str) -> bool:
        return self._path(key).is_file()

    def under(self, folder: str, most: int) -> list[BlobEntry]:
        """At most `most` of the blobs in a folder and its subfolders."""
        root, found = self.root.resolve(), []
        for place, _, names in os.walk(self._path(folder.rstrip("/"))):
            for path in (Path(place) / name for name in sorted(names)):
                if path.name.startswith("."):
                    continue
                changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                found.append(BlobEntry(str(path.relative_to(root)), changed))
                if len(found) == most:
                    return found
        return found

    def _path(self, key: str) -> Path:
        root = self.root.resolve()
        path = root / checked_key(key)
        if not path.resolve().is_relative_to(root):
            raise BadKey("the key leads out of the store")
        return path

    def _sync_folders(self, folder: Path) -> None:
        """A rename or a new folder is durable once its parent folder is synced."""
        root = self.root.resolve()
        for each in (folder, *folder.parents):
            handle = os.open(each, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
            if each == root:
                return


def checked_key(key: str) -> str:
    """Raises BadKey."""
    if len(key) > 512 or not _KEY.fullmatch(key):
        raise BadKey("a key is names of letters, digits, . _ and - with slashes between them")
    return key


def copy_and_hash(data: bytes | IO[bytes], out: IO[bytes]) -> tuple[int, str]:
    source = io.BytesIO(data) if isinstance(data, bytes) else data
    size, digest = 0, hashlib.sha256()
    while chunk := source.read(CHUNK):
        out.write(chunk)
        digest.update(chunk)
        size += len(chunk)
    return size, digest.hexdigest()
