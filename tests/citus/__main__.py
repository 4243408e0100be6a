"""Run the tests that use the database on a coordinator and two workers; see deploy/citus."""

import os
import sys
from pathlib import Path
from subprocess import call

from tests.citus.cluster import Cluster, NoCitus, chosen_binaries, find_binaries

NOT_FOUND = 77  # the usual code for "skipped, because something is missing"
ROOT = Path(__file__).parents[2]
WITH_A_DATABASE = (
    "tests/core", "tests/tenants", "tests/webhooks", "tests/messaging", "tests/printing",
    "tests/restaurant", "tests/jobs", "tests/api", "tests/portal", "tests/architecture/tenancy",
)  # fmt: skip


def main(chosen: list[str]) -> int:
    try:
        binaries = find_binaries(chosen_binaries())
        _try_once(binaries)
    except NoCitus as error:
        sys.stderr.write(f"{error}\n")
        return NOT_FOUND
    environment = {**os.environ, "TEST_CITUS_BIN": str(binaries)}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", *(chosen or WITH_A_DATABASE)]
    return call(command, cwd=ROOT, env=environment)


def _try_once(binaries: Path) -> None:
    """Before the suite starts: the servers run, have the extension, and know each other."""
    cluster = Cluster(ROOT / ".data" / "citus", binaries)
    cluster.start()
    try:
        cluster.make_database("comanda_try", "postgres", lambda: None, distribute=False)
    finally:
        cluster.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
