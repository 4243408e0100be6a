"""Monthly partitions are ranges of ids, and are created in advance."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import psycopg2
import pytest

from core.clock import frozen, now
from core.db import global_scope
from core.ids import new_uuid
from core.sql import partitions
from jobs.maintenance import create_month_partitions, rotate_day_partitions
from jobs.webhooks import worker as webhook_worker
from tests.databases import APP_ROLE, admin_connection, database_url
from webhooks.delivery import retention as webhook_retention

BOUNDS = """
SELECT relname, pg_get_expr(relpartbound, oid) FROM pg_class
 WHERE relispartition AND relkind = 'r' ORDER BY relname
"""


@pytest.fixture
def as_owner(owner_connection):
    with owner_connection.cursor() as cursor:
        yield cursor


@pytest.fixture
def as_app(database):
    connection = psycopg2.connect(database_url(APP_ROLE, database))
    connection.autocommit = True
    with connection.cursor() as cursor:
        yield cursor
    connection.close()


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_left(app, database):
    """Remove the partitions: each one makes claims in later tests a little slower."""
    with closing(admin_connection(database)) as connection, connection.cursor() as cursor:
        before = _partitions(cursor)
        yield
        for name in _partitions(cursor) - before:
            cursor.execute(f'DROP TABLE "{name}"')


def _partitions(cursor):
    cursor.execute("SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r'")
    return {name for (name,) in cursor.fetchall()}


def months_ahead():
    with global_scope() as session:
        return partitions.months_ahead(session.connection(), now())


def days_ahead():
    with global_scope() as session:
        return partitions.days_ahead(session.connection(), now())


def test_months_roll_over_the_year():
    found = partitions.months(datetime(2026, 11, 15, tzinfo=UTC), 3)
    assert [f"{month:%Y-%m}" for month in found] == ["2026-11", "2026-12", "2027-01"]


def test_an_id_made_now_lies_in_this_month():
    this, following = partitions.months(now(), 2)
    assert partitions.id_at(this) <= str(new_uuid()) < partitions.id_at(following)


def test_the_job_makes_what_is_missing_as_the_role_of_the_service(app, settings, as_owner):
    """In the shipped units no worker has the credentials of the tables' owner."""
    assert not settings.migration_database_url
    last = partitions.months(now(), partitions.MONTHS_AHEAD + 1)[-1]
    for table in partitions.TABLES:
        as_owner.execute(f"DROP TABLE {table}_{last:%Y_%m}")
    with app.app_context():
        assert months_ahead() == partitions.MONTHS_AHEAD - 1
        assert create_month_partitions() == [f"{table}_{last:%Y_%m}" for table in partitions.TABLES]
        assert create_month_partitions() == []
        assert months_ahead() == partitions.MONTHS_AHEAD


def test_an_installation_that_is_a_year_old_still_has_its_months(app, as_owner):
    """A service that has run for months still accepts messages."""
    with app.app_context():
        try:
            with frozen(now() + timedelta(days=365)) as later:
                assert months_ahead() == 0
                create_month_partitions()
                rotate_day_partitions()
                assert months_ahead() == partitions.MONTHS_AHEAD
                assert days_ahead() == partitions.DAYS_AHEAD
                webhook_worker.delete_old_events()
                old = f"events_{later - timedelta(days=365):%Y_%m}"
                as_owner.execute("SELECT to_regclass(%s)", [old])
                assert as_owner.fetchone() == (None,), "events are kept for some weeks only"
        finally:
            for table in (*partitions.TABLES, *partitions.DAILY_TABLES):
                as_owner.execute("SELECT app.make_partitions(%s, now(), 3)", [table])


def test_the_functions_cut_where_the_code_looks(app, as_owner):
    """The SQL functions use the same bounds as `create_statements` and `create_day`.

    Also in December, and in a session with another time zone.
    """
    as_owner.execute("SET timezone = 'America/New_York'")
    moment = datetime(2031, 11, 30, 23, 30, tzinfo=UTC)
    as_owner.execute("SELECT app.make_partitions('messages', %s, 1)", [moment])
    as_owner.execute("SELECT app.make_partitions('api_calls', %s, 1)", [moment])
    as_owner.execute(BOUNDS)
    bounds = dict(as_owner.fetchall())
    for month in partitions.months(moment, 2):
        statement = partitions.create_statements("messages", month)
        assert statement.endswith(bounds[f"messages_{month:%Y_%m}"])
    for day in (moment, moment + timedelta(days=1)):
        statement = partitions.create_day("api_calls", day)
        assert statement.endswith(bounds[partitions.day_name("api_calls", day)])
    as_owner.execute("SELECT app.drop_partitions('api_calls', '2031-12-01T00:00:00Z')")
    dropped = [name for (name,) in as_owner.fetchall()]
    assert "api_calls_2031_11_30" in dropped
    assert "api_calls_2031_12_01" not in dropped
    as_owner.execute("DROP TABLE messages_2031_11, messages_2031_12, api_calls_2031_12_01")
    as_owner.execute("SELECT app.make_partitions('api_calls', now(), %s)", [partitions.DAYS_AHEAD])


def test_the_lists_of_tables_agree(as_app):
    for table in (*partitions.TABLES, *partitions.DAILY_TABLES):
        as_app.execute("SELECT app.make_partitions(%s, now(), 0)", [table])
    for table in (*webhook_retention.TABLES, *partitions.DAILY_TABLES):
        as_app.execute("SELECT app.drop_partitions(%s, '2020-01-01T00:00:00Z')", [table])


@pytest.mark.parametrize(
    "call",
    [
        "app.make_partitions('accounts', now(), 1)",
        "app.make_partitions('messages; DROP TABLE accounts', now(), 1)",
        "app.make_partitions('messages', now(), 1000)",
        "app.drop_partitions('messages', now())",
        "app.drop_partitions('accounts', now())",
    ],
)
def test_the_role_of_the_service_can_do_nothing_else_with_them(as_app, call):
    with pytest.raises(psycopg2.errors.InvalidParameterValue):
        as_app.execute(f"SELECT {call}")


def test_nobody_else_may_call_them(superuser_connection):
    with superuser_connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname, prosecdef, proconfig, proacl::text FROM pg_proc"
            " WHERE proname IN ('make_partitions', 'drop_partitions')"
        )
        found = cursor.fetchall()
    assert len(found) == 2
    for name, definer, config, rights in found:
        assert definer, name
        assert "search_path=pg_catalog, pg_temp" in config, name
        granted = {one.partition("=")[0] for one in rights.strip("{}").split(",")}
        assert granted == {"comanda_owner", APP_ROLE}, name


def test_a_busy_table_holds_up_neither_requests_nor_the_other_tables(app, as_owner, database):
    """A new partition gives up waiting for its lock after a few seconds."""
    last = partitions.months(now(), partitions.MONTHS_AHEAD + 1)[-1]
    for table in ("events", "deliveries"):
        as_owner.execute(f"DROP TABLE {table}_{last:%Y_%m}")
    reader = psycopg2.connect(database_url(APP_ROLE, database))
    with reader.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM events")
    with app.app_context():
        with pytest.raises(RuntimeError, match="events"):
            create_month_partitions()
        reader.rollback()
        assert create_month_partitions() == [f"events_{last:%Y_%m}"]
    reader.close()
