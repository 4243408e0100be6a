"""Both web servers accept the configured settings."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_granian_knows_every_setting() -> None:
    text = (ROOT / "deploy" / "granian.env").read_text()
    ours = set(re.findall(r"(?m)^(\w+)=", text))
    completed = subprocess.run(
        [sys.executable, "-m", "granian", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "400"},
    ).stdout
    assert ours
    assert ours <= set(re.findall(r"\bGRANIAN_[A-Z0-9_]+", completed))


def test_gunicorn_accepts_its_settings(settings: object) -> None:
    environment = os.environ | {
        "APP_ENV": "test",
        "DATA_DIR": str(settings.data_dir),
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": settings.secret_key,
        "ENCRYPTION_KEYS": settings.encryption_keys,
        "MAIL_URL": "mailbox:",
    }
    command = [sys.executable, "-m", "gunicorn", "--config", "deploy/gunicorn.conf.py"]
    done = subprocess.run(
        [*command, "--print-config", "wsgi:app"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    config = dict(re.findall(r"(?m)^(\w+)\s+= (.*)$", done.stdout))
    assert config["worker_class"].endswith("gthread")
    assert int(config["keepalive"]) > 60, "nginx must be the one who closes idle connections"
    assert int(config["timeout"]) > 35, "longer than the longest answer nginx waits for"
