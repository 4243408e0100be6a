"""Lets the suite use the cluster in place of its own PostgreSQL, if TEST_CITUS_BIN is set."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from deploy.local.servers.test_services import Services, start_test_services
from tests.citus.cluster import ROOT, Cluster

_clusters: list[Cluster] = []


def on_citus() -> bool:
    return bool(os.environ.get("TEST_CITUS_BIN"))


def start_services(folder: Path) -> Services:
    if not on_citus():
        return start_test_services(folder)
    cluster = Cluster(folder / "citus", Path(os.environ["TEST_CITUS_BIN"]))
    cluster.start()
    _clusters[:] = [cluster]
    others = start_test_services(folder, admin_url=cluster.coordinator.admin_url)

    def stop() -> None:
        others.stop()
        cluster.stop()

    return Services(others.admin_url, others.redis_url, stop)


def make_roles_on_nodes(roles: Sequence[str]) -> None:
    _clusters[0].make_roles(roles, os.environ["TEST_ROLE_PASSWORD"])


def make_distributed_database(name: str) -> None:
    """Databases with shards cannot be copied from a template."""
    from tests.databases import APP_ROLE, OWNER_ROLE, database_url

    environment = {
        **os.environ,
        "APP_ENV": "test",
        "DATABASE_URL": database_url(APP_ROLE, name),
        "MIGRATION_DATABASE_URL": database_url(OWNER_ROLE, name),
        "REDIS_URL": os.environ["TEST_REDIS_URL"],
        "SECRET_KEY": "a secret key only for tests",
        "ENCRYPTION_KEYS": "k1:Y29tYW5kYSBmaXJzdCByZWxlYXNlIHRlc3Qga2V5ISE=",
    }

    def migrate() -> None:
        command = [sys.executable, "-m", "flask", "--app", "wsgi", "db", "upgrade"]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)

    _clusters[0].make_database(name, OWNER_ROLE, migrate)
