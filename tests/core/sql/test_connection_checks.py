"""Pooled connections are checked after a pause, and replaced if PostgreSQL has closed them."""

from contextlib import closing

from core.db import db, global_scope
from core.sql import connection_checks
from tests.databases import admin_connection


def backend_pid() -> int:
    with global_scope() as session:
        return session.connection().exec_driver_sql("SELECT pg_backend_pid()").scalar_one()


def test_a_connection_that_the_server_closed_is_replaced(app, database, monkeypatch):
    monkeypatch.setattr(connection_checks, "CHECK_AFTER_SECONDS", 0.0)
    with app.app_context():
        closed = backend_pid()
        with closing(admin_connection(database)) as admin, admin.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", (closed,))
        assert backend_pid() != closed


def test_a_connection_in_use_a_moment_ago_is_not_checked(app, monkeypatch):
    checked = []
    monkeypatch.setattr(connection_checks, "CHECK_AFTER_SECONDS", 60.0)
    with app.app_context():
        backend_pid()
        monkeypatch.setattr(db.engine.dialect, "do_ping", checked.append)
        backend_pid()
        assert not checked
        monkeypatch.setattr(connection_checks, "CHECK_AFTER_SECONDS", 0.0)
        backend_pid()
        assert len(checked) == 1
