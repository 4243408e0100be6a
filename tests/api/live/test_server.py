"""The live updates server: rights, no missed updates, and no effect between clients."""

import asyncio
import json
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer

from api.live import server as door
from api.live.server import LiveServer
from core import live_updates
from core.clock import frozen, now
from core.security.live_tokens import LIFETIME, make_live_token

TENANT, OTHER = 712345678901234, 712345678901235
MEMBER = "per_1"


@pytest.fixture
def opened(app, settings, redis):
    """Run a scenario against a live updates server that listens on a port."""
    for tenant in (TENANT, OTHER):
        redis.delete(live_updates.channel_key(tenant))

    def run(story):
        async def play():
            async with TestServer(LiveServer(settings).app()) as running, ClientSession() as client:
                pages = Pages(client, running, settings)
                await until(lambda: _health(pages), "redis", True)
                await story(pages)

        asyncio.run(play())

    return run


class Pages:
    def __init__(self, client, running, settings):
        self.client, self.running, self.settings = client, running, settings

    def ticket(self, tenant=TENANT, member=MEMBER, topics=("messages",)):
        return make_live_token(self.settings.secret_key, tenant, member, topics)

    def ask(self, path, after="0-0", ticket=None, **headers):
        headers["Authorization"] = f"Bearer {self.ticket() if ticket is None else ticket}"
        url = self.running.make_url(f"/live/{path}").with_query(after=after)
        return self.client.get(url, headers=headers)

    @asynccontextmanager
    async def stream(self, **more):
        async with self.ask("stream", **more) as answer:
            assert answer.status == 200
            yield Stream(answer.content)


class Stream:
    def __init__(self, content):
        self.content, self.cursor = content, None

    async def next_updates(self, seconds=30.0):
        """The next updates, or None."""
        try:
            async with asyncio.timeout(seconds):
                while line := await self.content.readline():
                    text = line.decode().strip()
                    if text.startswith("id: "):
                        self.cursor = text[4:]
                    elif text.startswith("data: "):
                        return json.loads(text[6:])
        except TimeoutError:
            pass
        return None


def publish(*ids, tenant=TENANT, kind="messages.changed"):
    facts = [{"kind": kind, "id": one} for one in ids]
    return asyncio.to_thread(live_updates.send_updates, tenant, facts)


def test_a_page_receives_updates_of_its_own_tenant_and_topics(opened):
    async def story(pages):
        async with pages.stream() as page:
            await publish("of another", tenant=OTHER)
            await publish("of another topic", kind="orders.changed")
            await publish("mine")
            assert await page.next_updates() == [{"kind": "messages.changed", "id": "mine"}]

    opened(story)


def test_a_page_that_was_away_reads_on_where_it_was(opened):
    async def story(pages):
        async with pages.stream() as page:
            await publish("first")
            await page.next_updates()
        await publish("second")
        await publish("third")
        async with pages.stream(after=page.cursor) as again:
            assert [(await again.next_updates())[0]["id"] for _ in range(2)] == ["second", "third"]
            assert await again.next_updates(0.2) is None

    opened(story)


def test_two_pages_of_one_tenant_share_a_room(opened):
    async def story(pages):
        async with pages.stream() as one, pages.stream() as two:
            await publish("both")
            assert await one.next_updates() == await two.next_updates()
        async with pages.stream(after="0-0") as late:
            assert (await late.next_updates())[0]["id"] == "both"

    opened(story)


@pytest.mark.parametrize("after", ["", "nonsense", "1-1", "9" * 30 + "-0"])
def test_who_cannot_read_on_is_told_to_start_over(opened, after):
    async def story(pages):
        await publish("known")
        async with pages.stream(after=after) as page:
            assert await page.next_updates() == [{"kind": "start-over"}]
            await publish("after that")
            assert (await page.next_updates())[0]["id"] == "after that"

    opened(story)


def test_a_lost_history_is_reported(opened, redis):
    async def story(pages):
        async with pages.stream() as page:
            await publish("first")
            await page.next_updates()
        redis.delete(live_updates.channel_key(TENANT))
        async with pages.stream(after=page.cursor) as again:
            assert await again.next_updates() == [{"kind": "start-over"}]

    opened(story)


def test_a_poll_waits_and_answers_at_once_when_there_is_something(opened):
    async def story(pages):
        waiting = asyncio.create_task(_json(pages.ask("poll")))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        await publish("now")
        received = await waiting
        assert received["news"] == [{"kind": "messages.changed", "id": "now"}]
        nothing = asyncio.create_task(_json(pages.ask("poll", after=received["after"])))
        await asyncio.sleep(0.2)
        assert not nothing.done()
        nothing.cancel()

    opened(story)


def test_a_quiet_poll_ends_with_nothing(opened, monkeypatch):
    monkeypatch.setattr(door, "POLL_SECONDS", 0.1)

    async def story(pages):
        assert await _json(pages.ask("poll")) == {"news": [], "after": "0-0"}

    opened(story)


@pytest.mark.parametrize("ticket", ["", "nonsense", "WzEsMl0.abc"])
@pytest.mark.parametrize("path", ["stream", "poll"])
def test_without_a_ticket_there_is_nothing_to_hear(opened, path, ticket):
    async def story(pages):
        async with pages.ask(path, ticket=ticket) as answer:
            assert answer.status == 401

    opened(story)


def test_a_ticket_expires_and_its_stream_with_it(opened):
    async def story(pages):
        with frozen(now() - LIFETIME - timedelta(seconds=1)):
            old = pages.ticket()
        async with pages.ask("stream", ticket=old) as answer:
            assert (answer.status, (await answer.json())["error"]) == (401, "expired_token")
        with frozen(now() - LIFETIME + timedelta(seconds=1.2)):
            short = pages.ticket()
        async with pages.ask("stream", ticket=short) as answer:
            assert answer.status == 200
            async with asyncio.timeout(4):
                await answer.content.read()

    opened(story)


def test_another_site_gets_nothing_and_our_own_pages_do(opened, settings):
    async def story(pages):
        async with pages.ask("poll", Origin="https://evil.example") as answer:
            assert answer.status == 403
            assert "Access-Control-Allow-Origin" not in answer.headers
        async with pages.ask("stream", Origin=settings.base_url) as answer:
            assert answer.headers["Access-Control-Allow-Origin"] == settings.base_url
        url = pages.running.make_url("/live/stream")
        async with pages.client.options(url, headers={"Origin": settings.base_url}) as answer:
            assert answer.status == 204
            assert answer.headers["Access-Control-Allow-Headers"] == "Authorization"

    opened(story)


def test_one_member_does_not_take_the_place_of_others(opened, monkeypatch):
    monkeypatch.setattr(door, "MOST_OF_MEMBER", 1)

    async def story(pages):
        async with pages.stream():
            async with pages.ask("stream") as answer:
                assert (answer.status, answer.headers["Retry-After"]) == (429, "30")
            async with pages.stream(ticket=pages.ticket(member="per_2")) as page:
                await publish("heard")
                assert await page.next_updates()
        await asyncio.sleep(0.1)
        async with pages.stream():
            pass  # a client that leaves frees its slot

    opened(story)


def test_a_reader_that_is_too_slow_is_let_go(opened, monkeypatch):
    from api.live import hub

    monkeypatch.setattr(hub, "QUEUE_SIZE", 2)
    monkeypatch.setattr(door, "WRITE_SECONDS", 0.3)

    async def story(pages):
        async with pages.ask("stream") as answer:
            answer.content._protocol.pause_reading()
            for _ in range(200):
                await publish(*("x" * 2000 for _ in range(60)))
            await until(lambda: _health(pages), "waiting", 0)

    opened(story)


def test_a_server_that_stops_closes_its_streams(opened):
    async def story(pages):
        async with pages.ask("stream") as answer:
            await answer.content.readline()
            closing = asyncio.create_task(pages.running.close())
            async with asyncio.timeout(3):
                await answer.content.read()
            await closing

    opened(story)


def _health(pages):
    return _json(pages.client.get(pages.running.make_url("/healthz")))


async def until(ask, name, wanted):
    for _ in range(200):
        if (await ask())[name] == wanted:
            return
        await asyncio.sleep(0.03)
    raise AssertionError(f"{name} did not become {wanted}")


async def _json(asked):
    async with asked as answer:
        assert answer.status == 200
        return await answer.json()
