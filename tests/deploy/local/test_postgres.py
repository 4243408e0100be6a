"""The embedded PostgreSQL starts, stops cleanly and gets up again, as root and as anybody."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg2
import pytest

from deploy.local.errors import CannotRun
from deploy.local.ports import any_free
from deploy.local.processes.child_process import spawn
from deploy.local.servers.postgres import Postgres
from deploy.local.servers.system_accounts import can_use, server_account
from tests.deploy.local.processes import gone

ROOT = Path(__file__).parents[3]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root lends PostgreSQL an account")


def cluster(folder: Path, **more: object) -> Postgres:
    return Postgres(
        folder, port=any_free(), password="pässword-1", print_line=lambda _: None, **more
    )


@contextmanager
def running(server: Postgres) -> Iterator[subprocess.Popen[bytes]]:
    server.clear_stale()
    process = spawn(
        server.command(),
        env={"PATH": "/usr/bin:/bin"},
        cwd=Path("/"),
        account=server.account,
        output=subprocess.DEVNULL,
        death_signal=signal.SIGQUIT,
    )
    try:
        server.wait_ready(process)
        yield process
    finally:
        process.send_signal(server.stop_signal)
        process.wait(20)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Postgres]:
    one = cluster(tmp_path / "postgres", durable=False)
    one.prepare()
    yield one
    one.release()
    shutil.rmtree(one.place)


def test_it_stops_cleanly_and_keeps_what_was_written(tmp_path):
    server = cluster(tmp_path / "postgres")
    server.prepare()
    try:
        with running(server), server.connect() as connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE kept AS SELECT 'ğ' AS letter")
        assert server.shut_down_cleanly()
        with running(server), server.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT letter, current_setting('fsync') FROM kept")
            assert cursor.fetchone() == ("ğ", "on")
    finally:
        shutil.rmtree(server.place)


def test_a_killed_server_starts_again(server):
    with running(server) as process:
        busy = server.connect()
        backends = psutil.Process(process.pid).children()
        process.kill()
        process.wait()
        assert not server.shut_down_cleanly()
        with running(server):
            server.connect().close()
        assert all(gone(backend.pid) for backend in backends)
        busy.close()


def test_a_server_left_running_is_stopped_before_the_next_start(server):
    with running(server) as left:
        server.clear_stale()
        assert left.poll() is not None
    assert server.shut_down_cleanly()


def test_a_process_id_that_went_to_somebody_else_is_left_alone(server):
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        (server.data / "postmaster.pid").write_text(f"{stranger.pid}\n{server.data}\n")
        with running(server):
            assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_two_runs_do_not_share_a_folder(server):
    second = cluster(server.folder)
    with pytest.raises(CannotRun, match=f"in use by process {os.getpid()}"):
        second.prepare()


def test_a_password_is_asked_for_on_both_endpoints(server):
    with running(server):
        for door in ("127.0.0.1", str(server.socket_folder())):
            with pytest.raises(psycopg2.OperationalError, match="password"):
                psycopg2.connect(host=door, port=server.port, user="postgres", password="no")


def test_a_long_path_has_a_short_socket_folder(tmp_path):
    server = cluster(tmp_path / ("long" * 20) / "postgres")
    server.folder.parent.mkdir()
    try:
        server.__dict__["place"] = server.folder  # as for an account that is not root
        assert len(str(server.socket_folder())) < 80
        assert server.socket_folder().stat().st_mode & 0o777 == 0o700
    finally:
        server.socket_folder().rmdir()


def test_the_data_of_another_release_is_refused_in_a_sentence(server):
    (server.data / "PG_VERSION").write_text("12\n")
    server.release()
    with pytest.raises(CannotRun, match="belongs to PostgreSQL 12"):
        server.prepare()


@as_root
def test_root_lends_an_account_and_a_way_out_of_a_closed_folder(tmp_path):
    tmp_path.chmod(0o700)
    words: list[str] = []
    server = Postgres(tmp_path / "postgres", port=any_free(), password="x", print_line=words.append)
    server.prepare()
    try:
        assert (tmp_path / "postgres").is_symlink()
        assert str(server.place) in words[0]
        with running(server) as process:
            assert psutil.Process(process.pid).uids().real == server.account.uid != 0
        again = cluster(tmp_path / "postgres")
        assert again.place == server.place
    finally:
        server.release()
        shutil.rmtree(server.place)


@as_root
def test_root_keeps_the_data_in_its_place_when_the_way_is_open():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)
        if not can_use(server_account(), folder, "x"):
            pytest.skip("the folder for temporary files is closed to others")
        server = cluster(folder / "postgres", durable=False)
        server.prepare()
        assert server.place == (folder / "postgres").resolve()
        assert server.place.stat().st_mode & 0o777 == 0o700
        with running(server):
            pass
        server.release()


@as_root
def test_somebody_without_rights_runs_it_as_themselves():
    account = server_account()
    if not can_use(account, ROOT / "deploy" / "local" / "postgres.py", "r") or not can_use(
        account, Path(sys.prefix) / "bin" / "python", "x"
    ):
        pytest.skip("this checkout is closed to others; the other tests here show the rest")
    with tempfile.TemporaryDirectory() as name:
        os.chown(name, account.uid, account.gid)
        options = ["-q", "-p", "no:cacheprovider", "--noconftest", f"--basetemp={name}/t"]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, __file__, "-k", "cleanly or killed"],
            cwd=ROOT,
            env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
            **account.as_popen(),
        )
        assert done.returncode == 0, done.stdout
        assert "2 passed" in done.stdout
