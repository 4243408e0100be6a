"""Installs exactly the locked packages into .venv. Runs before any dependency is installed."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements-dev.lock"
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed"
LOG = VENV / "install.log"


def main() -> int:
    if is_current():
        return 0
    with (ROOT / ".venv.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # `make run` and `make test` may start together
        if is_current():
            return 0
        if not runs():
            print(f"Making .venv with Python {sys.version.split()[0]}", flush=True)
            shutil.rmtree(VENV, ignore_errors=True)
            try:
                venv.create(VENV, with_pip=True, symlinks=True)
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"The virtual environment could not be made: {error}", file=sys.stderr)
                return 1
        return install()


def install() -> int:
    packages = sum(line[:1].isalnum() for line in LOCK.read_text().splitlines())
    print(f"Installing {packages} locked packages (this once, a minute or two)", flush=True)
    command = [PYTHON, "-m", "pip", "install", "--quiet", "--no-input", "--no-deps"]
    # Compiling modules that are never imported takes longer than the download.
    command += ["--no-compile", "--disable-pip-version-check", "--require-hashes", "-r", LOCK]
    with LOG.open("w") as log:
        done = subprocess.run(
            [str(part) for part in command],
            env=os.environ | {"PIP_USER": "0"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode:
        last = LOG.read_text().strip().splitlines()[-5:]
        print("\n".join(last), file=sys.stderr)
        print(f"The packages could not be installed; all of pip's words: {LOG}", file=sys.stderr)
        return 1
    STAMP.write_text(lock_hash())
    return 0


def is_current() -> bool:
    return STAMP.is_file() and STAMP.read_text() == lock_hash() and runs()


def lock_hash() -> str:
    return hashlib.sha256(LOCK.read_bytes()).hexdigest()


def runs() -> bool:
    """Run the environment's Python: the one it was created with may be gone or replaced."""
    try:
        return not subprocess.run(
            [str(PYTHON), "-c", "import pip"], check=False, capture_output=True
        ).returncode
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
