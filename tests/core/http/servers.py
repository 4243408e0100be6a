"""Test servers, well-behaved and not, and a recorder of all connection attempts."""

import asyncio
import contextlib
import errno
import math
import socket
import socketserver
import ssl
import sys
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from core.asyncio_tools import run_blocking
from core.http import Policy, sync_client
from core.http.async_client import Client
from core.http.keep_alive_client import KeepAliveClient

PLAIN_TLS = ssl.create_default_context()


def call_sync(method, url, *, tls=PLAIN_TLS, **options):
    return sync_client.request(method, url, tls=tls, **options)


def call_async(method, url, *, policy, resolver, tls=PLAIN_TLS, **options):
    async def call():
        async with Client(policy, resolver=resolver, tls=tls) as client:
            return await client.request(method, url, **options)

    return asyncio.run(call())


def call_keep_alive(method, url, *, policy, resolver, tls=PLAIN_TLS, **options):
    client = KeepAliveClient(policy, resolver=resolver, tls=tls)
    try:
        return run_blocking(client.until(math.inf).request(method, url, **options))
    finally:
        client.close()


CLIENTS = {"sync": call_sync, "aio": call_async, "keep-alive": call_keep_alive}


def reach_by(call):
    """Call a test server by a public name, as if it were on the internet."""

    def reach(server, method="GET", path="/", scheme="http", **options):
        options.setdefault("resolver", ScriptedResolver(["127.0.0.1"]))
        options.setdefault("policy", Policy(ports=frozenset({server.port}), allow_loopback=True))
        return call(method, f"{scheme}://hook.example.com:{server.port}{path}", **options)

    return reach


_watches = []


def _audit(event, args):
    if event == "socket.connect":
        for watch in _watches:
            watch(args[1])


# A hook below every library: all connections pass through it.
sys.addaudithook(_audit)


@contextlib.contextmanager
def watch_connections(block=None):
    """Record the addresses connected to; refuse those for which `block` returns true."""
    seen = []

    def watch(address):
        seen.append(address[0])
        if block is not None and block(address[0]):
            raise ConnectionRefusedError(errno.ECONNREFUSED, "blocked by the test")

    _watches.append(watch)
    try:
        yield seen
    finally:
        _watches.remove(watch)


class ScriptedResolver:
    """A resolver with a script: each lookup takes the next answer, and the last one repeats."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def __call__(self, host, port):
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def lenient_resolver(host, port):
    """Resolves unusual numeric hosts to an address, as a careless resolver does."""
    try:
        return [socket.inet_ntoa(socket.inet_aton(host))]
    except OSError:
        if host.endswith("localhost"):
            return ["127.0.0.1"]
        raise socket.gaierror(socket.EAI_NONAME, "no such name") from None


class Server:
    """Runs `talk(connection, server)` for each connection, and records the requests."""

    def __init__(self, talk, tls=None, host="127.0.0.1"):
        self.talk, self.tls = talk, tls
        self.accepted, self.requests, self.names = 0, [], []
        self.stopped = threading.Event()
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                outer.accepted += 1
                connection = self.request
                with contextlib.suppress(OSError):
                    if outer.tls is not None:
                        connection = outer.tls.wrap_socket(connection, server_side=True)
                    outer.talk(connection, outer)
                    connection.close()

        class Threads(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True
            block_on_close = False
            request_queue_size = 64
            address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

        self._server = Threads((host, 0), Handler)
        self.port = self._server.server_address[1]
        if tls is not None:
            tls.sni_callback = lambda _socket, name, _context: self.names.append(name)

    def read_request(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return None
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
        while len(body) < int(headers.get("content-length", 0)):
            body += connection.recv(65536)
        self.requests.append((lines[0], headers, body))
        return lines[0], headers, body

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()


def replies_with(raw):
    """A `talk` that reads one request and replies with these bytes."""

    def talk(connection, server):
        if server.read_request(connection):
            connection.sendall(raw)

    return talk


def ok_response(body=b"fine", extra=b""):
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n" % (len(body), extra)
    return replies_with(head + body)


def sends_slowly(start, piece, pause=0.05, read_first=True):
    """A `talk` that sends its bytes in small pieces, without end."""

    def talk(connection, server):
        if read_first:
            server.read_request(connection)
        connection.sendall(start)
        while not server.stopped.wait(pause):
            connection.sendall(piece)

    return talk


def tls_pair(folder, name):
    """A server context with a certificate for `name`, and a client context that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
    try:
        alternative = x509.IPAddress(ip_address(name))
    except ValueError:
        alternative = x509.DNSName(name)
    usage = dict.fromkeys(
        ["content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
         "crl_sign", "encipher_only", "decipher_only"], False,
    )  # fmt: skip
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.KeyUsage(digital_signature=True, key_cert_sign=True, **usage), critical=True
        )
        .add_extension(identifier, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    pem = folder / f"{name.replace(':', '_')}.pem"
    pem.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem)
    return server, ssl.create_default_context(cafile=str(pem))
