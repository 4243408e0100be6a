"""The number of SQL statements and Redis commands of the most used pages, with the demo's data."""

import pytest

from bench.pages import PAGES, find_paths, recorded_work, sign_in
from deploy.demo import loader as demo
from portal.diner.menu_cache import menu_cache

# Three of them are the same on every page of the portal: `set_tenant`, the session with its person
# and tenants, and the account with the membership and the layout's figures.
MOST_STATEMENTS = {
    "home": 17,
    "inbox": 8,
    "conversation": 18,
    "messages": 6,
    "message": 7,
    "contacts": 7,
    "contact": 16,
    "campaigns": 4,
    "campaign": 9,
    "board": 11,
    "kitchen": 11,
    "orders": 5,
    "order": 16,
    "menu": 9,
    "tables": 6,
    "print_jobs": 5,
    "reports": 8,
    "lines": 4,
    "webhooks": 6,
    "usage": 9,
    "diner": 14,
}
MOST_REDIS_COMMANDS = 1  # where live updates continue


@pytest.fixture(scope="module")
def paths(app):
    return find_paths(_owner(app))


def _owner(app):
    client = app.test_client()
    sign_in(client, demo.OWNER, demo.PASSWORD)
    return client


def test_every_measured_page_is_pinned():
    assert set(MOST_STATEMENTS) == {page.name for page in PAGES}


def test_no_page_needs_more_statements_than_pinned(app, paths):
    client = _owner(app)
    too_many = {}
    for name, path in paths.items():
        work = min((_work_of(app, client, path) for _ in range(2)), key=_size)
        assert len(work.redis_commands) <= MOST_REDIS_COMMANDS, (name, work.redis_commands)
        if len(work.statements) > MOST_STATEMENTS[name]:
            too_many[name] = work.statements
    assert not too_many, _report(too_many)


def _work_of(app, client, path):
    """Once a minute, a request also records when the person was last seen; another one does not."""
    menu_cache.forget()
    with recorded_work(app) as work:
        assert client.get(path).status_code == 200, path
    return work


def _size(work):
    return len(work.statements)


def _report(found):
    return "\n".join(
        f"{name}: {len(statements)} statements instead of {MOST_STATEMENTS[name]}\n"
        + "\n".join("    " + " ".join(one.split())[:200] for one in statements)
        for name, statements in found.items()
    )
