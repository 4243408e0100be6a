"""Polls of print agents are counted only after their token is verified."""

import asyncio

import pytest
from aiohttp.test_utils import make_mocked_request

from api.live import print_polling
from api.live.print_polling import PrintPolling


@pytest.fixture
def polling(settings):
    polling = PrintPolling(settings, hub=None)
    yield polling
    polling.close()


def poll(polling, token="", address="192.0.2.1"):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = make_mocked_request("POST", "/print/v1/poll", headers=headers)
    return request.clone(remote=address)


def test_strangers_neither_take_places_nor_keep_asking_the_database(polling, monkeypatch):
    """A poll counts, and queries the database, only after its token is verified."""
    asked, seen = [], []

    async def ask(act):
        asked.append(act)
        seen.append(polling.waiting)

    monkeypatch.setattr(polling, "_run", ask)

    async def story():
        async def status(*given):
            return (await polling.poll(poll(polling, *given))).status

        assert [await status("wrong") for _ in range(print_polling.MOST_WRONG_TOKENS)] == [401] * 20
        assert await status("wrong") == 429
        assert await status("wrong", "192.0.2.2") == 401
        assert await status("", "192.0.2.3") == 401

    asyncio.run(story())
    assert len(asked) == print_polling.MOST_WRONG_TOKENS + 1, "without a token nobody is asked"
    assert set(seen) == {0}
    assert polling.waiting == 0


def test_a_full_server_still_refuses_a_wrong_token_as_wrong(polling, monkeypatch):
    async def known(act):
        return (1, "agt_1")

    monkeypatch.setattr(polling, "_run", known)
    polling.waiting = print_polling.MOST_POLLS
    assert asyncio.run(polling.poll(poll(polling, "right"))).status == 503


def test_an_agent_that_hangs_up_while_it_sends_is_no_error(polling, monkeypatch):
    async def known(act):
        return (1, "agt_1")

    async def hang_up():
        raise ConnectionResetError

    monkeypatch.setattr(polling, "_run", known)
    request = poll(polling, "right")
    monkeypatch.setattr(request, "json", hang_up, raising=False)
    assert asyncio.run(polling.poll(request)).status == 400
    assert polling.waiting == 0
