"""compose.yaml: all processes of the service, only nginx reachable, every password required."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.settings import Settings
from jobs.sending.worker import CONNECTIONS
from messaging.messages.sending.direct import CONNECTIONS as DIRECT_CONNECTIONS

DEPLOY = Path(__file__).parents[2] / "deploy"
OURS = ("migrate", "web", "worker", "scheduler", "linked-host", "live")


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


def test_only_nginx_opens_a_port(services: dict[str, Any]) -> None:
    assert [name for name, service in services.items() if "ports" in service] == ["nginx"]


def test_the_database_and_the_queue_have_no_way_out(services: dict[str, Any]) -> None:
    networks = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["networks"]
    assert networks["inside"]["internal"] is True
    for name in ("postgres", "valkey"):
        assert services[name]["networks"] == ["inside"]


def test_every_variable_is_in_the_example_and_back() -> None:
    used = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    example = (DEPLOY / "compose.env.example").read_text()
    assert used == set(re.findall(r"(?m)^([A-Z_]+)=", example))


def test_a_missing_password_stops_compose() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    for name in set(re.findall(r"\$\{(\w*PASSWORD)", text)):
        assert f"${{{name}}}" not in text
        assert f"${{{name}:-" not in text


def test_mounted_files_exist(services: dict[str, Any]) -> None:
    for service in services.values():
        for mount in service.get("volumes", []):
            source = mount.partition(":")[0]
            if source.startswith("./"):
                assert (DEPLOY / source).is_file(), source


@pytest.mark.parametrize("name", OURS)
def test_our_processes_are_kept_small(services: dict[str, Any], name: str) -> None:
    service = services[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not {key.lower() for key in service["environment"]} - {
        *Settings.model_fields,
        "prometheus_multiproc_dir",
        "tmpdir",
    }


def test_commands_name_modules_and_commands_that_exist(
    services: dict[str, Any], app: object
) -> None:
    for name in ("worker", "scheduler", "linked-host", "live"):
        python, flag, module, *_ = services[name]["command"]
        assert (python, flag) == ("python", "-m")
        assert importlib.util.find_spec(module)
    assert services["migrate"]["command"] == ["flask", "--app", "wsgi", "db", "upgrade"]
    assert "upgrade" in app.cli.commands["db"].commands
    assert "command" not in services["web"], "the image's own command is the web server"


def test_only_the_migration_knows_the_owner(services: dict[str, Any]) -> None:
    knows = [n for n in OURS if "MIGRATION_DATABASE_URL" in services[n]["environment"]]
    assert knows == ["migrate"]
    assert services["migrate"]["restart"] == "no"
    for name in ("web", "worker", "scheduler", "linked-host", "live"):
        after = services[name]["depends_on"]["migrate"]["condition"]
        assert after == "service_completed_successfully"
        assert services[name]["restart"] == "unless-stopped"


def test_only_the_hosts_know_the_sessions(services: dict[str, Any]) -> None:
    knows = [n for n in OURS if "LINKED_STORE_URL" in services[n]["environment"]]
    assert knows == ["linked-host"]


def test_a_job_may_finish_before_it_is_killed(services: dict[str, Any]) -> None:
    from core.queue.wakeups import JOB_TIMEOUT_SECONDS

    assert int(services["worker"]["stop_grace_period"].removesuffix("s")) > JOB_TIMEOUT_SECONDS


def test_memory_used_as_a_disk_is_bounded(services: dict[str, Any]) -> None:
    """Uploads, exports and queued request bodies are on volumes."""
    for name, service in services.items():
        for one in service.get("tmpfs", []):
            assert "size=" in one, (name, one)
    for name in OURS:
        assert services[name]["environment"]["TMPDIR"] == "/var/tmp"
        assert "scratch:/var/tmp" in services[name]["volumes"]
    assert "nginx-cache:/var/cache/nginx" in services["nginx"]["volumes"]


def test_postgres_allows_all_connections_that_the_fleet_can_ask_for(
    services: dict[str, Any],
) -> None:
    """Two pools for each process, and the connections of direct sends and of the event loop."""
    pool = Settings.model_fields["database_pool"].default
    text = (DEPLOY / "granian.env").read_text()
    web = int(re.search(r"(?m)^GRANIAN_WORKERS=(\d+)", text)[1])
    workers = sum(
        service.get("deploy", {}).get("replicas", 1)
        for service in services.values()
        if "jobs.worker" in service.get("command", [])
    )
    asked = web * (2 * pool + DIRECT_CONNECTIONS) + workers * (2 * pool + CONNECTIONS)
    asked += pool + 2 + 8 + 10
    allowed = re.search(r"max_connections=(\d+)", " ".join(services["postgres"]["command"]))[1]
    assert asked <= int(allowed), asked


def test_postgresql_logs_what_it_logs_in_development(services: dict[str, Any]) -> None:
    """Neither a failed statement nor its values."""
    from deploy.local.servers.postgres import SMALL_MACHINE

    given = dict(one.removeprefix("--").split("=") for one in services["postgres"]["command"][1:])
    given.pop("max_connections")
    assert len(given) == 4
    assert given.items() <= SMALL_MACHINE.items()
