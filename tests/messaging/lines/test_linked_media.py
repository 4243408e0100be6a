"""The file of a media message, fetched before it leaves."""

import asyncio
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from core.http import Policy
from core.http.async_client import Client
from messaging.lines.drivers.base import Envelope, SendRefused, TryLater
from messaging.lines.drivers.linked import media as linked_media
from messaging.lines.drivers.linked.client import MediaFileBody
from messaging.reasons import NETWORK_REASONS
from messaging.simulator.sample_photo import sample_png

PNG = sample_png()
FILES = {
    "/photo.png": (200, PNG),
    "/not-a-photo.png": (200, b"<!doctype html><p>Sign in</p>"),
    "/gone": (404, b"gone"),
    "/moved": (302, b""),
    "/busy": (503, b"later"),
    "/empty": (200, b""),
    "/large.png": (200, PNG + b"\0" * (5 * 1024 * 1024)),
    "/bill.pdf": (200, b"%PDF-1.7 ..."),
    "/sheet.xlsx": (200, b"PK\x03\x04 ..."),
    "/voice.ogg": (200, b"OggS ..."),
    "/film.mp4": (200, b"\0\0\0\x18ftypmp42 ..."),
}


@pytest.fixture(scope="module")
def server():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, body = FILES[self.path.partition("?")[0]]
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(
                ConnectionError
            ):  # the server closes the connection if the file is too large
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


def get(url, kind, allow_loopback=True, **content):
    envelope = Envelope("msg_1", 1, 1, 1, "905321112233", kind, "", {"url": url, **content})

    async def go():
        async with Client(Policy(allow_loopback=allow_loopback)) as client:
            return await linked_media.fetch_outgoing_media(client, envelope)

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("path", "kind", "mime_type", "filename"),
    [
        ("/photo.png", "image", "image/png", ""),
        ("/voice.ogg", "audio", "audio/ogg", ""),
        ("/film.mp4", "video", "video/mp4", ""),
        ("/bill.pdf?a=b", "document", "application/pdf", "bill.pdf"),
        ("/sheet.xlsx", "document", linked_media.OFFICE_TYPES["xlsx"], "sheet.xlsx"),
        ("/photo.png", "document", "image/png", "photo.png"),
    ],
)
def test_a_file_is_what_its_first_bytes_say(server, path, kind, mime_type, filename):
    found = get(server + path, kind)
    assert isinstance(found, MediaFileBody)
    assert (found.mime_type, found.filename) == (mime_type, filename)


def test_its_name_may_be_given(server):
    assert get(f"{server}/bill.pdf", "document", filename="Fatura.pdf").filename == "Fatura.pdf"


@pytest.mark.parametrize(
    ("path", "kind", "word"),
    [
        ("/not-a-photo.png", "image", "PNG"),
        ("/voice.ogg", "video", "MP4"),
        ("/photo.png", "audio", "MP3"),
        ("/gone", "image", "404"),
        ("/moved", "image", "302"),
        ("/empty", "image", "empty"),
        ("/large.png", "image", "5 MB"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(server, path, kind, word):
    found = get(server + path, kind)
    assert isinstance(found, SendRefused)
    assert found.code == "media_unusable"
    assert word in NETWORK_REASONS.english(found.reason)


def test_what_may_pass_is_tried_again(server):
    assert isinstance(get(f"{server}/busy", "image"), TryLater)
    assert isinstance(get("http://127.0.0.1:1/nothing", "image"), TryLater)


def test_an_address_of_our_own_is_never_asked(server):
    found = get(f"{server}/photo.png", "image", allow_loopback=False)
    assert isinstance(found, SendRefused)
    assert "address is not valid" in NETWORK_REASONS.english(found.reason)
    assert isinstance(get("http://169.254.169.254/latest", "image"), SendRefused)
