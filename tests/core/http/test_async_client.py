"""Connections of the asyncio client: when they are used again, and when they are closed."""

import asyncio

import pytest

from core.http import ConnectFailed, Policy, Timeout
from core.http.async_client import Client
from tests.core.http.servers import Server, sends_slowly

HERE = Policy(allow_loopback=True)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def answers(*raws):
    """Answers one request after the other on a connection, then closes it."""

    def talk(connection, server):
        for raw in raws:
            if not server.read_request(connection):
                return
            connection.sendall(raw)

    return talk


def run(server, use):
    async def inside():
        async with Client(HERE) as client:

            async def post(**options):
                url = f"http://127.0.0.1:{server.port}/"
                return await client.request("POST", url, body=b"{}", **options)

            return await use(client, post)

    return asyncio.run(inside())


async def wait_until(condition):
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - nothing signals it
            await asyncio.sleep(0.01)


def test_concurrent_requests_have_a_connection_each():
    async def use(client, post):
        first = await asyncio.gather(post(), post(), post())
        second = await asyncio.gather(post(), post(), post())
        return [reply.body for reply in first + second]

    with Server(answers(OK, OK)) as server:
        assert run(server, use) == [b"ok"] * 6
        assert server.accepted == 3


def test_a_connection_that_the_server_closed_is_not_used_again():
    async def use(client, post):
        statuses = [(await post()).status]
        await asyncio.sleep(0.1)  # the server has closed by now
        return [*statuses, (await post()).status]

    with Server(answers(OK)) as server:
        assert run(server, use) == [200, 200]
        assert server.accepted == 2


def test_a_closed_connection_is_noticed_even_before_the_event_loop_has_run():
    async def use(client, post):
        await post()
        [[kept]] = client._idle.values()
        server.stopped.wait(0.1)  # blocks the loop while the server closes
        return kept.closed, kept.usable()

    with Server(answers(OK)) as server:
        assert run(server, use) == (False, False)


def closes_instead_of_the_second_answer(connection, server):
    if server.read_request(connection):
        connection.sendall(OK)
        server.read_request(connection)


def test_a_request_that_meets_a_closing_connection_is_sent_again_only_if_it_may_be_repeated():
    async def use(client, post):
        url = f"http://127.0.0.1:{server.port}/"
        await client.request("GET", url)
        again = await client.request("GET", url)
        with pytest.raises(ConnectFailed) as caught:
            await post()
        return again.status, caught.value.sent

    with Server(closes_instead_of_the_second_answer) as server:
        assert run(server, use) == (200, True)
        assert [line.split()[0] for line, _, _ in server.requests] == ["GET"] * 3 + ["POST"]


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\n\r\nok",
        OK + b"and more",
        OK + OK,
    ],
    ids=[
        "asked to close",
        "an old version",
        "ends with the connection",
        "more data",
        "two answers",
    ],
)
def test_a_connection_is_closed_unless_the_answer_ends_clearly(raw):
    async def use(client, post):
        reply = await post()
        return reply.status, reply.body, list(client._idle.values())

    with Server(answers(raw)) as server:
        assert run(server, use) == (200, b"ok", [])


def test_a_connection_is_closed_after_a_request_without_an_answer():
    async def use(client, post):
        with pytest.raises(Timeout):
            await post(timeout=0.1)
        return list(client._idle.values())

    with Server(sends_slowly(b"", b"")) as server:
        assert run(server, use) == []


def test_idle_connections_are_closed_after_a_while(monkeypatch):
    monkeypatch.setattr("core.http.async_client.IDLE_SECONDS", 0.1)

    async def use(client, post):
        await post()
        [[kept]] = client._idle.values()
        await wait_until(lambda: kept.closed)
        await wait_until(lambda: not client._idle)
        return client._sweep

    with Server(answers(OK, OK)) as server:
        assert run(server, use) is None


def test_all_connections_are_closed_with_the_client():
    async def use(client, post):
        await asyncio.gather(post(), post())
        return [kept for [*some] in client._idle.values() for kept in some]

    with Server(answers(OK, OK)) as server:
        kept = run(server, use)
    assert [one.closed for one in kept] == [True, True]


def test_an_answer_to_head_has_no_body():
    async def use(client, _post):
        return await client.request("HEAD", f"http://127.0.0.1:{server.port}/")

    with Server(answers(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")) as server:
        reply = run(server, use)
    assert (reply.status, reply.body, reply.headers["content-length"]) == (200, b"", "5")


def test_an_interim_answer_is_skipped():
    async def use(client, post):
        return await post()

    interim = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    with Server(answers(interim + OK)) as server:
        reply = run(server, use)
    assert (reply.status, reply.body, "link" in reply.headers) == (200, b"ok", False)
