"""Months are ranges of ids, and are made ahead."""

from datetime import UTC, datetime

from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from core import partitions
from core.clock import now
from core.ids import new_uuid
from jobs.housekeeping import make_months


def test_months_roll_over_the_year():
    found = partitions.months(datetime(2026, 11, 15, tzinfo=UTC), 3)
    assert [f"{month:%Y-%m}" for month in found] == ["2026-11", "2026-12", "2027-01"]


def test_an_id_made_now_lies_in_this_month():
    this, following = partitions.months(now(), 2)
    assert partitions.id_at(this) <= str(new_uuid()) < partitions.id_at(following)


def test_the_job_makes_what_is_missing_and_can_be_run_again(app, settings):
    engine = create_engine(settings.migration_database_url, poolclass=NullPool)
    last = partitions.months(now(), partitions.AHEAD + 1)[-1]
    with engine.begin() as connection:
        for table in partitions.TABLES:
            connection.execute(text(f"DROP TABLE {table}_{last:%Y_%m}"))
        assert partitions.months_ahead(connection, now()) == partitions.AHEAD - 1
    with app.app_context():
        make_months()
        make_months()
    with engine.begin() as connection:
        assert partitions.months_ahead(connection, now()) == partitions.AHEAD
