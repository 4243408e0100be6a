"""Calls that come together go together, and fail alone."""

import asyncio

import psycopg2
import pytest

from core.hot_async import AsyncPool
from core.together import MOST, Together

SQL = "SELECT %(tenant_id)s::bigint, %(word)s::text, pg_current_xact_id()::text"


def run(settings, story):
    async def inside():
        async with AsyncPool(settings.database_url, 2) as pool:
            return await story(pool)

    return asyncio.run(inside())


def test_what_comes_during_a_call_is_one_transaction(settings):
    async def story(pool):
        calls = Together(pool, SQL)
        asked = [calls.run(tenant, {"word": f"w{tenant}"}) for tenant in (5, 3, 4, 2)]
        return [rows[0] for rows in await asyncio.gather(*asked)]

    first, *others = run(settings, story)
    assert [row[:2] for row in (first, *others)] == [(5, "w5"), (3, "w3"), (4, "w4"), (2, "w2")]
    assert len({row[2] for row in others}) == 1  # while the first was under way
    assert first[2] != others[0][2]


def test_a_tenant_is_in_a_transaction_once(settings):
    async def story(pool):
        calls = Together(pool, SQL)
        asked = [calls.run(tenant, {"word": "x"}) for tenant in (1, 7, 7, 8)]
        return [rows[0][2] for rows in await asyncio.gather(*asked)]

    _, seven, again, eight = run(settings, story)
    assert seven == eight
    assert again != seven


def test_no_more_than_a_few_go_together(settings):
    async def story(pool):
        calls = Together(pool, SQL)
        asked = [calls.run(tenant, {"word": "x"}) for tenant in range(MOST + 3)]
        return [rows[0][2] for rows in await asyncio.gather(*asked)]

    trips = run(settings, story)
    assert [trips.count(one) for one in dict.fromkeys(trips)] == [1, MOST, 2]


@pytest.mark.parametrize("bad", ["no number", "a\0zero"])
def test_who_breaks_it_fails_alone(settings, bad):
    async def story(pool):
        calls = Together(pool, "SELECT %(tenant_id)s::bigint, %(word)s::integer")
        words = {1: "1", 2: "2", 3: bad, 4: "4"}
        asked = [calls.run(tenant, {"word": word}) for tenant, word in words.items()]
        return await asyncio.gather(*asked, return_exceptions=True)

    one, two, three, four = run(settings, story)
    assert [one, two, four] == [[(1, 1)], [(2, 2)], [(4, 4)]]
    assert isinstance(three, psycopg2.DataError | ValueError)


def test_a_lost_connection_is_everybodys(settings):
    async def story(pool):
        calls = Together(pool, "SELECT %(tenant_id)s::bigint, pg_terminate_backend(%(pid)s)")
        (own,) = (await pool.run("SELECT pg_backend_pid()", {}))[0]
        asked = [calls.run(tenant, {"pid": 0}) for tenant in (1, 2)]
        asked.append(calls.run(3, {"pid": own}))
        return await asyncio.gather(*asked, return_exceptions=True)

    one, two, three = run(settings, story)
    assert one == [(1, False)]
    assert isinstance(two, psycopg2.Error)
    assert isinstance(three, psycopg2.Error)
