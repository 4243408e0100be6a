"""Bodies that break off, over real sockets, under both web servers: nothing is stored or sent."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from deploy.local.ports import any_free
from messaging.lines.simulated_line import add_simulated_line
from tests.forked_process import ForkedProcess
from tests.timeouts import allow_for_load

BODY = b'{"phone": "905321112233", "message": "Hi there"}'
SERVERS = {
    "granian": ["granian", "--interface", "wsgi", "--workers", "1", "--port", "{port}"],
    "gunicorn": ["gunicorn", "--worker-class", "gthread", "--bind", "127.0.0.1:{port}"],
}


@pytest.fixture(params=SERVERS, scope="module")
def port(request, app, settings):
    free = any_free()
    command = [sys.executable, "-m", *(one.format(port=free) for one in SERVERS[request.param])]
    environment = os.environ | {
        "APP_ENV": "test",
        "DATA_DIR": str(settings.data_dir),
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": settings.secret_key,
        "ENCRYPTION_KEYS": settings.encryption_keys,
        "MAIL_URL": "mailbox:",
        "LOG_LEVEL": "WARNING",
    }
    server = ForkedProcess([*command, "wsgi:app"], environment)
    try:
        _wait_until_it_listens(free)
        yield free
    finally:
        server.terminate()
        try:
            server.wait(5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@pytest.fixture
def business(restaurant, settings):
    with restaurant.scope():
        add_simulated_line("Desk", "http://localhost", settings.simulator_secret, test=False)
    return restaurant


def _wait_until_it_listens(port):
    end = time.monotonic() + allow_for_load(30)
    while True:
        try:
            urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2).close()
            return
        except (URLError, OSError):
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def exchange(
    port, business, sent, *, head, path="/messages/send", method="POST", close=False, whole=False
):
    """What is answered when the client stops sending here; empty when it hung up."""
    lines = [
        f"{method} /api/v1{path} HTTP/1.1",
        "Host: localhost",
        f"Authorization: {business.bearer['Authorization']}",
        "Content-Type: application/json",
        "Prefer: respond-async",
        head,
        "",
        "",
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=allow_for_load(15)) as talk:
        talk.sendall("\r\n".join(lines).encode() + sent)
        if close:
            return b""
        if not whole:
            talk.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := talk.recv(65536):
            answer += piece
            if b"request_id" in answer or b'"status"' in answer:
                break
        return answer


def sent_messages(client, business):
    return client.get("/api/v1/messages", headers=business.bearer).json["data"]


def test_a_body_shorter_than_announced_is_refused(port, business, client):
    answer = exchange(port, business, BODY, head="Content-Length: 400")
    assert b" 400 " in answer.splitlines()[0], answer
    assert b"incomplete_body" in answer
    exchange(port, business, BODY, head="Content-Length: 400", close=True)
    for chunks in (b"30\r\n" + BODY[:-4], b"8\r\n" + BODY[:8] + b"\r\nZZ\r\n"):
        broken = exchange(port, business, chunks, head="Transfer-Encoding: chunked")
        assert b" 400 " in broken.splitlines()[0], broken
    whole = exchange(port, business, BODY, head=f"Content-Length: {len(BODY)}", whole=True)
    assert b" 202 " in whole.splitlines()[0], whole
    assert len(sent_messages(client, business)) == 1


def test_a_file_that_broke_off_is_not_stored(port, business, client, settings):
    new = {"name": "Spring", "message": "Hi"}
    made = client.post("/api/v1/campaigns", json=new, headers=business.bearer)
    assert made.status_code == 201, made.json
    campaign = made.json["id"]
    path = f"/campaigns/{campaign}/header-file?filename=cut.pdf"
    put = {"path": path, "method": "PUT"}
    cut = exchange(port, business, b"%PDF-1.7" + b"x" * 990, head="Content-Length: 200009", **put)
    chunked = exchange(
        port, business, b"8\r\n%PDF-1.7\r\n", head="Transfer-Encoding: chunked", **put
    )
    assert b" 400 " in cut.splitlines()[0], cut
    assert b" 411 " in chunked.splitlines()[0], chunked
    assert b"incomplete_body" in cut
    assert not [one for one in Path(settings.data_dir).rglob("*") if one.name.endswith(".pdf")]
