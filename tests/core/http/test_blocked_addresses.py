"""No blocked address is ever called, neither by threads nor by asyncio."""

import pytest

from core.http import BadUrl, ConnectFailed, OutboundError, Policy, RefusedAddress
from tests.core.http.blocked_addresses import ADDRESSES, ANSWERS, PUBLIC, URLS
from tests.core.http.servers import (
    CLIENTS,
    ScriptedResolver,
    Server,
    lenient_resolver,
    ok_response,
    watch_connections,
)

LITERALS = [
    (f"http://[{address}]:{{port}}/" if ":" in address else f"http://{address}:{{port}}/", reason)
    for address, reason in ADDRESSES
]
RESOLVED = [([address], reason) for address, reason in ADDRESSES] + ANSWERS


@pytest.fixture(scope="module")
def canary():
    with Server(ok_response()) as server:
        yield server


@pytest.fixture(params=list(CLIENTS))
def call(request):
    return CLIENTS[request.param]


@pytest.fixture
def policy(canary):
    # Port rules are off: here the address alone must stop the call.
    return Policy(ports=frozenset({80, 443, canary.port}))


def test_there_are_enough_of_them():
    assert len({address for address, _ in ADDRESSES}) == len(ADDRESSES) > 150
    assert len({url for url, _ in URLS}) == len(URLS) > 150
    assert all(reason for _, reason in ADDRESSES + URLS + ANSWERS)
    assert len(LITERALS) + len(RESOLVED) + len(URLS) > 450


def called(call, *given, **options):
    """What the call raises, and the addresses it connected to."""
    with watch_connections() as connected:
        try:
            call(*given, **options)
        except OutboundError as error:
            return error, connected
    return None, connected


# All in one test: a test of its own for each would take longer than the calls.
def test_a_url_that_must_not_be_called(call, policy, canary):
    for url, reason in URLS + LITERALS:
        place = url.replace("{port}", str(canary.port))
        error, connected = called(call, "POST", place, policy=policy, resolver=lenient_resolver)
        assert isinstance(error, BadUrl | RefusedAddress), (url, reason)
        assert connected == [], (url, reason)
        assert canary.accepted == 0, (url, reason)
        assert not error.sent, (url, reason)


def test_a_name_that_leads_where_it_must_not(call, policy, canary):
    url = f"http://hook.example.com:{canary.port}/"
    for answer, reason in RESOLVED:
        names = ScriptedResolver(answer)
        error, connected = called(call, "POST", url, policy=policy, resolver=names)
        assert isinstance(error, RefusedAddress), (answer, reason)
        assert connected == [], (answer, reason)
        assert canary.accepted == 0, (answer, reason)
        assert names.asked == ["hook.example.com"], (answer, reason)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_called(address, call, canary):
    """Proves that the recorder works: these calls do reach the network."""
    for url, resolver in (
        (f"http://[{address}]/" if ":" in address else f"http://{address}/", lenient_resolver),
        ("http://hook.example.com/", ScriptedResolver([address])),
    ):
        with (
            watch_connections(block=lambda _: True) as connected,
            pytest.raises(ConnectFailed) as caught,
        ):
            call("GET", url, policy=Policy(), resolver=resolver)
        assert connected == [address]
        assert not caught.value.sent


def test_the_canary_does_sing(call, canary):
    with Server(ok_response()) as other, watch_connections() as connected:
        url = f"http://127.0.0.1:{other.port}/"
        reply = call("GET", url, policy=Policy(allow_loopback=True), resolver=lenient_resolver)
        assert (reply.status, other.accepted, connected) == (200, 1, ["127.0.0.1"])


def test_an_answer_that_changes_after_the_check(call, canary, policy):
    """DNS rebinding: the second answer is never requested; the first is used."""
    names = ScriptedResolver(["93.184.215.14"], ["127.0.0.1"])
    url = f"http://hook.example.com:{canary.port}/"
    with watch_connections(block=lambda _: True) as connected, pytest.raises(ConnectFailed):
        call("POST", url, policy=policy, resolver=names)
    assert connected == ["93.184.215.14"]
    assert names.asked == ["hook.example.com"]
    with watch_connections() as connected, pytest.raises(RefusedAddress):
        call("POST", url, policy=policy, resolver=names)
    assert (connected, canary.accepted) == ([], 0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_an_answer_not_a_journey(status, call, canary):
    where = b"http://127.0.0.1:%d/" % canary.port
    raw = b"HTTP/1.1 %d Go\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % (status, where)

    def talk(connection, server):
        server.read_request(connection)
        connection.sendall(raw)

    with Server(talk) as server:
        reply = call(
            "GET",
            f"http://hook.example.com:{server.port}/",
            policy=Policy(ports=frozenset({server.port}), allow_loopback=True),
            resolver=ScriptedResolver(["127.0.0.1"]),
        )
        assert (reply.status, reply.headers["location"]) == (status, where.decode())
        assert (server.accepted, canary.accepted) == (1, 0)
