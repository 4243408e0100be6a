"""The errors of `make run`, and the files that it writes."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from dotenv import dotenv_values

from deploy.local import settings as local_settings
from deploy.local.files import Locked, hold_lock, write_private
from deploy.local.ports import any_free, remembered_port
from deploy.local.welcome import welcome

ROOT = Path(__file__).parents[3]


def run_here(data_dir: Path, command: str = "run", **env: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL", "PORT")}
    return subprocess.run(
        [sys.executable, "-m", "deploy.local", command],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        env=clean | {"DATA_DIR": str(data_dir)} | env,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def one_sentence(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr
    [line] = done.stderr.splitlines()
    return line


def test_a_taken_port_is_one_sentence_with_the_way_out(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        sentence = one_sentence(run_here(tmp_path, PORT=str(port)))
    assert sentence.startswith(f"Port {port} is taken")
    assert sentence.endswith(" make run")


def test_a_port_that_is_no_number_is_one_sentence(tmp_path):
    assert "'http'" in one_sentence(run_here(tmp_path, PORT="http"))


def test_a_second_run_in_the_same_folder_is_told_who_is_there(tmp_path):
    with hold_lock(tmp_path / "run.lock"):
        sentence = one_sentence(run_here(tmp_path, PORT=str(any_free())))
    assert f"process {os.getpid()}" in sentence


def test_a_given_database_that_does_not_answer_is_one_sentence(tmp_path):
    url = f"postgresql://somebody:hidden@127.0.0.1:{any_free()}/nothing"
    done = run_here(tmp_path, PORT=str(any_free()), DATABASE_URL=url, REDIS_URL="redis://x")
    assert one_sentence(done).startswith("DATABASE_URL does not answer")
    assert "hidden" not in done.stderr


def test_a_data_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert "cannot be used for data" in one_sentence(run_here(tmp_path / "file" / "data"))


def test_reset_deletes_the_data_and_a_database_that_lives_elsewhere(tmp_path):
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    for folder in (data / "test", elsewhere / "data"):
        folder.mkdir(parents=True)
    (data / "test" / "postgres").symlink_to(elsewhere)
    assert "YES=1" in one_sentence(run_here(data, "reset"))
    with hold_lock(data / "run.lock"):
        assert "stop it first" in one_sentence(run_here(data, "reset", YES="1"))
    assert elsewhere.exists()
    assert run_here(data, "reset", YES="1").returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_secrets_are_made_once_and_closed_to_others(tmp_path):
    first = local_settings.load_or_make_secrets(tmp_path)
    assert local_settings.load_or_make_secrets(tmp_path) == first
    assert (tmp_path / "secrets.json").stat().st_mode & 0o777 == 0o600
    assert len(set(first.values())) == len(first)


def test_the_service_file_is_closed_and_reads_back_as_written(tmp_path, monkeypatch):
    monkeypatch.setenv("MAIL_FROM", 'Ömer\'s \\ "Lokanta" $HOME # <post@example.org>')
    kept = local_settings.load_or_make_secrets(tmp_path)
    addresses = {"DATABASE_URL": "postgresql+psycopg2://u:p%40w@127.0.0.1:1/db?sslmode=disable"}
    written = local_settings.service_settings(tmp_path, 8765, kept, addresses)
    path = tmp_path / "service.env"
    path.write_text("an older one, open to all")
    path.chmod(0o644)
    local_settings.write_service_file(path, written)
    assert path.stat().st_mode & 0o777 == 0o600
    assert dotenv_values(path) == written
    assert written["BASE_URL"] == "http://127.0.0.1:8765"
    assert list(tmp_path.glob(".service.env*")) == []


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "kept"
    write_private(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_private(path, "\ud800")
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    assert path.read_text() == "old"


def test_a_lock_is_free_again_when_its_holder_releases_it(tmp_path):
    with hold_lock(tmp_path / "lock"), pytest.raises(Locked) as refused:
        hold_lock(tmp_path / "lock")
    assert refused.value.holder == str(os.getpid())
    hold_lock(tmp_path / "lock").close()


def test_ports_are_kept_while_they_are_free(tmp_path):
    memory = tmp_path / "ports.json"
    first = remembered_port(memory, "postgres")
    assert remembered_port(memory, "postgres") == first
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first))
        taken.listen()
        second = remembered_port(memory, "postgres")
    assert second != first
    assert remembered_port(memory, "postgres") == second


def test_the_welcome_names_everything_to_try():
    prepared = {
        "logins": [
            {"email": "a@example.org", "password": "one two", "role": "Owner", "tenant": "Mavi"},
        ],
        "api_key": "key-1",
        "pages": [["Menu", "http://h/m/1"]],
    }
    text = welcome("http://127.0.0.1:8001", Path("/data"), Path("/data/logs"), prepared)
    assert "Log files /data/logs" in text
    assert "a@example.org  one two  Owner of Mavi" in text
    assert "Menu      http://h/m/1" in text
    assert 'curl -H "Authorization: Bearer key-1" http://127.0.0.1:8001/api/v1/me' in text
