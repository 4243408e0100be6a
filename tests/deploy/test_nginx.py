"""nginx with the deployed configuration, in front of a server that returns what it received."""

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from deploy.local.ports import any_free

DEPLOY = Path(__file__).parents[2] / "deploy"
HOST = "comanda.example.com"
NGINX = shutil.which("nginx") or next(
    (str(place) for place in (Path("/usr/sbin/nginx"),) if place.is_file()), None
)

needs_nginx = pytest.mark.skipif(not NGINX, reason="there is no nginx here")


class Echo(BaseHTTPRequestHandler):
    """In place of the app: answers with the headers that it received."""

    protocol_version = "HTTP/1.1"
    numbers = count()

    def do_GET(self) -> None:
        payload = {"path": self.path, "number": next(self.numbers), **dict(self.headers)}
        body, is_file = json.dumps(payload).encode(), self.path.startswith("/static/")
        self.send_response(200)
        self.send_header("Content-Type", "text/css" if is_file else "text/html")
        if is_file:
            self.send_header("Cache-Control", "public, max-age=60")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def make_certificate(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    moment = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(moment - timedelta(days=1))
        .not_valid_after(moment + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir()
    (folder / "fullchain.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "privkey.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


@dataclass
class Front:
    folder: Path
    plain_port: int
    tls_port: int

    def get(self, path: str, host: str = HOST, **headers: str) -> tuple[int, dict[str, str], bytes]:
        trusted = ssl.create_default_context(cafile=str(self.folder / "tls" / "fullchain.pem"))
        door = http.client.HTTPConnection("127.0.0.1", self.tls_port, timeout=30)
        socket_ = socket.create_connection(("127.0.0.1", self.tls_port), timeout=30)
        door.sock = trusted.wrap_socket(socket_, server_hostname=host)
        try:
            door.request("GET", path, headers={"Host": host, **headers})
            answer = door.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            door.close()


@pytest.fixture(scope="module")
def echo_port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def lay_out(tmp_path_factory: pytest.TempPathFactory) -> object:
    """The deployed file with the paths and ports of this machine, otherwise unchanged."""

    def build(upstream_port: int) -> Front:
        folder = tmp_path_factory.mktemp("nginx")
        front = Front(folder, any_free(), any_free())
        make_certificate(folder / "tls")
        text = (DEPLOY / "nginx.conf").read_text()
        for found, ours in (
            ("/etc/nginx/tls", f"{folder}/tls"),
            ("/var/cache/nginx", f"{folder}/cache"),
            ("/run/nginx.pid", f"{folder}/pid"),
            ("/dev/stderr", f"{folder}/error.log"),
            ("include mime.types;", "types { text/css css; }"),
            ("listen 80;", f"listen 127.0.0.1:{front.plain_port};"),
            ("listen 443 ssl", f"listen 127.0.0.1:{front.tls_port} ssl"),
        ):
            assert found in text, found
            text = text.replace(found, ours)
        text = "\n".join(line for line in text.splitlines() if "listen [::]" not in line)
        # started as root, its workers run under another account, which cannot enter this folder
        user = "user root;\n" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(f"daemon off;\n{user}{text}\n")
        upstream = (DEPLOY / "nginx" / "upstream.local.conf").read_text()
        (folder / "upstream.conf").write_text(upstream.replace(":8000", f":{upstream_port}"))
        live = (DEPLOY / "nginx" / "live.local.conf").read_text()
        (folder / "live.conf").write_text(live.replace(":8020", f":{upstream_port}"))
        (folder / "cache").mkdir()
        return front

    return build


@pytest.fixture(scope="module")
def start(lay_out: object) -> Iterator[object]:
    running = []

    def run(upstream_port: int) -> Front:
        front = lay_out(upstream_port)
        command = [NGINX, "-p", str(front.folder), "-c", "nginx.conf", "-e", "error.log"]
        running.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        for _ in range(600):
            try:
                http.client.HTTPConnection("127.0.0.1", front.plain_port, timeout=1).connect()
            except OSError:
                time.sleep(0.05)
            else:
                return front
        raise RuntimeError((front.folder / "error.log").read_text())

    yield run
    for process in running:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
def front(start: object, echo_port: int) -> Front:
    return start(echo_port)


@pytest.fixture(scope="module")
def lonely_front(start: object) -> Front:
    """nginx without a server behind it."""
    return start(any_free())


@needs_nginx
def test_what_a_caller_claims_is_dropped(front: Front) -> None:
    status, _, body = front.get(
        "/home",
        **{
            "X-Forwarded-For": "10.9.9.9",
            "X-Forwarded-Proto": "http",
            "X-Forwarded-Host": "evil.example",
            "X-Request-Id": "mine",
            "Forwarded": "for=10.9.9.9",
            "Proxy": "http://evil.example",
        },
    )
    seen = json.loads(body)
    assert status == 200
    assert seen["X-Forwarded-For"] == "127.0.0.1"
    assert seen["X-Forwarded-Proto"] == "https"
    assert seen["X-Forwarded-Host"] == seen["Host"] == HOST
    assert not {"X-Request-Id", "Forwarded", "Proxy"} & set(seen)


@needs_nginx
@pytest.mark.parametrize("path", ["/metrics", "/readyz"])
def test_doors_for_machines_inside_are_closed(front: Front, path: str) -> None:
    assert front.get(path)[0] == 404


@needs_nginx
def test_pages_are_not_compressed(front: Front) -> None:
    _, headers, _ = front.get("/home?" + "a" * 3000, **{"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in headers


@needs_nginx
def test_files_are_kept_as_long_as_the_app_says(front: Front) -> None:
    first = front.get("/static/theme.css")
    assert json.loads(first[2])["X-Forwarded-Proto"] == "https"
    assert front.get("/static/theme.css")[2] == first[2]
    assert front.get("/home")[2] != front.get("/home")[2]


@needs_nginx
def test_files_are_compressed(front: Front) -> None:
    _, headers, _ = front.get("/static/" + "a" * 3000, **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"


@needs_nginx
def test_another_host_gets_no_certificate(front: Front) -> None:
    with pytest.raises(ssl.SSLError):
        front.get("/", host="other.example.com")


@needs_nginx
def test_plain_http_is_sent_to_https_on_our_own_name(front: Front) -> None:
    door = http.client.HTTPConnection("127.0.0.1", front.plain_port, timeout=30)
    door.request("GET", "/home?a=1", headers={"Host": "evil.example"})
    answer = door.getresponse()
    assert answer.status == 308
    assert answer.getheader("Location") == f"https://{HOST}/home?a=1"
    door.close()


@needs_nginx
def test_the_api_is_json_even_when_nobody_is_behind_it(lonely_front: Front) -> None:
    status, headers, body = lonely_front.get("/api/v1/me")
    told = json.loads(body)
    assert (status, told["status"], told["code"]) == (503, "error", "try_again")
    assert headers["Content-Type"] == "application/json"
    assert headers["Retry-After"] == "2"
    assert headers["X-Request-Id"] == told["request_id"]


@needs_nginx
def test_a_body_too_large_is_reported_in_the_apis_format(front: Front) -> None:
    status, _, body = front.get("/api/v1/me", **{"Content-Length": str(40 * 1024 * 1024)})
    assert (status, json.loads(body)["code"]) == (413, "body_too_large")


@needs_nginx
def test_a_page_shows_that_nothing_is_lost(lonely_front: Front) -> None:
    status, _, body = lonely_front.get("/home")
    assert status == 503
    assert b"Nothing is lost" in body


@needs_nginx
def test_live_updates_reach_the_page_as_they_come(start: object) -> None:
    """A stream whose second event never comes must not hold back the first."""
    listener = socket.create_server(("127.0.0.1", 0))

    def send_one_event() -> None:
        door, _ = listener.accept()
        door.recv(4096)
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        door.sendall(f"{head}data: [1]\n\n".encode())
        time.sleep(60)
        door.close()

    threading.Thread(target=send_one_event, daemon=True).start()
    front = start(listener.getsockname()[1])
    trusted = ssl.create_default_context(cafile=str(front.folder / "tls" / "fullchain.pem"))
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", front.tls_port), timeout=30) as plain:
        door = trusted.wrap_socket(plain, server_hostname=HOST)
        door.sendall(f"GET /live/stream HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
        received = b""
        while b"[1]" not in received:
            received += door.recv(4096)
    assert time.monotonic() - began < 30
    listener.close()


def test_polls_of_25_seconds_pass() -> None:
    text = (DEPLOY / "nginx.conf").read_text()
    assert "proxy_read_timeout 30s;" in text


# The files that read an upload, with an address that takes one.
UPLOADS = {
    "portal/contacts/import_views.py": "/contacts/import",
    "portal/contacts/forms.py": "/contacts/import",
    "portal/restaurant/site_views.py": "/restaurants/sit_1",
    "portal/restaurant/forms.py": "/restaurants/sit_1",
    "portal/restaurant/menu_import_views.py": "/menus/men_1/import",
    "portal/restaurant/item_views.py": "/menus/items/itm_1",
    "portal/inbox/action_views.py": "/inbox/cnv_1/answer",
    "portal/inbox/template_views.py": "/inbox/cnv_1/template",
    "portal/campaigns/forms.py": "/campaigns/cmp_1/what",
    "portal/messages/template_editor_form.py": "/templates/new",
    "api/v1/messaging/campaigns.py": "/api/v1/campaigns/cmp_1/header-file",
    "api/v1/messaging/media.py": "/api/v1/media",
}


def limits() -> list[tuple[str, bool]]:
    """The regular expression of each location, and whether it takes large files."""
    text = (DEPLOY / "nginx.conf").read_text()
    return [
        (found[1], "client_max_body_size 33m" in found[2])
        for found in re.finditer(r"location ~ (\S+) \{(.*?)\n        \}", text, re.DOTALL)
    ]


def test_large_bodies_pass_only_where_files_are_uploaded() -> None:
    """Elsewhere one address could fill the disk with gigabytes of request bodies."""
    root = DEPLOY.parent
    reading = {
        str(path.relative_to(root))
        for folder in ("portal", "api")
        for path in (root / folder).rglob("*.py")
        if re.search(r"request\.files|FileField\(|^@takes_file", path.read_text(), re.MULTILINE)
    }
    assert reading == set(UPLOADS)
    for address in UPLOADS.values():
        assert any(large and re.search(where, address) for where, large in limits()), address
    for address in ("/api/v1/messages/send", "/hooks/cloud/x", "/r/mavi/cart", "/signin", "/"):
        assert not any(re.search(where, address) for where, _ in limits()), address


@needs_nginx
def test_a_body_beyond_the_limit_is_refused_by_nginx_itself(front: Front) -> None:
    large = {"Content-Length": str(20 * 1024 * 1024)}
    assert front.get("/r/mavi/cart", **large)[0] == 413
    assert json.loads(front.get("/api/v1/messages/send", **large)[2])["code"] == "body_too_large"
