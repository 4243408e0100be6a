"""Each code sample runs in its own language and must send the call."""

import json
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from portal.developers.code_samples import Upload, code_samples, first_message_samples

KEY = "ck_test_000000000000000000000000000000000000"
BODY = {"phone": "905321112233", "message": 'Ada\'s "table" is $5', "tags": ["a"], "on": True}
RUNNERS = {
    "curl": ["bash", "-s"],
    "Python": [sys.executable, "-"],
    "JavaScript": ["node", "--input-type=module", "-"],
    "PHP": ["php"],
}


@pytest.fixture
def customer():
    """A server that records its requests."""
    asked = []

    class Keeps(BaseHTTPRequestHandler):
        def do_POST(self):
            size = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(size)
            is_json = self.headers["Content-Type"] == "application/json"
            body = json.loads(raw) if is_json else raw or None
            asked.append((self.command, self.path, self.headers["Authorization"], body))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"status": "success"}')

        do_GET = do_PUT = do_POST  # noqa: N815

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Keeps)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("language", RUNNERS)
@pytest.mark.parametrize(("method", "body"), [("POST", BODY), ("GET", None)])
def test_a_sample_sends_what_it_says(customer, language, method, body):
    if shutil.which(RUNNERS[language][0]) is None:
        pytest.skip(f"{RUNNERS[language][0]} is not installed")
    url, asked = customer
    text = dict(code_samples(method, f"{url}/api/v1/messages/send?limit=2", body, KEY))[language]
    done = subprocess.run(
        RUNNERS[language], input=text, text=True, capture_output=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr
    assert asked == [(method, "/api/v1/messages/send?limit=2", f"Bearer {KEY}", body)]


@pytest.mark.parametrize("language", RUNNERS)
def test_a_sample_with_a_file_sends_its_bytes(customer, language, tmp_path):
    if shutil.which(RUNNERS[language][0]) is None:
        pytest.skip(f"{RUNNERS[language][0]} is not installed")
    url, asked = customer
    (tmp_path / "menu.pdf").write_bytes(b"%PDF-1.7 \x00\xff")
    text = dict(code_samples("PUT", f"{url}/x", Upload("menu.pdf"), KEY))[language]
    done = subprocess.run(
        RUNNERS[language],
        input=text,
        text=True,
        capture_output=True,
        timeout=30,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert asked == [("PUT", "/x", f"Bearer {KEY}", b"%PDF-1.7 \x00\xff")]


def test_without_a_new_key_it_comes_from_the_environment():
    for language, text in first_message_samples("https://x.example/api/v1", line_id=7):
        assert "COMANDA_API_KEY" in text, language
        assert "ck_" not in text
        assert "7" in text


def test_the_test_line_needs_no_number():
    for _, text in first_message_samples("https://x.example/api/v1", KEY):
        assert "instance_id" not in text
        assert KEY in text
