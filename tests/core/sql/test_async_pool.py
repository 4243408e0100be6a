"""Statements of the async pool: in parallel, and after the server was away."""

import asyncio

import psycopg2
import pytest

from core.sql.async_pool import AsyncPool

ME = "SELECT pg_backend_pid()"


def run(settings, work, size=2):
    async def inside():
        async with AsyncPool(settings.database_url, size) as pool:
            return await asyncio.wait_for(work(pool), 20)

    return asyncio.run(inside())


def test_many_wait_for_few_connections(settings):
    async def work(pool):
        return await asyncio.gather(*(pool.run("SELECT %(n)s", {"n": n}) for n in range(20)))

    assert run(settings, work) == [[(n,)] for n in range(20)]


def test_a_fault_of_one_statement_leaves_its_connection_usable(settings):
    async def work(pool):
        with pytest.raises(psycopg2.errors.DivisionByZero):
            await pool.run("SELECT 1 / 0", {})
        return await pool.run("SELECT 7", {})

    assert run(settings, work, size=1) == [(7,)]


def test_connections_that_were_cut_are_replaced(settings, superuser_connection):
    """Idle connections and one in use; their file descriptors are reused at once."""

    async def work(pool):
        pids = [(await pool.run(ME, {}))[0][0] for _ in range(3)]
        sleeping = asyncio.create_task(pool.run("SELECT pg_sleep(30)", {}))
        await asyncio.sleep(0.3)
        with superuser_connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE usename = 'comanda_app' AND datname = current_database()"
                " AND (pid = ANY(%s) OR query LIKE 'SELECT pg_sleep%%')",
                (pids,),
            )
        with pytest.raises(psycopg2.OperationalError):
            await sleeping
        return await asyncio.gather(*(pool.run("SELECT %(n)s", {"n": n}) for n in range(8)))

    assert run(settings, work) == [[(n,)] for n in range(8)]
    assert run(settings, lambda pool: pool.run("SELECT 1", {})) == [(1,)]
