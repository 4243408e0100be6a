"""Connections that stay open, and requests that another thread continues."""

import threading
import time

import pytest

from core.asyncio_tools import ContinueLater, run_blocking
from core.http import ConnectFailed, Policy, Timeout
from core.http.keep_alive_client import KeepAliveClient
from tests.core.http.servers import Server, ok_response

HERE = Policy(allow_loopback=True)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class ManyAnswers:
    """Answers several requests on one connection; `hold` delays an answer."""

    def __init__(self, answers):
        self.answers = list(answers)
        self.hold = threading.Event()
        self.hold.set()

    def __call__(self, wire, server):
        while self.answers:
            if not server.read_request(wire):
                return
            self.hold.wait(10)
            wire.sendall(self.answers.pop(0))


@pytest.fixture
def client():
    made = KeepAliveClient(HERE)
    yield made
    made.close()


def post(client, server, seconds=10.0, timeout=5.0):
    url = f"http://127.0.0.1:{server.port}/"
    until = time.monotonic() + seconds
    return client.until(until).request("POST", url, body=b"{}", timeout=timeout)


def test_a_connection_is_used_again(client):
    with Server(ManyAnswers([OK, OK, OK])) as server:
        for _ in range(3):
            assert run_blocking(post(client, server)).body == b"ok"
        assert server.accepted == 1


def test_a_server_that_closes_is_not_called_on_the_old_connection(client):
    with Server(ManyAnswers([OK])) as first:
        assert run_blocking(post(client, first)).ok
        time.sleep(0.1)  # the server has closed by now
        first.talk = ManyAnswers([OK])
        assert run_blocking(post(client, first)).ok
        assert first.accepted == 2


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ],
)
def test_a_connection_is_not_kept_against_the_servers_wish(client, answer):
    with Server(ManyAnswers([answer, OK])) as server:
        run_blocking(post(client, server))
        assert not any(client._idle.values())


def test_what_was_idle_for_long_is_not_used(client, monkeypatch):
    monkeypatch.setattr("core.http.keep_alive_client.IDLE_SECONDS", 0.0)
    with Server(ManyAnswers([OK])) as server:
        run_blocking(post(client, server))
        server.talk = ManyAnswers([OK])
        run_blocking(post(client, server))
        assert server.accepted == 2


def test_another_thread_continues_what_takes_too_long(client):
    talk = ManyAnswers([OK])
    talk.hold.clear()
    with Server(talk) as server:
        work = post(client, server, seconds=0.1)
        with pytest.raises(ContinueLater):
            run_blocking(work)
        talk.hold.set()
        found = []
        thread = threading.Thread(target=lambda: found.append(run_blocking(work)))
        thread.start()
        thread.join(10)
        assert found[0].body == b"ok"
        assert server.accepted == 1


def test_the_deadline_of_the_request_is_not_extended(client):
    talk = ManyAnswers([OK])
    talk.hold.clear()
    with Server(talk) as server:
        work = post(client, server, seconds=0.1, timeout=0.4)
        with pytest.raises(ContinueLater):
            run_blocking(work)
        began = time.monotonic()
        with pytest.raises(Timeout) as caught:
            run_blocking(work)
        assert caught.value.sent
        assert time.monotonic() - began < 2
        talk.hold.set()


def test_an_answer_that_breaks_off_was_sent(client):
    with (
        Server(ManyAnswers([b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])) as server,
        pytest.raises(ConnectFailed) as caught,
    ):
        run_blocking(post(client, server))
    assert caught.value.sent


def test_a_header_cannot_add_another(client):
    with Server(ok_response()) as server:
        url = f"http://127.0.0.1:{server.port}/"
        work = client.until(0).request("GET", url, headers={"A": "b\r\nC: d"})
        with pytest.raises(ValueError, match="line break"):
            run_blocking(work)
        assert server.accepted == 0


def test_an_interim_answer_is_skipped(client):
    answer = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK
    with Server(ManyAnswers([answer])) as server:
        reply = run_blocking(post(client, server))
    assert (reply.status, reply.body, "link" in reply.headers) == (200, b"ok", False)
