"""Rows that a test measures: a whole service with real phones or browsers, in its own process."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.setup.stack import ROOT

MOST_SECONDS = 1800  # the suite allows a test less than a whole evening takes


def run_test(path: str, results_name: str, **settings: object) -> dict[str, Any]:
    """Run a test that writes its figures to the file in this environment variable. Raises
    RuntimeError if it has none, which means that it failed before it measured anything."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        env = {
            **os.environ,
            **{name: str(value) for name, value in settings.items()},
            results_name: str(results),
        }
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "0",
            "-o",
            f"timeout={MOST_SECONDS}",
            path,
        ]
        done = subprocess.run(
            command, cwd=ROOT, env=env, capture_output=True, text=True, check=False
        )
        if not results.exists():
            raise RuntimeError(f"{path} failed: {done.stdout[-2000:]}")
        figures: dict[str, Any] = json.loads(results.read_text())
    return figures | {"passed": done.returncode == 0}


def row(figures: Mapping[str, Any], limit_ms: float, *names: str) -> dict[str, Any]:
    """One row of the results: the p95 beside its limit, and these other figures."""
    return {
        "value": figures["p95_ms"],
        "unit": "ms",
        "floor": limit_ms,
        "ratio": round(figures["p95_ms"] / limit_ms, 3),
        **{name: figures[name] for name in ("p50_ms", "max_ms", *names)},
        "passed": figures["passed"],
    }
