"""Every job name in a wake-up resolves to a job, and every job has a queue with a worker."""

import ast
from functools import cache
from importlib import import_module

import pytest

from core.db import global_scope, notify_workers
from core.queue.registry import (
    ALL_QUEUES,
    JOB_QUEUES,
    MODULE_QUEUES,
    OLD_JOB_NAMES,
    current_job_name,
)
from core.queue.wakeups import WakeUp
from jobs import scheduler
from tests.architecture.layers import ROOT, modules

NAMING_A_JOB = ("notify_workers", "notify_workers_now", "WakeUp", "acknowledge_wakeup")


def names_rung(source):
    """The first argument of every call that names a job."""
    if not any(name in source for name in NAMING_A_JOB):
        return  # parsing every module takes seconds, in each worker
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in NAMING_A_JOB:
                yield node.args[0]


@cache
def rung():
    found = []
    for path in modules():
        for first in names_rung((ROOT / path).read_text()):
            if path.as_posix() in (
                "core/db.py",
                "core/queue/wakeups.py",
                "jobs/engine/all_tenants.py",
                "jobs/engine/drain.py",
                "jobs/engine/round_robin.py",
                "jobs/scheduler.py",
            ):
                continue  # these modules pass the name on
            assert isinstance(first, ast.Constant), f"{path}:{first.lineno} rings a computed name"
            found.append(first.value)
    return sorted(set(found))


def scheduled():
    return [*scheduler.EVERY_SECONDS, *scheduler.CRON]


def test_a_job_that_is_asked_for_exists_and_has_a_queue():
    names = [*rung(), *scheduled()]
    assert {"jobs.mail.drain", "jobs.maintenance.sweep"} <= set(names)
    for name in names:
        module, _, function = name.rpartition(".")
        assert callable(getattr(import_module(module), function)), name
        assert WakeUp(name).queue in ALL_QUEUES, name


def test_a_job_with_a_queue_of_its_own_is_asked_for():
    assert set(JOB_QUEUES) <= {*rung(), *scheduled()}


@pytest.mark.parametrize("module", MODULE_QUEUES)
def test_every_module_with_a_queue_is_there(module):
    import_module(module)
    assert MODULE_QUEUES[module] in ALL_QUEUES


def test_a_ring_for_nobody_fails_before_anything_is_committed(app):
    with pytest.raises(RuntimeError, match=r"jobs\.nothing"), global_scope():
        notify_workers("jobs.nothing.at_all")
        pytest.fail("the transaction went on")


@pytest.mark.parametrize("old", OLD_JOB_NAMES)
def test_an_old_job_name_leads_to_a_job_of_today(old):
    """Aliases for one release: a job that version 0.1 queued still runs."""
    name = current_job_name(old)
    module, _, function = name.rpartition(".")
    assert callable(getattr(import_module(module), function))
    assert WakeUp(name).queue in ALL_QUEUES
    assert name not in OLD_JOB_NAMES
