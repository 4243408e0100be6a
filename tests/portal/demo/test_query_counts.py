"""The number of SQL statements and Redis commands of the most used pages, with the demo's data."""

import pytest

from bench.pages import PAGES, find_paths, recorded_work, sign_in
from deploy.demo import loader as demo
from portal.diner.menu_cache import menu_cache

# Seven of them are the same on every page of the portal: two times `set_tenant`, the session with
# its person, the person's tenants, the account with the membership, the number of unread
# conversations, and whether there is a restaurant.
MOST_STATEMENTS = {
    "home": 35,
    "inbox": 13,
    "conversation": 27,
    "messages": 11,
    "message": 12,
    "contacts": 14,
    "contact": 19,
    "campaigns": 9,
    "campaign": 22,
    "board": 17,
    "kitchen": 17,
    "orders": 10,
    "order": 24,
    "menu": 14,
    "tables": 11,
    "print_jobs": 10,
    "reports": 13,
    "lines": 9,
    "webhooks": 11,
    "usage": 14,
    "diner": 11,
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
