"""An exchange ends within its time and size limits, whatever the server does."""

import asyncio
import gzip
import io
import socket
import threading
import time

import pytest

from core.http import Policy, Timeout, TooLarge
from core.http.async_client import Client
from core.http.sync_client import request
from tests.core.http.servers import (
    CLIENTS,
    ScriptedResolver,
    Server,
    call_sync,
    ok_response,
    reach_by,
    sends_slowly,
    tls_pair,
)
from tests.timeouts import allow_for_load

HERE = Policy(allow_loopback=True)
LOCAL = ScriptedResolver(["127.0.0.1"])


@pytest.fixture(params=list(CLIENTS))
def reach(request):
    return reach_by(CLIENTS[request.param])


def ends_in_time(use, limit=0.4):
    started = time.monotonic()
    with pytest.raises(Timeout) as caught:
        use()
    took = time.monotonic() - started
    assert took < limit + allow_for_load(0.7), f"took {took:.1f} s"
    return caught.value


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("talk", "what"),
    [
        (sends_slowly(b"", b""), "silence"),
        (sends_slowly(b"HTTP/1.1 200 O", b"K"), "a status line without end"),
        (sends_slowly(HEAD, b"a"), "a header without end"),
        (sends_slowly(HEAD, b"X-A: b\r\n", pause=0.1), "headers without end"),
        (sends_slowly(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "continue without end"),
        (sends_slowly(HEAD + b"Content-Length: 9999\r\n\r\n", b"x"), "a slow body"),
        (sends_slowly(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"), "slow chunks"),
        (sends_slowly(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"), "a slow chunk size"),
        (sends_slowly(HEAD + b"\r\n", b"x"), "a body until the end of the connection"),
        (
            sends_slowly(HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
            "slow trailers",
        ),
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
    talk = sends_slowly(HEAD + b"Content-Length: 9999\r\n\r\n", b"x")
    with Server(talk, tls=server_tls) as server:
        options = {"scheme": "https", "tls": client_tls, "timeout": 0.4}
        assert ends_in_time(lambda: reach(server, **options)).sent


def test_the_deadline_holds_in_a_handshake_that_does_not_come(reach):
    for talk in (
        sends_slowly(b"", b"", read_first=False),
        sends_slowly(b"\x16\x03\x03\x40\x00", b"\x02"),
    ):
        with Server(talk) as server:
            error = ends_in_time(lambda: reach(server, scheme="https", timeout=0.4))
            assert not error.sent


def test_the_deadline_holds_when_the_server_does_not_listen(reach):
    def never_answers(_connection, server):
        server.stopped.wait()

    with Server(never_answers) as server:
        body = bytes(64 * 1024 * 1024)
        assert ends_in_time(lambda: reach(server, "POST", body=body, timeout=0.4)).sent


def test_the_deadline_holds_while_a_name_is_looked_up(reach):
    awake = threading.Event()

    def slow(host, port):
        awake.wait(10)
        return ["127.0.0.1"]

    with Server(ok_response()) as server:
        error = ends_in_time(lambda: reach(server, resolver=slow, timeout=0.5), limit=0.5)
        awake.set()
        assert not error.sent
        assert server.requests == []


def test_connecting_has_a_time_of_its_own(reach):
    """A full backlog drops the next connection, as a dead host does."""
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


def test_a_long_answer_costs_no_more_memory_than_what_is_kept_of_it():
    """A webhook response beyond 2 KB is not kept in memory."""

    async def ask(port):
        async with Client(HERE, resolver=LOCAL) as client:
            return await client.request(
                "GET", f"http://127.0.0.1:{port}/", max_body=65536, truncate=True, keep=2048
            )

    with Server(endless(CHUNKED)) as server:
        reply = asyncio.run(ask(server.port))
    assert (reply.status, len(reply.body), reply.truncated) == (200, 2048, True)
    with Server(ok_response(b"x" * 3000)) as server:
        reply = asyncio.run(ask(server.port))
    assert (len(reply.body), reply.truncated) == (2048, False)


def test_an_endless_body_is_refused_where_the_whole_is_wanted(reach):
    with Server(endless(CHUNKED)) as server, pytest.raises(TooLarge) as caught:
        reach(server, max_body=65536)
    assert (caught.value.code, caught.value.sent) == ("too_large", True)


def test_an_announced_giant_is_refused_before_it_is_read(reach):
    with Server(sends_slowly(HEAD + b"Content-Length: 99999999999\r\n\r\n", b"")) as server:
        started = time.monotonic()
        with pytest.raises(TooLarge):
            reach(server, timeout=5)
        assert time.monotonic() - started < allow_for_load(1)


@pytest.mark.parametrize("size", [0, 1, 99, 100])
def test_a_body_of_just_the_size(reach, size):
    with Server(ok_response(b"x" * size)) as server:
        assert reach(server, max_body=100).body == b"x" * size
    with Server(ok_response(b"x" * 101)) as server, pytest.raises(TooLarge):
        reach(server, max_body=100)


BOMB = gzip.compress(bytes(50 * 1024 * 1024), 9)


def test_a_gzip_bomb_stays_packed(reach):
    with Server(ok_response(BOMB, b"Content-Encoding: gzip\r\n")) as server:
        reply = reach(server, max_body=len(BOMB))
    assert reply.body == BOMB
    assert reply.headers["content-encoding"] == "gzip"


def test_a_gzip_bomb_that_is_unpacked_is_cut_too():
    policy = Policy(allow_loopback=True)
    with Server(ok_response(BOMB, b"Content-Encoding: gzip\r\n")) as server:
        url = f"http://127.0.0.1:{server.port}/"
        with pytest.raises(TooLarge):
            request("GET", url, policy=policy, max_body=100_000, decompress=True)
    with Server(ok_response(gzip.compress(b"hello"), b"Content-Encoding: gzip\r\n")) as server:
        url = f"http://127.0.0.1:{server.port}/"
        assert request("GET", url, policy=policy, decompress=True).body == b"hello"


def test_a_large_body_can_go_to_a_file():
    with Server(ok_response(bytes(300_000))) as server:
        sink = io.BytesIO()
        reply = call_sync(
            "GET",
            f"http://127.0.0.1:{server.port}/",
            policy=HERE,
            into=sink,
            max_body=400_000,
        )
    assert (reply.body, len(sink.getvalue())) == (b"", 300_000)


# Other exchanges at the same time


@pytest.mark.timing
def test_a_hanging_tenant_delays_nobody():
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

    with Server(sends_slowly(b"", b"")) as slow, Server(ok_response()) as quick:
        replies, outcomes = asyncio.run(
            batch(f"http://127.0.0.1:{slow.port}/", f"http://127.0.0.1:{quick.port}/")
        )
    assert max(reply.duration for reply in replies) < 0.5
    assert all(isinstance(outcome, Timeout) for outcome in outcomes)


@pytest.mark.timing
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

    with Server(ok_response()) as server:
        quick, outcomes = asyncio.run(batch(server.port))
    assert quick.duration < 0.4
    assert all(isinstance(outcome, Timeout) for outcome in outcomes)
