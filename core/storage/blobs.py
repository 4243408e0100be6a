"""Tenants' files, in a folder or in an S3-compatible bucket, depending on BLOB_URL.

``file:///var/lib/comanda/blobs`` or ``s3://bucket/prefix?endpoint=https://host&region=eu-west-1``.
"""

import hashlib
import hmac
import io
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol, cast
from urllib.parse import parse_qs, quote, unquote, urlsplit

import urllib3

from core import clock

CHUNK = 64 * 1024
IN_MEMORY = 1024 * 1024
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_NOTHING = hashlib.sha256().hexdigest()


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


def blobs_at(url: str, environ: Mapping[str, str] = os.environ) -> Blobs:
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path != "":
        return FolderBlobs(Path(unquote(parts.path)))
    if parts.scheme != "s3" or not parts.netloc:
        raise BadBlobUrl("BLOB_URL must be file:///folder or s3://bucket?endpoint=https://host")
    try:
        access, secret = environ["AWS_ACCESS_KEY_ID"], environ["AWS_SECRET_ACCESS_KEY"]
    except KeyError as missing:
        raise BadBlobUrl(f"{missing.args[0]} is needed for the bucket in BLOB_URL") from None
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    region = options.get("region") or environ.get("AWS_REGION") or "us-east-1"
    return S3Blobs(
        bucket=parts.netloc,
        prefix=parts.path.strip("/"),
        endpoint=options.get("endpoint"),
        signer=Signer(access, secret, region, environ.get("AWS_SESSION_TOKEN")),
    )


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
                size, sha256 = _copy(data, out)
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
        path = root / _checked(key)
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


@dataclass(frozen=True)
class Signer:
    """AWS Signature Version 4 for single requests."""

    access_key: str
    secret_key: str
    region: str
    session_token: str | None = None

    def sign(
        self,
        method: str,
        host: str,
        path: str,
        headers: Mapping[str, str],
        sha256: str,
        at: datetime,
        query: str = "",
    ) -> dict[str, str]:
        """The headers to send. `path` and `query` are percent-encoded, `query` is sorted."""
        stamp = at.strftime("%Y%m%dT%H%M%SZ")
        signed = {name.lower(): value.strip() for name, value in headers.items()}
        signed |= {"host": host, "x-amz-date": stamp, "x-amz-content-sha256": sha256}
        if self.session_token:
            signed["x-amz-security-token"] = self.session_token
        names = ";".join(sorted(signed))
        lines = "".join(f"{name}:{signed[name]}\n" for name in sorted(signed))
        request = f"{method}\n{path}\n{query}\n{lines}\n{names}\n{sha256}"
        scope = f"{stamp[:8]}/{self.region}/s3/aws4_request"
        digest = hashlib.sha256(request.encode()).hexdigest()
        key = f"AWS4{self.secret_key}".encode()
        for part in scope.split("/"):
            key = hmac.digest(key, part.encode(), "sha256")
        text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{digest}"
        signature = hmac.new(key, text.encode(), "sha256").hexdigest()
        signed["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self.access_key}/{scope}, "
            f"SignedHeaders={names}, Signature={signature}"
        )
        return signed


class S3Blobs:
    def __init__(self, bucket: str, prefix: str, endpoint: str | None, signer: Signer) -> None:
        if endpoint:  # other S3-compatible stores: the bucket is in the path
            self._base, folder = endpoint.rstrip("/"), f"/{bucket}"
        else:
            self._base, folder = f"https://{bucket}.s3.{signer.region}.amazonaws.com", ""
        parts = urlsplit(self._base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadBlobUrl("the endpoint in BLOB_URL must be http:// or https:// and a host")
        if parts.path or parts.query:
            raise BadBlobUrl("the endpoint in BLOB_URL must have no path")
        self._host = parts.netloc
        self._bucket = folder
        self._folder = f"{folder}/{_checked(prefix)}" if prefix else folder
        self._signer = signer
        self._pool = urllib3.PoolManager(
            maxsize=8,
            timeout=urllib3.Timeout(connect=5, read=30),
            retries=urllib3.Retry(
                2, redirect=0, backoff_factor=0.2, status_forcelist=(500, 502, 503),
                allowed_methods=None, raise_on_status=False,
            ),
        )  # fmt: skip

    def put(self, key: str, data: bytes | IO[bytes], content_type: str) -> Blob:
        # The signature covers the hash of the whole body, so it must be known before the first
        # byte.
        if not isinstance(data, bytes) and data.seekable() and data.tell() == 0:
            size, sha256 = _copy(data, cast(IO[bytes], _Nowhere()))
            data.seek(0)
            return self._put(key, data, content_type, size, sha256)
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as whole:
            size, sha256 = _copy(data, whole)
            whole.seek(0)
            return self._put(key, whole, content_type, size, sha256)

    def _put(self, key: str, data: Any, content_type: str, size: int, sha256: str) -> Blob:
        headers = {"content-type": content_type, "content-length": str(size)}
        answer = self._request("PUT", key, headers, sha256, body=data if size else b"")
        self._expect(answer, key, 200)
        return Blob(key, size, sha256, content_type)

    def open(self, key: str) -> BinaryIO:
        options: dict[str, Any] = {"preload_content": False, "decode_content": False}
        answer = cast(urllib3.HTTPResponse, self._request("GET", key, **options))
        if answer.status != 200:
            answer.read()
            answer.release_conn()
        self._expect(answer, key, 200)
        answer.auto_close = False  # else the buffer finds its source closed at the end of the body
        return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, answer), CHUNK))

    def delete(self, key: str) -> None:
        self._expect(self._request("DELETE", key), key, 200, 204, 404)

    def exists(self, key: str) -> bool:
        answer = self._request("HEAD", key)
        self._expect(answer, key, 200, 404)
        return answer.status == 200

    def under(self, folder: str, most: int) -> list[BlobEntry]:
        """At most `most` of the blobs whose keys begin with the folder, and never more than
        1,000.
        """
        above = f"{self._folder}/".removeprefix(f"{self._bucket}/")
        prefix = f"{above}{_checked(folder.rstrip('/'))}/"
        params = (("list-type", "2"), ("max-keys", str(min(most, 1000))), ("prefix", prefix))
        query = "&".join(f"{name}={quote(value, safe='-_.~')}" for name, value in params)
        path = quote(f"{self._bucket}/", safe="/-_.~")
        headers = self._signer.sign("GET", self._host, path, {}, _NOTHING, clock.now(), query)
        answer = self._sent("GET", f"{path}?{query}", headers)
        self._expect(answer, folder, 200)
        entries = answer.data.decode().split("<Contents>")[1:]
        return [
            BlobEntry(
                _element("Key", entry).removeprefix(above),
                datetime.fromisoformat(_element("LastModified", entry)),
            )
            for entry in entries
        ]

    def _request(
        self,
        method: str,
        key: str,
        headers: Mapping[str, str] | None = None,
        sha256: str = _NOTHING,
        **options: Any,
    ) -> urllib3.BaseHTTPResponse:
        path = quote(f"{self._folder}/{_checked(key)}", safe="/-_.~")
        signed = self._signer.sign(method, self._host, path, headers or {}, sha256, clock.now())
        return self._sent(method, path, signed, **options)

    def _sent(
        self, method: str, path: str, headers: Mapping[str, str], **options: Any
    ) -> urllib3.BaseHTTPResponse:
        try:
            return self._pool.request(method, self._base + path, headers=headers, **options)
        except urllib3.exceptions.HTTPError as error:
            raise BlobError(f"the blob store cannot be reached: {type(error).__name__}") from error

    def _expect(self, answer: urllib3.BaseHTTPResponse, key: str, *good: int) -> None:
        if answer.status in good:
            return
        if answer.status == 404:
            raise NoSuchBlob(f"there is no blob {key}")
        raise BlobError(f"the blob store answered {answer.status} for {key}")


class _Nowhere(io.RawIOBase):
    def write(self, data: Any) -> int:
        return len(data)


def _checked(key: str) -> str:
    if len(key) > 512 or not _KEY.fullmatch(key):
        raise BadKey("a key is names of letters, digits, . _ and - with slashes between them")
    return key


def _copy(data: bytes | IO[bytes], out: IO[bytes]) -> tuple[int, str]:
    source = io.BytesIO(data) if isinstance(data, bytes) else data
    size, digest = 0, hashlib.sha256()
    while chunk := source.read(CHUNK):
        out.write(chunk)
        digest.update(chunk)
        size += len(chunk)
    return size, digest.hexdigest()


def _element(name: str, xml: str) -> str:
    """The text of an element. The keys and times stored here need no escaping in XML."""
    return xml.partition(f"<{name}>")[2].partition("<")[0]
