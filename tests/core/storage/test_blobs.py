import hashlib
import hmac
import io
import re
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest

from core.storage import blobs as module
from core.storage.blobs import (
    BadBlobUrl,
    BadKey,
    BlobError,
    FolderBlobs,
    NoSuchBlob,
    Signer,
    blobs_at,
)

KEYS = {"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "sec/ret+key"}


class Bucket(BaseHTTPRequestHandler):
    """A fake bucket that stores blobs and verifies every signature."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def signed(self, body):
        found = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=AKIATEST/(\d{8})/eu-west-1/s3/aws4_request, "
            r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})",
            self.headers.get("Authorization", ""),
        )
        if not found:
            return False
        day, names, signature = found.groups()
        if "host" not in names.split(";") or "x-amz-date" not in names.split(";"):
            return False
        claimed = self.headers["x-amz-content-sha256"]
        if claimed != hashlib.sha256(body).hexdigest():
            return False
        lines = "".join(f"{name}:{self.headers[name]}\n" for name in names.split(";"))
        path, _, query = self.path.partition("?")
        request = f"{self.command}\n{path}\n{query}\n{lines}\n{names}\n{claimed}"
        text = "\n".join(
            [
                "AWS4-HMAC-SHA256",
                self.headers["x-amz-date"],
                f"{day}/eu-west-1/s3/aws4_request",
                hashlib.sha256(request.encode()).hexdigest(),
            ]
        )
        key = b"AWS4sec/ret+key"
        for part in (day, "eu-west-1", "s3", "aws4_request"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return hmac.new(key, text.encode(), hashlib.sha256).hexdigest() == signature

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def listing(self, path, prefix, **asked):
        names = sorted(name.removeprefix(path) for name in self.server.objects)
        found = [name for name in names if name.startswith(prefix)][: int(asked["max-keys"])]
        rows = (
            f"<Contents><Key>{name}</Key><LastModified>2026-11-16T01:02:03.000Z</LastModified>"
            "<Size>1</Size></Contents>"
            for name in found
        )
        return f"<ListBucketResult><Name>box</Name>{''.join(rows)}</ListBucketResult>".encode()

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        store = self.server
        store.seen.append((self.command, self.path))
        if store.hiccups:
            return self.answer(store.hiccups.pop())
        if not self.signed(body):
            return self.answer(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
        if self.command == "PUT":
            store.objects[self.path] = (body, self.headers["Content-Type"])
            return self.answer(200)
        if self.command == "DELETE":
            store.objects.pop(self.path, None)
            return self.answer(204)
        path, _, query = self.path.partition("?")
        if query:
            wanted = {name: values[0] for name, values in parse_qs(query).items()}
            return self.answer(200, self.listing(path, **wanted))
        if self.path not in store.objects:
            return self.answer(404)
        kept, kind = store.objects[self.path]
        return self.answer(200, kept, [("Content-Type", kind), ("Content-Encoding", "gzip")])

    do_GET = do_PUT = do_HEAD = do_DELETE = handle_any  # noqa: N815


@pytest.fixture
def bucket():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    server.daemon_threads = True
    server.objects, server.seen, server.hiccups = {}, [], []
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    server.url = f"s3://box/pre?region=eu-west-1&endpoint=http://127.0.0.1:{server.server_port}"
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(params=["folder", "bucket"])
def store(request, tmp_path):
    if request.param == "folder":
        return blobs_at((tmp_path / "my blobs").as_uri())
    return blobs_at(request.getfixturevalue("bucket").url, KEYS)


@pytest.mark.parametrize("data", [b"", b"hello", bytes(range(256)) * 9000])
def test_what_is_put_can_be_opened(store, data):
    for given in (data, io.BytesIO(data)):
        blob = store.put("t1/menu/a.jpg", given, "image/jpeg")
        assert (blob.key, blob.size) == ("t1/menu/a.jpg", len(data))
        assert blob.sha256 == hashlib.sha256(data).hexdigest()
        with store.open("t1/menu/a.jpg") as stream:
            assert stream.read() == data
    assert store.exists("t1/menu/a.jpg")


def test_a_stream_is_read_in_pieces(store):
    store.put("a", bytes(200_000), "x/y")
    with store.open("a") as stream:
        assert len(stream.read(10)) == 10
        assert sum(map(len, iter(lambda: stream.read(7000), b""))) == 199_990


def test_a_second_put_replaces_the_first(store):
    store.put("a/b", b"one, longer", "text/plain")
    store.put("a/b", b"two", "text/plain")
    assert store.open("a/b").read() == b"two"


def test_what_is_deleted_is_gone(store):
    store.put("a/b", b"x", "text/plain")
    store.delete("a/b")
    store.delete("a/b")
    assert not store.exists("a/b")
    with pytest.raises(NoSuchBlob):
        store.open("a/b")


def test_the_blobs_of_a_folder_are_listed(store):
    """An erasure removes whole folders."""
    for key in ("7/sent/a", "7/sent/b", "7/exports/c", "77/sent/d", "photos/7/e"):
        store.put(key, b"x", "text/plain")
    found = store.under("7/", 100)
    assert sorted(one.key for one in found) == ["7/exports/c", "7/sent/a", "7/sent/b"]
    assert all(one.changed_at.tzinfo for one in found)
    assert len(store.under("7", 2)) == 2
    assert store.under("8/", 100) == []
    with pytest.raises(BadKey):
        store.under("../", 100)


@pytest.mark.parametrize(
    "key",
    ["", "/", "/etc/passwd", "..", "../x", "a/../b", "a/./b", "a//b", "a/", ".hidden", "a/.put-1",
     "a\\b", "a\0b", "a b", "ä", "a\n", "%2e%2e/x", "a" * 513],
)  # fmt: skip
def test_no_key_leaves_the_store(store, key):
    for use in (
        lambda: store.put(key, b"x", "text/plain"),
        lambda: store.open(key),
        lambda: store.exists(key),
        lambda: store.delete(key),
    ):
        with pytest.raises(BadKey):
            use()


def test_a_link_in_the_folder_does_not_lead_out(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    store = FolderBlobs(tmp_path / "blobs")
    store.put("a/b", b"x", "text/plain")
    (tmp_path / "blobs" / "link").symlink_to(outside)
    with pytest.raises(BadKey):
        store.put("link/evil", b"x", "text/plain")
    assert list(outside.iterdir()) == []


def test_a_failed_put_leaves_the_old_blob_and_no_crumbs(tmp_path):
    class Broken(io.BytesIO):
        def read(self, size=-1):
            if self.tell():
                raise OSError("the sender went away")
            return super().read(4)

    store = FolderBlobs(tmp_path)
    store.put("a/b", b"whole", "text/plain")
    with pytest.raises(OSError, match="went away"):
        store.put("a/b", Broken(b"half of it"), "text/plain")
    assert store.open("a/b").read() == b"whole"
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


def test_a_folder_is_not_a_blob(tmp_path):
    store = FolderBlobs(tmp_path)
    store.put("a/b", b"x", "text/plain")
    assert not store.exists("a")
    store.delete("a")
    for key in ("a", "a/b/c"):
        with pytest.raises(NoSuchBlob):
            store.open(key)
    assert store.exists("a/b")


def test_blobs_are_for_their_owner_only(tmp_path):
    store = FolderBlobs(tmp_path / "blobs")
    store.put("a/b", b"x", "text/plain")
    assert (tmp_path / "blobs" / "a" / "b").stat().st_mode & 0o077 == 0


def test_the_blob_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    steps = []
    fsync, replace = module.os.fsync, module.Path.replace
    monkeypatch.setattr(module.os, "fsync", lambda handle: (steps.append("sync"), fsync(handle)))
    monkeypatch.setattr(
        module.Path, "replace", lambda self, to: (steps.append("name"), replace(self, to))
    )
    FolderBlobs(tmp_path).put("a/b", b"x", "text/plain")
    assert steps == ["sync", "name", "sync", "sync"]


def test_the_bucket_gets_the_prefix_and_the_kind(bucket):
    blobs_at(bucket.url, KEYS).put("a/b.pdf", b"x", "application/pdf")
    assert bucket.objects == {"/box/pre/a/b.pdf": (b"x", "application/pdf")}


def test_a_wrong_secret_is_refused_by_the_bucket(bucket):
    store = blobs_at(bucket.url, KEYS | {"AWS_SECRET_ACCESS_KEY": "guess"})
    for use in (lambda: store.put("a", b"x", "t/p"), lambda: store.open("a")):
        with pytest.raises(BlobError, match="403"):
            use()
    assert bucket.objects == {}


def test_a_short_hiccup_is_sat_out_with_the_whole_body(bucket):
    bucket.hiccups = [503, 500]
    blobs_at(bucket.url, KEYS).put("a", b"whole", "text/plain")
    assert bucket.objects["/box/pre/a"][0] == b"whole"
    assert len(bucket.seen) == 3


def test_a_redirect_is_not_followed(bucket):
    bucket.hiccups = [307]
    with pytest.raises(BlobError, match="307"):
        blobs_at(bucket.url, KEYS).exists("a")
    assert len(bucket.seen) == 1


def test_a_bucket_that_is_not_there():
    store = blobs_at("s3://box?endpoint=http://127.0.0.1:9", KEYS)
    store._pool.connection_pool_kw["retries"] = False
    with pytest.raises(BlobError, match="cannot be reached"):
        store.exists("a")


def test_the_published_example_of_the_signature():
    signer = Signer("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1")
    signed = signer.sign(
        "GET",
        "examplebucket.s3.amazonaws.com",
        "/test.txt",
        {"Range": "bytes=0-9"},
        hashlib.sha256(b"").hexdigest(),
        datetime(2013, 5, 24, tzinfo=UTC),
    )
    assert signed["authorization"].endswith(
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
        "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    )


def test_a_session_token_is_signed():
    signed = Signer("a", "b", "c", "tok").sign("GET", "h", "/", {}, "0", datetime.now(UTC))
    assert signed["x-amz-security-token"] == "tok"
    assert "x-amz-security-token" in signed["authorization"]


def test_amazon_itself_has_the_bucket_in_the_host():
    store = blobs_at("s3://box?region=eu-west-1", KEYS)
    assert (store._base, store._folder) == ("https://box.s3.eu-west-1.amazonaws.com", "")


@pytest.mark.parametrize(
    "url",
    ["", "blobs", "file://host/x", "file:", "s3://", "ftp://x/y", "s3://b?endpoint=ftp://x",
     "s3://b?endpoint=http://x/path"],
)  # fmt: skip
def test_a_bad_setting(url):
    with pytest.raises(BadBlobUrl):
        blobs_at(url, KEYS)


def test_missing_keys_are_named():
    with pytest.raises(BadBlobUrl, match="AWS_SECRET_ACCESS_KEY"):
        blobs_at("s3://b", {"AWS_ACCESS_KEY_ID": "x"})
