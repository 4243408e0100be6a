"""One HTTP exchange: its content, its destination, and its time limit."""

import asyncio
import socket
import ssl
from ipaddress import ip_address

import pytest

from core.http import BadUrl, ConnectFailed, Policy, RefusedAddress
from core.http.async_client import Client
from core.http.guard import check_url
from core.http.sync_client import default_tls
from tests.core.http.servers import (
    CLIENTS,
    ScriptedResolver,
    Server,
    lenient_resolver,
    ok_response,
    reach_by,
    replies_with,
    tls_pair,
    watch_connections,
)

HERE = Policy(allow_loopback=True)
LOCAL = ScriptedResolver(["127.0.0.1"])


@pytest.fixture(params=list(CLIENTS))
def call(request):
    return CLIENTS[request.param]


@pytest.fixture
def reach(call):
    return reach_by(call)


def test_an_exchange(reach):
    with Server(ok_response(b"thanks", b"X-One: a\r\nX-Two: 1\r\nX-Two: 2\r\n")) as server:
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
    with Server(
        replies_with(b"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
    ) as it:
        reply = reach(it)
    assert (reply.status, reply.ok, reply.headers["retry-after"]) == (503, False, "7")


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_other_methods(method, reach):
    with Server(replies_with(b"HTTP/1.1 204 No\r\n\r\n")) as server:
        assert reach(server, method).status == 204
        assert server.requests[0][0] == f"{method} / HTTP/1.1"


def test_an_ipv6_address(call):
    try:
        server = Server(ok_response(), host="::1")
    except OSError:
        pytest.skip("this machine has no IPv6")
    with server:
        url = f"http://[::1]:{server.port}/"
        assert call("GET", url, policy=HERE, resolver=lenient_resolver).address == "::1"
        assert server.requests[0][1]["host"] == f"[::1]:{server.port}"


def test_the_next_address_is_tried_when_one_does_not_answer(reach):
    with (
        Server(ok_response()) as server,
        watch_connections(block=lambda one: one != "127.0.0.1") as connected,
    ):
        reply = reach(server, resolver=ScriptedResolver(["93.184.215.14", "127.0.0.1"]))
    assert reply.address == "127.0.0.1"
    assert connected == ["93.184.215.14", "127.0.0.1"]


def test_the_environments_proxy_is_not_used(reach, monkeypatch):
    with Server(ok_response()) as proxy, Server(ok_response(b"direct")) as server:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        assert reach(server).body == b"direct"
        assert proxy.accepted == 0


def test_no_password_from_a_file_at_home(reach, monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine hook.example.com login a password b\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with Server(ok_response()) as server:
        reach(server)
        assert "authorization" not in server.requests[0][1]


@pytest.mark.parametrize("name", ["Host", "host", "Content-Length", "Transfer-Encoding"])
def test_a_caller_cannot_say_which_server_is_called(name, reach):
    with Server(ok_response()) as server:
        with pytest.raises(ValueError, match="set by the call itself"):
            reach(server, headers={name: "1"})
        assert server.accepted == 0


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nb"])
def test_a_header_cannot_hold_another(value, reach):
    with Server(ok_response()) as server:
        with pytest.raises(ValueError, match=r"(?i)header"):
            reach(server, headers={"A": value})
        assert server.requests == []


# TLS


def test_tls_goes_to_the_pinned_address_with_the_right_name(reach, tmp_path):
    server_tls, client_tls = tls_pair(tmp_path, "hook.example.com")
    with Server(ok_response(b"safe"), tls=server_tls) as server:
        reply = reach(server, scheme="https", tls=client_tls)
        assert reply.body == b"safe"
        assert server.names == ["hook.example.com"]
        assert server.requests[0][1]["host"] == f"hook.example.com:{server.port}"


def test_a_certificate_for_another_name(reach, tmp_path):
    server_tls, client_tls = tls_pair(tmp_path, "other.example.com")
    with Server(ok_response(), tls=server_tls) as server:
        with pytest.raises(ConnectFailed, match=r"certificate of hook\.example\.com") as caught:
            reach(server, scheme="https", tls=client_tls)
        assert server.requests == []
    assert not caught.value.sent


def test_a_certificate_that_nobody_vouches_for(reach, tmp_path):
    server_tls, _ = tls_pair(tmp_path, "hook.example.com")
    with Server(ok_response(), tls=server_tls) as server:
        with pytest.raises(ConnectFailed, match="certificate"):
            reach(server, scheme="https")
        assert server.requests == []


def test_a_certificate_for_an_address(call, tmp_path):
    server_tls, client_tls = tls_pair(tmp_path, "127.0.0.1")
    with Server(ok_response(b"safe"), tls=server_tls) as server:
        url = f"https://127.0.0.1:{server.port}/"
        reply = call("GET", url, policy=HERE, resolver=lenient_resolver, tls=client_tls)
        assert reply.body == b"safe"


def test_tls_to_a_server_without_it(reach):
    def talk(connection, _server):
        connection.sendall(b"HTTP/1.1 400 Bad\r\n\r\n")

    with Server(talk) as server, pytest.raises(ConnectFailed, match="TLS") as caught:
        reach(server, scheme="https", timeout=3)
    assert not caught.value.sent


# Responses that are not HTTP


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
    with Server(replies_with(raw)) as server, pytest.raises(ConnectFailed) as caught:
        reach(server, "POST", timeout=3)
    assert caught.value.sent


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", 200),
        (b"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok", 204),
        (b"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 202),
    ],
)
def test_who_wants_no_body_is_content_with_a_status_of_success(raw, status):
    with Server(replies_with(raw)) as server:
        reply = reach_by(CLIENTS["aio"])(server, "POST", timeout=3, truncate=True)
    assert (reply.status, reply.ok) == (status, True)


def test_a_failure_that_breaks_off_is_no_success():
    raw = b"HTTP/1.1 500 Oh\r\nContent-Length: 10\r\n\r\nhalf"
    with Server(replies_with(raw)) as server, pytest.raises(ConnectFailed):
        reach_by(CLIENTS["aio"])(server, "POST", timeout=3, truncate=True)


def test_nobody_at_home(call):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        with pytest.raises(ConnectFailed, match="does not take the connection") as caught:
            call("GET", url, policy=HERE, resolver=lenient_resolver)
    assert not caught.value.sent


def test_a_name_that_does_not_exist(call):
    with pytest.raises(ConnectFailed, match="cannot be resolved"):
        call("GET", "http://no.example.com/", policy=Policy(), resolver=lenient_resolver)


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


def test_a_client_must_be_open():
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(Client(HERE).request("GET", "http://example.com/"))


def test_every_socket_checks_its_address_again():
    """Even an address that was not checked before gets no socket."""

    async def try_it():
        async with Client(Policy()) as client:
            with pytest.raises(RefusedAddress):
                client._socket(ip_address("127.0.0.1"))

    asyncio.run(try_it())


def test_checking_a_url_opens_nothing_and_asks_nobody(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: pytest.fail("asked for a name"))
    with watch_connections() as connected:
        assert check_url("https://hook.example.com/", Policy()).host == "hook.example.com"
        with pytest.raises(BadUrl):
            check_url("https://hook/", Policy())
    assert connected == []


def test_certificates_are_checked_by_default():
    assert default_tls().verify_mode is ssl.CERT_REQUIRED
    assert default_tls().check_hostname
