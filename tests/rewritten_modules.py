"""Rewrites the assertions of all test modules once, before the workers start.

pytest keeps the rewritten modules on disk. After a checkout, though, all workers begin at the same
moment, and each would rewrite all modules itself: ten seconds of processor time in every worker.
"""

import sys
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

FOLDER = Path(__file__).parent


def start_rewriting(config: pytest.Config) -> ForkProcess | None:
    """Start a process that does it while the servers start. None if no workers will follow."""
    if not config.option.numprocesses or sys.dont_write_bytecode:
        return None
    process = get_context("fork").Process(target=_rewrite_modules, args=(config,), daemon=True)
    process.start()
    return process


def _rewrite_modules(config: pytest.Config) -> None:
    state = config.stash[rewrite.assertstate_key]
    for source in (*FOLDER.rglob("conftest.py"), *FOLDER.rglob("test_*.py")):
        folder = rewrite.get_cache_dir(source)
        kept = folder / f"{source.stem}{rewrite.PYC_TAIL}"
        if rewrite._read_pyc(source, kept) is None:
            found, code = rewrite._rewrite_test(source, config)
            if rewrite.try_makedirs(folder):
                rewrite._write_pyc(state, code, found, kept)
