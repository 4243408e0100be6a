"""Concurrent calls are sent in one batch, and each fails on its own."""

import asyncio

import psycopg2
import pytest

from core.sql.async_pool import AsyncPool
from core.sql.batching import MAX_BATCH, Batcher

SQL = "SELECT %(tenant_id)s::bigint, %(word)s::text, pg_current_xact_id()::text"


def run(settings, story):
    async def inside():
        async with AsyncPool(settings.database_url, 2) as pool:
            return await story(pool)

    return asyncio.run(inside())


def test_what_comes_during_a_call_is_one_transaction(settings):
    async def story(pool):
        calls = Batcher(pool, SQL)
        asked = [calls.run(tenant, {"word": f"w{tenant}"}) for tenant in (5, 3, 4, 2)]
        return [rows[0] for rows in await asyncio.gather(*asked)]

    first, *others = run(settings, story)
    assert [row[:2] for row in (first, *others)] == [(5, "w5"), (3, "w3"), (4, "w4"), (2, "w2")]
    assert len({row[2] for row in others}) == 1  # batched while the first was in flight
    assert first[2] != others[0][2]


def test_a_tenant_is_in_a_transaction_once(settings):
    async def story(pool):
        calls = Batcher(pool, SQL)
        asked = [calls.run(tenant, {"word": "x"}) for tenant in (1, 7, 7, 8)]
        return [rows[0][2] for rows in await asyncio.gather(*asked)]

    _, seven, again, eight = run(settings, story)
    assert seven == eight
    assert again != seven


def test_no_more_than_a_few_go_together(settings):
    async def story(pool):
        calls = Batcher(pool, SQL)
        asked = [calls.run(tenant, {"word": "x"}) for tenant in range(MAX_BATCH + 3)]
        return [rows[0][2] for rows in await asyncio.gather(*asked)]

    trips = run(settings, story)
    assert [trips.count(one) for one in dict.fromkeys(trips)] == [1, MAX_BATCH, 2]


@pytest.mark.parametrize("bad", ["no number", "a\0zero"])
def test_who_breaks_it_fails_alone(settings, bad):
    async def story(pool):
        calls = Batcher(pool, "SELECT %(tenant_id)s::bigint, %(word)s::integer")
        words = {1: "1", 2: "2", 3: bad, 4: "4"}
        asked = [calls.run(tenant, {"word": word}) for tenant, word in words.items()]
        return await asyncio.gather(*asked, return_exceptions=True)

    one, two, three, four = run(settings, story)
    assert [one, two, four] == [[(1, 1)], [(2, 2)], [(4, 4)]]
    assert isinstance(three, psycopg2.DataError | ValueError)


def test_a_lost_connection_is_everybodys(settings):
    async def story(pool):
        calls = Batcher(pool, "SELECT %(tenant_id)s::bigint, pg_terminate_backend(%(pid)s)")
        (own,) = (await pool.run("SELECT pg_backend_pid()", {}))[0]
        asked = [calls.run(tenant, {"pid": 0}) for tenant in (1, 2)]
        asked.append(calls.run(3, {"pid": own}))
        return await asyncio.gather(*asked, return_exceptions=True)

    one, two, three = run(settings, story)
    assert one == [(1, False)]
    assert isinstance(two, psycopg2.Error)
    assert isinstance(three, psycopg2.Error)


WRITE = "SELECT app.together_test(%(tenant_id)s::bigint, %(word)s::text)"
FUNCTION = """
CREATE OR REPLACE FUNCTION app.together_test(p_tenant bigint, p_word text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE lookups SET target = p_word WHERE kind = 'together' AND key = p_tenant::text;
    RETURN p_word;
END
$$
"""


@pytest.fixture
def writable(owner_connection):
    with owner_connection.cursor() as cursor:
        cursor.execute(FUNCTION)
        cursor.execute(
            "INSERT INTO lookups (kind, key, tenant_id, target)"
            " SELECT 'together', n::text, n, 'old' FROM generate_series(1, 4) AS n"
        )
        yield
        cursor.execute("DELETE FROM lookups WHERE kind = 'together'")
        cursor.execute("DROP FUNCTION app.together_test")


def test_a_locked_row_of_one_tenant_delays_no_other(settings, writable):
    holder = psycopg2.connect(settings.database_url.replace("+psycopg2", ""))
    with holder.cursor() as cursor:
        cursor.execute("UPDATE lookups SET target = 'held' WHERE kind = 'together' AND key = '3'")

    async def story(pool):
        calls = Batcher(pool, WRITE)
        first = asyncio.create_task(calls.run(1, {"word": "first"}))
        await asyncio.sleep(0)
        others = [asyncio.create_task(calls.run(one, {"word": "new"})) for one in (2, 3, 4)]
        await asyncio.wait_for(asyncio.gather(first, others[0], others[2]), 10)
        waits = not others[1].done()
        holder.rollback()
        return waits, await others[1]

    try:
        assert run(settings, story) == (True, [("new",)])
    finally:
        holder.close()
    with psycopg2.connect(settings.database_url.replace("+psycopg2", "")) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT key, target FROM lookups WHERE kind = 'together' ORDER BY key")
        assert cursor.fetchall() == [("1", "first"), ("2", "new"), ("3", "new"), ("4", "new")]


def test_the_branch_that_limits_waiting_writes_nothing(settings, writable):
    async def story(pool):
        rows = await pool.run_many(
            "SELECT app.together_test(%(tenant_id)s::bigint, %(word)s::text)"
            " || current_setting('lock_timeout')",
            [{"tenant_id": 1, "word": "a"}, {"tenant_id": 2, "word": "b"}],
        )
        alone = await pool.run("SELECT current_setting('lock_timeout')", {})
        return rows, alone

    assert run(settings, story) == ([[("a500ms",)], [("b500ms",)]], [("0",)])
