"""One PostgreSQL and one Valkey for a run; one database for each worker, cloned from a template."""

import asyncio
import gc
import io
import logging
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import psycopg2
import pytest
from redis import Redis
from rq import SimpleWorker

from core.i18n.compile import compile_translations
from core.logs import set_up_logs
from core.queue.registry import ALL_QUEUES
from core.queue.wakeups import SERIALIZER, queue_named
from core.security.encryption import Keyring
from core.security.web_push import new_private_key
from core.settings import Settings, load_settings
from deploy.local.ports import any_free
from deploy.local.servers.test_services import Services
from tenants.audit import SYSTEM, set_actor
from tests.citus.suite import on_citus, start_services
from tests.databases import (
    APP_ROLE,
    HOST_ROLE,
    OWNER_ROLE,
    TEMPLATE,
    admin_connection,
    clone,
    database_url,
    empty_tables,
    make_roles,
)
from tests.factories import Browser, Business, FreshClient, make_business
from tests.rewritten_modules import start_rewriting
from tests.running_service import RunningService, configured_for, use_settings
from tests.service_processes import compiled_templates, start_service

if TYPE_CHECKING:  # imported only by tests that use it
    from playwright.sync_api import Browser as Chromium

ROOT = Path(__file__).parent.parent
REDIS_OF_SERVICES = 8  # of sixteen; the first eight are the test workers' own

# Long tests begin first, so that no worker is left with one at the end. Each group begins the part
# of another worker. The first two need a running service, so no third worker has to start one.
LONG = (
    ("tests/journeys/test_make_run.py", "tests/journeys/", "tests/clients/"),
    ("tests/browser/",),
    ("tests/portal/demo/", "tests/portal/operator/test_commands.py", "tests/portal/web/"),
    (
        "tests/jobs/linked/test_host.py",
        "tests/webhooks/delivery/test_delivery.py",
        "tests/architecture/tenancy/",
    ),
)
# Its thousands of receipts would disturb tests that measure time.
LAST = "tests/journeys/load/test_send_during_campaign.py"

_services: Services | None = None
_module: Path | None = None

# The first example of a process takes a second: Hypothesis reads the constants of our modules then.
hypothesis.settings.register_profile(
    "comanda", suppress_health_check=[hypothesis.HealthCheck.too_slow], deadline=None
)
hypothesis.settings.load_profile("comanda")


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "the tests marked `timing`: with the others (the default), left out, or nothing else"
    parser.addoption("--timing", choices=("with", "without", "only"), default="with", help=told)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Importing every module for the few tests that measure time would take longer than they do."""
    if config.option.timing != "only" or not collection_path.name.startswith("test_"):
        return None
    return "mark.timing" not in collection_path.read_text() or None


def pytest_collection_finish() -> None:
    """Everything imported by now stays, so the garbage collector need not scan it after every test.

    Garbage of the collection stays too, because scanning for it takes as long as many tests.
    A request makes thousands of objects that reference counting frees, so a collection after
    every 700 of them is wasted time.
    """
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if (wanted := config.option.timing) != "with":
        out = [one for one in items if ("timing" in one.keywords) is (wanted == "without")]
        config.hook.pytest_deselected(items=out)
        items[:] = [one for one in items if ("timing" in one.keywords) is (wanted == "only")]
    groups: list[list[pytest.Item]] = [[] for _ in range(len(LONG) + 2)]
    for one in sorted(items, key=_turn):
        groups[_turn(one)[0]].append(one)
    *long, others, last = groups
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items[:] = [*_begin_parts_with(long, others, workers), *last]


def _begin_parts_with(
    long: list[list[pytest.Item]], others: list[pytest.Item], workers: int
) -> list[pytest.Item]:
    """Place the long tests at the start of the workers' parts.

    Each worker begins with an equal part of the list and later takes tests from the end of the
    others' parts.
    """
    size = (sum(map(len, long)) + len(others)) // workers
    rest, found = iter(others), []
    for number in range(workers):
        found += [one for group in long[number::workers] for one in group]
        found += islice(rest, max(0, (number + 1) * size - len(found)))
    return [*found, *rest]


def _turn(item: pytest.Item) -> tuple[int, int]:
    """The group and the place in it."""
    if item.nodeid.startswith(LAST):
        return len(LONG) + 1, 0
    path = item.path.as_posix()
    places = (
        (group, turn)
        for group, parts in enumerate(LONG)
        for turn, part in enumerate(parts)
        if part in path
    )
    return next(places, (len(LONG), 0))


def pytest_configure(config: pytest.Config) -> None:
    """In the process that controls the run: start the servers and create the template."""
    global _services
    if hasattr(config, "workerinput") or config.option.collectonly:
        return
    rewriting = start_rewriting(config)
    compile_translations()
    _services = start_services(ROOT / ".data" / "test")
    os.environ["TEST_ADMIN_URL"] = _services.admin_url.replace("+psycopg2", "")
    os.environ["TEST_REDIS_URL"] = _services.redis_url
    os.environ["TEST_ROLE_PASSWORD"] = secrets.token_urlsafe(16)
    _make_template()
    if rewriting:
        rewriting.join()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    global _module
    if item.path != _module:
        _module = item.path
        if "database" in item.fixturenames:
            empty_tables()


def pytest_unconfigure() -> None:
    if _services is not None:
        _services.stop()


def _make_template() -> None:
    make_roles()
    if on_citus():
        return  # every database is migrated and distributed on its own
    from flask_migrate import upgrade

    from wsgi import build_app

    app = build_app(_settings(TEMPLATE, redis_number=15, owner=database_url(OWNER_ROLE, TEMPLATE)))
    with app.app_context():
        upgrade(directory=str(ROOT / "migrations"))


def _settings(database: str, redis_number: int, owner: str = "") -> Settings:
    """As in production: only migrations use the role that owns the tables."""
    return load_settings(
        app_env="test",
        data_dir=ROOT / ".data" / "test" / database,
        base_url="http://localhost",
        database_url=database_url(APP_ROLE, database),
        migration_database_url=owner,
        redis_url=_redis_url(redis_number),
        secret_key="a secret key only for tests",
        encryption_keys=Keyring.new_entry("k1"),
        mail_url="mailbox:",
        metrics_token="metrics-token",
        allow_loopback=True,
        simulator_url=f"http://127.0.0.1:{any_free()}",
        simulator_secret="the network's secret",
        linked_network="simulator",
        linked_store_url=database_url(HOST_ROLE, f"{database}_linked"),
        linked_lease_seconds=3,
        linger_seconds=0.1,
        log_level="WARNING",
    )


def _redis_url(number: int) -> str:
    return f"{os.environ['TEST_REDIS_URL'].rpartition('/')[0]}/{number}"


@pytest.fixture(scope="session")
def worker_number(worker_id: str) -> int:
    return 0 if worker_id == "master" else int(worker_id.removeprefix("gw"))


@pytest.fixture(scope="session")
def database(worker_number: int) -> str:
    """This worker's own database, cloned from the template."""
    return clone(f"comanda_test_{worker_number}")


@pytest.fixture(scope="session")
def settings(database: str, worker_number: int) -> object:
    return _settings(database, worker_number)


@pytest.fixture(scope="session")
def app(settings: object) -> object:
    from wsgi import build_app

    use_settings(settings)
    made = build_app(settings)
    made.jinja_env.bytecode_cache = compiled_templates()
    made.test_client_class = FreshClient
    return made


@pytest.fixture(scope="session")
def empty_lanes(database: str) -> Iterator[Callable[[], None]]:
    with closing(admin_connection(database)) as connection, connection.cursor() as cursor:
        yield lambda: cursor.execute("DELETE FROM lanes")


@pytest.fixture(autouse=True)
def nobody_acts() -> None:
    """Reset the actor that an earlier test set."""
    set_actor(SYSTEM)


@pytest.fixture(autouse=True)
def _nothing_is_remembered() -> None:
    """Clear what an earlier test cached about a key or a limit."""
    from api.auth import clear_caller_cache

    clear_caller_cache()


@pytest.fixture(autouse=True)
def _buckets_are_full(request: pytest.FixtureRequest) -> None:
    """Refill the rate limits: all test browsers have one address, which may sign in ten times at
    once. Also remove work that an earlier test left behind.
    """
    if "app" in request.fixturenames:
        redis = request.getfixturevalue("redis")
        if "served" in request.fixturenames:
            if found := list(redis.scan_iter("bucket:*", count=1000)):
                redis.delete(*found)
        else:
            redis.flushdb()
            request.getfixturevalue("empty_lanes")()


@pytest.fixture(autouse=True)
def sql_watch(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """Every statement of every test names its tenant (tests/architecture/tenancy/sql_watch.py)."""
    from tests.architecture.tenancy.sql_watch import watch_sql

    with watch_sql() as found:
        yield found
    if request.node.get_closest_marker("allows_any_sql") is None:
        assert not found, "\n".join(found)


@pytest.fixture
def owner_connection(database: str) -> Iterator["psycopg2.extensions.connection"]:
    """As the role that owns the tables: row-level security applies to it too."""
    connection = psycopg2.connect(database_url(OWNER_ROLE, database))
    connection.autocommit = True
    yield connection
    connection.close()


@pytest.fixture
def superuser_connection(database: str) -> Iterator["psycopg2.extensions.connection"]:
    """Sees everything, for checking what is really stored."""
    connection = admin_connection(database)
    yield connection
    connection.close()


@pytest.fixture
def redis(settings: object) -> Redis:
    return _redis_at(settings.redis_url)


@cache
def _redis_at(url: str) -> Redis:
    return Redis.from_url(url)


class OnlyWorker(SimpleWorker):
    """A worker beside which there is no other: it repairs nothing that another left behind and
    takes no commands, because both would take longer than most jobs.
    """

    def run_maintenance_tasks(self) -> None:
        self.last_cleaned_at = datetime.now(UTC)

    def subscribe(self) -> None:
        pass


@pytest.fixture
def run_jobs(app: object, redis: Redis) -> Callable[[], None]:
    """Run a worker in this process until all queues are empty."""

    def run() -> None:
        queues = [queue_named(name, redis) for name in ALL_QUEUES]
        with app.app_context():
            worker = OnlyWorker(queues, connection=redis, serializer=SERIALIZER)
            worker.work(burst=True, logging_level="WARNING")

    return run


@pytest.fixture
def logged(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """The log from now on, as JSON."""
    out = io.StringIO()
    monkeypatch.setattr("sys.stderr", out)
    before, level = logging.getLogger().handlers[:], logging.getLogger().level
    set_up_logs(settings.model_copy(update={"log_format": "json", "log_level": "DEBUG"}))
    yield out.getvalue
    set_up_logs(settings)
    logging.getLogger().handlers[:] = before
    logging.getLogger().setLevel(level)


@pytest.fixture
def restaurant(app: object) -> Business:
    return make_business("Lokanta Mavi")


@pytest.fixture
def shop(app: object) -> Business:
    return make_business("Kumru Atölye")


@pytest.fixture
def browser(app: object) -> Browser:
    return Browser(app.test_client())


@pytest.fixture
def other_browser(app: object) -> Browser:
    return Browser(app.test_client())


@pytest.fixture(scope="session")
def served(worker_number: int) -> Iterator[RunningService]:
    """A running service, separate from the tests of this process; see tests/running_service.py."""
    from wsgi import build_app

    database = clone(f"comanda_served_{worker_number}", emptied=False)
    settings = _settings(database, REDIS_OF_SERVICES + worker_number)
    settings = settings.model_copy(update={"vapid_private_key": new_private_key()})
    with start_service(settings) as running:
        with configured_for(settings):
            app = build_app(settings)
        app.jinja_env.bytecode_cache = compiled_templates()
        app.test_client_class = FreshClient
        yield RunningService(database, settings, app, running)


@pytest.fixture(scope="session")
def demo_app(worker_number: int) -> object:
    """The demo in its own database, for tests that only read it."""
    from deploy.demo import loader as demo
    from tests.short_demo import short_demo
    from wsgi import build_app

    settings = _settings(clone(f"comanda_demo_{worker_number}", emptied=False), worker_number)
    with configured_for(settings):
        made = build_app(settings)
        made.jinja_env.bytecode_cache = compiled_templates()
        made.test_client_class = FreshClient
        with made.app_context(), short_demo():
            demo.load(settings)
    return made


@pytest.fixture(scope="session")
def chromium_of_worker() -> Iterator["Chromium"]:
    from tests.browser.driver import start_chromium

    with start_chromium() as browser:
        asyncio._set_running_loop(None)
        yield browser
