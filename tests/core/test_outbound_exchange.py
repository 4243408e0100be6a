"""One exchange: what is said, whom it is said to, and that it ends in time."""

import asyncio
import gzip
import io
import socket
import ssl
import threading
import time

import pytest

from core.outbound import BadUrl, ConnectFailed, Policy, RefusedAddress, Timeout, TooLarge
from core.outbound.aio import Client
from core.outbound.guard import check_url
from core.outbound.sync import default_tls, request
from tests.core.outbound_cast import (
    DOORS,
    Names,
    Server,
    answers,
    by_sync,
    drips,
    like_libc,
    ok,
    tls_pair,
    watched,
)

HERE = Policy(allow_loopback=True)
LOCAL = Names(["127.0.0.1"])


@pytest.fixture(params=list(DOORS))
def call(request):
    return DOORS[request.param]


@pytest.fixture
def reach(call):
    """Call a server of the test by a public name, as if it stood on the internet."""

    def reach(server, method="GET", path="/", scheme="http", **options):
        options.setdefault("resolver", Names(["127.0.0.1"]))
        options.setdefault("policy", Policy(ports=frozenset({server.port}), allow_loopback=True))
        return call(method, f"{scheme}://hook.example.com:{server.port}{path}", **options)

    return reach


def test_an_exchange(reach):
    with Server(ok(b"thanks", b"X-One: a\r\nX-Two: 1\r\nX-Two: 2\r\n")) as server:
        reply = reach(
            server, "POST", "/hook?a=b", body=b'{"a":1}', headers={"Content-Type": "x/y", "A": "b"}
        )
        line, headers, body = server.requests[0]
    assert (reply.status, reply.body, reply.ok, reply.truncated) == (200, b"thanks", True, False)
    assert reply.headers["x-one"] == "a"
    assert reply.headers["x-two"] == "1, 2"
    assert 0 < reply.duration < 5
    assert reply.address == "127.0.0.1"
    assert line == "POST /hook?a=b HTTP/1.1"
    assert body == b'{"a":1}'
    assert headers["host"] == f"hook.example.com:{server.port}"
    assert (headers["content-type"], headers["a"]) == ("x/y", "b")
    assert headers["accept-encoding"] == "identity"
    assert headers["user-agent"] == "Comanda/1"


def test_a_failure_is_an_answer_too(reach):
    with Server(answers(b"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")) as it:
        reply = reach(it)
    assert (reply.status, reply.ok, reply.headers["retry-after"]) == (503, False, "7")


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_other_methods(method, reach):
    with Server(answers(b"HTTP/1.1 204 No\r\n\r\n")) as server:
        assert reach(server, method).status == 204
        assert server.requests[0][0] == f"{method} / HTTP/1.1"


def test_an_ipv6_address(call):
    try:
        server = Server(ok(), host="::1")
    except OSError:
        pytest.skip("this machine has no IPv6")
    with server:
        url = f"http://[::1]:{server.port}/"
        assert call("GET", url, policy=HERE, resolver=like_libc).address == "::1"
        assert server.requests[0][1]["host"] == f"[::1]:{server.port}"


def test_the_next_address_is_tried_when_one_does_not_answer(reach):
    with Server(ok()) as server, watched(block=lambda one: one != "127.0.0.1") as connected:
        reply = reach(server, resolver=Names(["93.184.215.14", "127.0.0.1"]))
    assert reply.address == "127.0.0.1"
    assert connected == ["93.184.215.14", "127.0.0.1"]


def test_the_environments_proxy_is_not_used(reach, monkeypatch):
    with Server(ok()) as proxy, Server(ok(b"direct")) as server:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        assert reach(server).body == b"direct"
        assert proxy.accepted == 0


def test_no_password_from_a_file_at_home(reach, monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine hook.example.com login a password b\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with Server(ok()) as server:
        reach(server)
        assert "authorization" not in server.requests[0][1]


@pytest.mark.parametrize("name", ["Host", "host", "Content-Length", "Transfer-Encoding"])
def test_a_caller_cannot_say_whom_we_call(name, reach):
    with Server(ok()) as server:
        with pytest.raises(ValueError, match="set by the call itself"):
            reach(server, headers={name: "1"})
        assert server.accepted == 0


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nb"])
def test_a_header_cannot_hold_another(value, reach):
    with Server(ok()) as server:
        with pytest.raises(ValueError, match=r"(?i)header"):
            reach(server, headers={"A": value})
        assert server.requests == []


# TLS


def test_tls_goes_to_the_pinned_address_with_the_right_name(reach, tmp_path):
    server_tls, client_tls = tls_pair(tmp_path, "hook.example.com")
    with Server(ok(b"safe"), tls=server_tls) as server:
        reply = reach(server, scheme="https", tls=client_tls)
        assert reply.body == b"safe"
        assert server.names == ["hook.example.com"]
        assert server.requests[0][1]["host"] == f"hook.example.com:{server.port}"


def test_a_certificate_for_another_name(reach, tmp_path):
    server_tls, client_tls = tls_pair(tmp_path, "other.example.com")
    with Server(ok(), tls=server_tls) as server:
        with pytest.raises(ConnectFailed, match=r"certificate of hook\.example\.com") as caught:
            reach(server, scheme="https", tls=client_tls)
        assert server.requests == []
    assert not caught.value.sent


def test_a_certificate_that_nobody_vouches_for(reach, tmp_path):
    server_tls, _ = tls_pair(tmp_path, "hook.example.com")
    with Server(ok(), tls=server_tls) as server:
        with pytest.raises(ConnectFailed, match="certificate"):
            reach(server, scheme="https")
        assert server.requests == []


def test_a_certificate_for_an_address(call, tmp_path):
    server_tls, client_tls = tls_pair(tmp_path, "127.0.0.1")
    with Server(ok(b"safe"), tls=server_tls) as server:
        url = f"https://127.0.0.1:{server.port}/"
        reply = call("GET", url, policy=HERE, resolver=like_libc, tls=client_tls)
        assert reply.body == b"safe"


def test_tls_to_a_server_without_it(reach):
    def talk(connection, _server):
        connection.sendall(b"HTTP/1.1 400 Bad\r\n\r\n")

    with Server(talk) as server, pytest.raises(ConnectFailed, match="TLS") as caught:
        reach(server, scheme="https", timeout=3)
    assert not caught.value.sent


# Time


def ends_in_time(use, limit=0.4):
    started = time.monotonic()
    with pytest.raises(Timeout) as caught:
        use()
    took = time.monotonic() - started
    assert took < limit + 0.7, f"took {took:.1f} s"
    return caught.value


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("talk", "what"),
    [
        (drips(b"", b""), "silence"),
        (drips(b"HTTP/1.1 200 O", b"K"), "a status line without end"),
        (drips(HEAD, b"a"), "a header without end"),
        (drips(HEAD, b"X-A: b\r\n", pause=0.1), "headers without end"),
        (drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "continue without end"),
        (drips(HEAD + b"Content-Length: 9999\r\n\r\n", b"x"), "a slow body"),
        (drips(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"), "slow chunks"),
        (drips(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"), "a slow chunk size"),
        (drips(HEAD + b"\r\n", b"x"), "a body until the end of the connection"),
        (drips(HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"), "slow trailers"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_deadline_holds_whatever_drips(talk, what, reach):
    with Server(talk) as server:
        error = ends_in_time(lambda: reach(server, "POST", body=b"x", timeout=0.4))
        assert error.sent, what
        assert error.code == "timeout"


def test_the_deadline_holds_in_tls(reach, tmp_path):
    server_tls, client_tls = tls_pair(tmp_path, "hook.example.com")
    talk = drips(HEAD + b"Content-Length: 9999\r\n\r\n", b"x")
    with Server(talk, tls=server_tls) as server:
        options = {"scheme": "https", "tls": client_tls, "timeout": 0.4}
        assert ends_in_time(lambda: reach(server, **options)).sent


def test_the_deadline_holds_in_a_handshake_that_does_not_come(reach):
    for talk in (drips(b"", b"", read_first=False), drips(b"\x16\x03\x03\x40\x00", b"\x02")):
        with Server(talk) as server:
            error = ends_in_time(lambda: reach(server, scheme="https", timeout=0.4))
            assert not error.sent


def test_the_deadline_holds_when_the_server_does_not_listen(reach):
    def deaf(_connection, server):
        server.stopped.wait()

    with Server(deaf) as server:
        body = bytes(64 * 1024 * 1024)
        assert ends_in_time(lambda: reach(server, "POST", body=body, timeout=0.4)).sent


def test_the_deadline_holds_while_a_name_is_looked_up(reach):
    awake = threading.Event()

    def slow(host, port):
        awake.wait(10)
        return ["127.0.0.1"]

    with Server(ok()) as server:
        error = ends_in_time(lambda: reach(server, resolver=slow, timeout=0.5), limit=0.5)
        awake.set()
        assert not error.sent
        assert server.requests == []


def test_connecting_has_a_time_of_its_own(reach):
    """A full queue of connections drops the next one, as a dead host does."""
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen(0)
        waiting = []
        for _ in range(4):
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(busy.getsockname())
            waiting.append(client)

        class Full:
            port = busy.getsockname()[1]

        error = ends_in_time(lambda: reach(Full, timeout=8, connect_timeout=0.5), limit=0.5)
        assert not error.sent
        for client in waiting:
            client.close()


# Size


def endless(head):
    def talk(connection, server):
        server.read_request(connection)
        connection.sendall(head)
        server.given = 0
        while not server.stopped.is_set():
            connection.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")
            server.given += 4096

    return talk


CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def test_an_endless_body_is_cut(reach):
    with Server(endless(CHUNKED)) as server:
        reply = reach(server, truncate=True, max_body=65536)
        assert (reply.status, len(reply.body), reply.truncated) == (200, 65536, True)
    assert server.given < 16 * 1024 * 1024


def test_an_endless_body_is_refused_where_the_whole_is_wanted(reach):
    with Server(endless(CHUNKED)) as server, pytest.raises(TooLarge) as caught:
        reach(server, max_body=65536)
    assert (caught.value.code, caught.value.sent) == ("too_large", True)


def test_an_announced_giant_is_refused_before_it_is_read(reach):
    with Server(drips(HEAD + b"Content-Length: 99999999999\r\n\r\n", b"")) as server:
        started = time.monotonic()
        with pytest.raises(TooLarge):
            reach(server, timeout=5)
        assert time.monotonic() - started < 1


@pytest.mark.parametrize("size", [0, 1, 99, 100])
def test_a_body_of_just_the_size(reach, size):
    with Server(ok(b"x" * size)) as server:
        assert reach(server, max_body=100).body == b"x" * size
    with Server(ok(b"x" * 101)) as server, pytest.raises(TooLarge):
        reach(server, max_body=100)


BOMB = gzip.compress(bytes(50 * 1024 * 1024), 9)


def test_a_gzip_bomb_stays_packed(reach):
    with Server(ok(BOMB, b"Content-Encoding: gzip\r\n")) as server:
        reply = reach(server, max_body=len(BOMB))
    assert reply.body == BOMB
    assert reply.headers["content-encoding"] == "gzip"


def test_a_gzip_bomb_that_is_unpacked_is_cut_too():
    policy = Policy(allow_loopback=True)
    with Server(ok(BOMB, b"Content-Encoding: gzip\r\n")) as server:
        url = f"http://127.0.0.1:{server.port}/"
        with pytest.raises(TooLarge):
            request("GET", url, policy=policy, max_body=100_000, decompress=True)
    with Server(ok(gzip.compress(b"hello"), b"Content-Encoding: gzip\r\n")) as server:
        url = f"http://127.0.0.1:{server.port}/"
        assert request("GET", url, policy=policy, decompress=True).body == b"hello"


def test_a_large_body_can_go_to_a_file():
    with Server(ok(bytes(300_000))) as server:
        sink = io.BytesIO()
        reply = by_sync(
            "GET",
            f"http://127.0.0.1:{server.port}/",
            policy=HERE,
            into=sink,
            max_body=400_000,
        )
    assert (reply.body, len(sink.getvalue())) == (b"", 300_000)


# What is not HTTP


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    ],
)
def test_what_does_not_speak_http(raw, reach):
    with Server(answers(raw)) as server, pytest.raises(ConnectFailed) as caught:
        reach(server, "POST", timeout=3)
    assert caught.value.sent


def test_nobody_at_home(call):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        with pytest.raises(ConnectFailed, match="does not take the connection") as caught:
            call("GET", url, policy=HERE, resolver=like_libc)
    assert not caught.value.sent


def test_a_name_that_does_not_exist(call):
    with pytest.raises(ConnectFailed, match="cannot be resolved"):
        call("GET", "http://no.example.com/", policy=Policy(), resolver=like_libc)


# The pooled client


def keeps_alive(connection, server):
    while server.read_request(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\nhi")


def test_a_pool_uses_a_connection_again_and_keeps_no_cookie():
    async def three(port):
        policy = Policy(ports=frozenset({port}), allow_loopback=True)
        url = f"http://hook.example.com:{port}/"
        async with Client(policy, resolver=LOCAL) as client:
            return [(await client.request("POST", url, body=b"x")).status for _ in range(3)]

    with Server(keeps_alive) as server:
        assert asyncio.run(three(server.port)) == [200, 200, 200]
        assert server.accepted == 1
        assert all("cookie" not in headers for _, headers, _ in server.requests)


def test_a_hanging_neighbour_delays_nobody():
    async def batch(slow, quick):
        policy = Policy(allow_loopback=True)
        async with Client(policy, resolver=LOCAL) as client:
            hanging = [
                asyncio.create_task(client.request("GET", slow, timeout=1.0)) for _ in range(40)
            ]
            await asyncio.sleep(0.05)
            replies = [await client.request("GET", quick) for _ in range(20)]
            outcomes = await asyncio.gather(*hanging, return_exceptions=True)
            return replies, outcomes

    with Server(drips(b"", b"")) as slow, Server(ok()) as quick:
        replies, outcomes = asyncio.run(
            batch(f"http://127.0.0.1:{slow.port}/", f"http://127.0.0.1:{quick.port}/")
        )
    assert max(reply.duration for reply in replies) < 0.5
    assert all(isinstance(outcome, Timeout) for outcome in outcomes)


def test_slow_names_delay_nobody():
    awake = threading.Event()

    def names(host, port):
        if host.startswith("slow"):
            awake.wait(10)
        return ["127.0.0.1"]

    async def batch(port):
        policy = Policy(ports=frozenset({port}), allow_loopback=True)
        async with Client(policy, resolver=names) as client:
            hanging = [
                asyncio.create_task(
                    client.request("GET", f"http://slow{i}.example.com:{port}/", timeout=0.5)
                )
                for i in range(10)
            ]
            await asyncio.sleep(0.05)
            quick = await client.request("GET", f"http://quick.example.com:{port}/")
            outcomes = await asyncio.gather(*hanging, return_exceptions=True)
            awake.set()
            return quick, outcomes

    with Server(ok()) as server:
        quick, outcomes = asyncio.run(batch(server.port))
    assert quick.duration < 0.4
    assert all(isinstance(outcome, Timeout) for outcome in outcomes)


def test_a_client_must_be_open():
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(Client(HERE).request("GET", "http://example.com/"))


def test_the_socket_factory_is_a_second_lock():
    """Even an address that nobody checked before gets no socket."""

    async def try_it():
        async with Client(Policy()) as client:
            where = ("127.0.0.1", 80)
            with pytest.raises(RefusedAddress):
                client._socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", where))

    asyncio.run(try_it())


def test_checking_a_url_opens_nothing_and_asks_nobody(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: pytest.fail("asked for a name"))
    with watched() as connected:
        assert check_url("https://hook.example.com/", Policy()).host == "hook.example.com"
        with pytest.raises(BadUrl):
            check_url("https://hook/", Policy())
    assert connected == []


def test_certificates_are_checked_by_default():
    assert default_tls().verify_mode is ssl.CERT_REQUIRED
    assert default_tls().check_hostname
