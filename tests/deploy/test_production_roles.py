"""Every job that the shipped units run works as the role that it has there.

The roles differ: in development and in tests jobs may run as the owner of the tables, in every
shipped installation as the role of the service.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from sqlalchemy import text

from core.db import global_scope
from core.queue.registry import ALL_QUEUES
from deploy.local.processes.programs import app_programs
from jobs import scheduler
from tests.architecture.layers import ROOT, modules
from tests.architecture.test_job_queues import rung
from tests.databases import APP_ROLE

DEPLOY = Path(__file__).parents[2] / "deploy"
SETTINGS = {
    "PORT": "8000",
    "SIMULATOR_URL": "http://127.0.0.1:1",
    "LIVE_URL": "http://127.0.0.1:2",
    "MIGRATION_DATABASE_URL": "postgresql://owner@host/comanda",
}
JOBS = sorted({*scheduler.EVERY_SECONDS, *scheduler.CRON, *rung()})


def test_workers_of_the_shipped_units_that_people_wait_for_do_no_slow_work():
    """A payment link never waits for an export."""
    lists = [one["command"][3:] for one in composed().values() if "jobs.worker" in str(one)]
    commands = [program.command() for program in app_programs(SETTINGS)]
    lists += [one[3:] for one in commands if one[1:3] == ["-m", "jobs.worker"]]
    units = [place.read_text() for place in (DEPLOY / "systemd").glob("worker-*.env")]
    lists += [re.search(r'QUEUES="(.+)"', unit).group(1).split() for unit in units]
    assert ["slow"] in lists
    assert ["payments", "sweep"] in lists
    assert not [one for one in lists if "slow" in one and one != ["slow"]]


def composed() -> dict[str, dict]:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return {name: one for name, one in services.items() if "DATABASE_URL" in str(one)}


def test_in_compose_only_the_migration_knows_the_owner_and_all_queues_have_a_worker():
    worked = set()
    for name, service in composed().items():
        assert (name == "migrate") == ("MIGRATION_DATABASE_URL" in service["environment"])
        command = service.get("command", [])
        if command[:3] == ["python", "-m", "jobs.worker"]:
            worked |= set(command[3:] or ALL_QUEUES)
    assert worked == set(ALL_QUEUES)


def test_in_systemd_all_queues_have_a_worker():
    started = re.findall(r"comanda-worker@(\w+)", (ROOT / "docs/operations/install.md").read_text())
    worked = set()
    for name in started:
        queues = re.search(r'QUEUES="(.+)"', (DEPLOY / f"systemd/worker-{name}.env").read_text())
        worked |= set(queues.group(1).split())
    assert worked == set(ALL_QUEUES)


def test_in_systemd_only_the_migration_knows_the_owner():
    told = [
        unit.name
        for unit in (DEPLOY / "systemd").glob("*.service")
        if "migrate.env" in unit.read_text()
    ]
    assert told == ["comanda-migrate.service"]


def test_at_make_run_no_process_knows_the_owner_and_all_queues_have_a_worker():
    worked = set()
    for program in app_programs(SETTINGS, "postgresql://hosts@host/store"):
        assert program.env["MIGRATION_DATABASE_URL"] == "", program.name
        command = program.command()
        if command[1:3] == ["-m", "jobs.worker"]:
            worked |= set(command[3:] or ALL_QUEUES)
    assert worked == set(ALL_QUEUES)


def test_only_migrations_use_the_url_of_the_owner():
    named = re.compile(r"\bmigration_database_url\b")
    found = [path.as_posix() for path in modules() if named.search((ROOT / path).read_text())]
    assert set(found) <= {"migrations/env.py", "core/settings.py"}


@pytest.mark.parametrize("name", JOBS)
def test_the_job_runs_as_the_role_of_the_service(app, settings, restaurant, name):
    assert not settings.migration_database_url
    module, _, function = name.rpartition(".")
    job = getattr(import_module(module), function)
    wanted = inspect.signature(job).parameters.values()
    args = [restaurant.tenant_id for one in wanted if one.default is one.empty]
    with app.app_context():
        with global_scope() as session:
            assert session.scalar(text("SELECT current_user")) == APP_ROLE
        job(*args)
