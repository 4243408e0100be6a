"""deploy/valkey/start.sh starts a server that asks for its password and shows it to nobody."""

import subprocess
import time
from pathlib import Path

import psutil
import pytest
from redis import AuthenticationError, Redis
from redis import ConnectionError as NotThere

from deploy.local.ports import any_free
from deploy.local.servers.valkey import server_binary

SCRIPT = Path(__file__).parents[2] / "deploy" / "valkey" / "start.sh"
PASSWORD = "f00dfeedf00dfeed"


def test_it_asks_for_the_password_and_keeps_it_out_of_the_process_list(tmp_path: Path) -> None:
    port = any_free()
    ours = SCRIPT.read_text().replace("dir /data", f"dir {tmp_path}\nport {port}\nbind 127.0.0.1")
    (tmp_path / "start.sh").write_text(ours)
    process = subprocess.Popen(
        ["sh", tmp_path / "start.sh"],
        env={"PATH": f"{server_binary().parent}:/usr/bin:/bin", "VALKEYCLI_AUTH": PASSWORD},
        stdout=subprocess.DEVNULL,
    )
    try:
        client = Redis(port=port, password=PASSWORD)
        for _ in range(600):
            try:
                client.ping()
                break
            except NotThere:
                time.sleep(0.05)
        # The shell was replaced by the server (exec), so that a stop signal reaches it.
        seen = psutil.Process(process.pid)
        assert seen.name() == "valkey-server"
        assert PASSWORD not in " ".join(seen.cmdline())
        with pytest.raises(AuthenticationError):
            Redis(port=port).ping()
        assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
        assert client.config_get("appendonly")["appendonly"] == "yes"
    finally:
        process.terminate()
        assert process.wait(60) == 0
