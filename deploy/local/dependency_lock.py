"""`make lock`: pyproject.toml is the only source; uv resolves it for all platforms at once."""

import os
import subprocess
import tempfile
import venv
from pathlib import Path

from deploy.local.errors import CannotRun
from deploy.local.processes.programs import ROOT

OPTIONS = ("--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--quiet")
LOCKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("requirements.lock", ()),
    # Constrained by the first file, so that the tested versions are the deployed ones.
    ("requirements-dev.lock", ("--extra", "local", "--extra", "dev", "-c", "requirements.lock")),
)


def lock() -> int:
    newest = ["--upgrade"] if os.environ.get("UPGRADE") else []
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv")
        for name, more in LOCKS:
            print(f"Locking {name}", flush=True)
            source = ("pip", "compile", "pyproject.toml", "--output-file", name)
            _run(python, "-m", "uv", *source, *OPTIONS, *more, *newest)
    return 0


def _run(*command: str | Path) -> None:
    if subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode:
        raise CannotRun("The dependencies could not be locked.")
