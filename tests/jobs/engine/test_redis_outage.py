"""Workers and the scheduler wait for Redis without crashing."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from redis import Redis

from core.queue.wakeups import queue_named
from tests.chaos.servers import ValkeyServer
from tests.forked_process import ForkedProcess
from tests.timeouts import allow_for_load

PROGRAMS = {"worker": ["-m", "jobs.worker", "default"], "scheduler": ["-m", "jobs.scheduler"]}


@pytest.fixture
def valkey(tmp_path):
    made = ValkeyServer(tmp_path)
    yield made
    made.close()


def started_with_log(command, environment, folder: Path, name: str) -> ForkedProcess:
    log = folder / f"{name}.log"
    log.touch()
    return ForkedProcess(command, environment, log)


@pytest.fixture
def started(valkey, settings, tmp_path):
    """The processes, against a Valkey that can be taken away."""
    environment = {
        **os.environ,
        "APP_ENV": "test",
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": valkey.server.url,
        "SECRET_KEY": settings.secret_key,
        "ENCRYPTION_KEYS": settings.encryption_keys,
        "DATA_DIR": str(tmp_path),
        "MAIL_URL": "mailbox:",
        "LOG_FORMAT": "json",
    }
    running = {}
    for name, arguments in PROGRAMS.items():
        running[name] = started_with_log([sys.executable, *arguments], environment, tmp_path, name)
    yield running
    for process in running.values():
        if process.poll() is None:
            process.kill()
        process.wait(10)


def count_in_log(folder: Path, name: str, what: str) -> int:
    return (folder / f"{name}.log").read_text().count(what)


def until(true, seconds=30.0):
    end = time.monotonic() + allow_for_load(seconds)
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


def test_they_say_it_once_and_go_on_when_it_is_back(valkey, started, tmp_path):
    redis = Redis.from_url(valkey.server.url)
    until(lambda: redis.scard("rq:workers:default") and redis.exists("scheduler:leader"))
    valkey.process.kill()
    valkey.process.wait()
    for name in started:
        until(lambda name=name: count_in_log(tmp_path, name, "redis unavailable, waiting"))
    time.sleep(3)  # several tries
    assert {name: process.poll() for name, process in started.items()} == dict.fromkeys(started)
    valkey.start()
    until(lambda: redis.exists("scheduler:leader"))
    queue = queue_named("default", redis)
    queue.enqueue("jobs.mail.drain", result_ttl=0)
    until(lambda: queue.count == 0)
    until(lambda: queue_named("sweep", redis).count)
    for name, process in started.items():
        assert process.poll() is None
        until(lambda name=name: count_in_log(tmp_path, name, "redis available again"))
        assert count_in_log(tmp_path, name, "redis unavailable, waiting") == 1, name
        assert count_in_log(tmp_path, name, "Traceback") == 0, name


def test_they_end_when_they_are_asked_to_while_it_is_down(valkey, started, tmp_path):
    redis = Redis.from_url(valkey.server.url)
    until(lambda: redis.scard("rq:workers:default") and redis.exists("scheduler:leader"))
    valkey.process.kill()
    for name in started:
        until(lambda name=name: count_in_log(tmp_path, name, "redis unavailable, waiting"))
    for process in started.values():
        process.send_signal(signal.SIGTERM)
    for process in started.values():
        process.wait(allow_for_load(15))


def test_they_start_before_it_does(valkey, settings, tmp_path):
    valkey.process.kill()
    valkey.process.wait()
    environment = {**os.environ, "APP_ENV": "test", "DATABASE_URL": settings.database_url}
    environment |= {"REDIS_URL": valkey.server.url, "SECRET_KEY": settings.secret_key}
    environment |= {"ENCRYPTION_KEYS": settings.encryption_keys, "DATA_DIR": str(tmp_path)}
    for name, arguments in PROGRAMS.items():
        process = started_with_log([sys.executable, *arguments], environment, tmp_path, name)
        try:
            until(lambda name=name: count_in_log(tmp_path, name, "redis unavailable, waiting"))
            assert process.poll() is None
        finally:
            process.kill()
            process.wait(10)
