import hashlib
import io
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import urllib3

from core.storage import blobs as module
from core.storage.blob_stores import blobs_at
from core.storage.blobs import (
    BadBlobUrl,
    BadKey,
    BlobError,
    FolderBlobs,
    NoSuchBlob,
)
from deploy.local.ports import any_free


@pytest.fixture(scope="module")
def s3_server() -> Iterator[str]:
    """moto's S3 server, which keeps the objects in memory."""
    port = any_free()
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield wait_until_it_answers(f"http://127.0.0.1:{port}")
    server.terminate()
    server.wait(10)


def wait_until_it_answers(address: str) -> str:
    for _ in range(600):
        try:
            urllib3.request("GET", f"{address}/moto-api/data.json", retries=False)
        except urllib3.exceptions.HTTPError:
            time.sleep(0.05)
        else:
            return address
    raise AssertionError("the S3 server does not answer")


@pytest.fixture(scope="module")
def access_keys():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "sec/ret+key")
        yield


@pytest.fixture(scope="module")
def bucket_of_module(s3_server, access_keys):
    """One for all tests: a client takes longer to make than most of them."""
    urllib3.request("PUT", f"{s3_server}/box").close()
    return blobs_at(f"s3://box/pre?region=us-east-1&endpoint={s3_server}")


@pytest.fixture
def bucket(bucket_of_module):
    bucket_of_module._prefix = f"pre/{secrets.token_hex(4)}/"
    return bucket_of_module


class Unreliable(BaseHTTPRequestHandler):
    """Answers with the next of the server's states, and afterwards with 200."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.bodies.append(body)
        self.send_response(self.server.states.pop() if self.server.states else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_HEAD = handle_any  # noqa: N815


@pytest.fixture
def unreliable(access_keys):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Unreliable)
    server.daemon_threads = True
    server.states, server.bodies = [], []
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    server.url = f"s3://box?endpoint=http://127.0.0.1:{server.server_port}"
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(params=["folder", "bucket"])
def store(request, tmp_path):
    if request.param == "folder":
        return blobs_at((tmp_path / "my blobs").as_uri())
    return request.getfixturevalue("bucket")


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


def test_the_bucket_gets_the_prefix_and_the_content_type(bucket, s3_server):
    store = blobs_at(f"s3://box/menus/photos?endpoint={s3_server}")
    store.put("a/b.pdf", b"x", "application/pdf")
    stored = bucket._client.get_object(Bucket="box", Key="menus/photos/a/b.pdf")
    assert stored["ContentType"] == "application/pdf"


def test_a_refusal_of_the_bucket_is_an_error(unreliable):
    store = blobs_at(unreliable.url)
    for use in (lambda: store.put("a", b"x", "t/p"), lambda: store.exists("a")):
        unreliable.states = [403]
        with pytest.raises(BlobError, match="403"):
            use()


def test_a_bucket_that_does_not_exist_is_not_an_absent_blob(s3_server, access_keys):
    store = blobs_at(f"s3://no-such-bucket?endpoint={s3_server}")
    with pytest.raises(BlobError, match="404") as caught:
        store.open("a")
    assert not isinstance(caught.value, NoSuchBlob)


def test_a_failed_request_is_repeated_with_the_whole_body(unreliable):
    unreliable.states = [503, 500]
    blobs_at(unreliable.url).put("a", b"whole", "text/plain")
    assert unreliable.bodies == [b"whole"] * 3


def test_a_bucket_that_cannot_be_reached(access_keys):
    store = blobs_at("s3://box?endpoint=http://127.0.0.1:9")
    with pytest.raises(BlobError, match="cannot be reached"):
        store.exists("a")


def test_a_session_token_is_sent(unreliable, monkeypatch):
    monkeypatch.setenv("AWS_SESSION_TOKEN", "tok")
    credentials = blobs_at(unreliable.url)._client._request_signer._credentials
    assert credentials.token == "tok"


def test_amazon_itself_has_the_bucket_in_the_host(access_keys):
    store = blobs_at("s3://box?region=eu-west-1")
    address = store._client.generate_presigned_url(
        "get_object", Params={"Bucket": store._bucket, "Key": "a"}
    )
    assert address.startswith("https://box.s3.eu-west-1.amazonaws.com/a?")


@pytest.mark.parametrize(
    "url",
    ["", "blobs", "file://host/x", "file:", "s3://", "ftp://x/y", "s3://b?endpoint=ftp://x",
     "s3://b?endpoint=http://x/path"],
)  # fmt: skip
def test_a_bad_setting(url, access_keys):
    with pytest.raises(BadBlobUrl):
        blobs_at(url)


def test_missing_keys_are_named(monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    with pytest.raises(BadBlobUrl, match="AWS_SECRET_ACCESS_KEY"):
        blobs_at("s3://b")
