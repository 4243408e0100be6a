"""Run the whole suite: most tests in parallel, then the tests that measure time, alone."""

import os
import sys
from subprocess import call

import pytest

# Two more than there are cores, because many tests wait for other processes. There are eight Redis
# databases, one for each worker.
WORKERS = min((os.cpu_count() or 1) + 2, 8)
BESIDE = ["-n", str(WORKERS), "--dist", "worksteal"]
NOTHING_CHOSEN = pytest.ExitCode.NO_TESTS_COLLECTED


def main(chosen: list[str]) -> int:
    passes = (
        [*BESIDE, "--timing", "without", *chosen],
        [*chosen, "-n", "0", "--timing", "only"],
    )
    ends = []
    for options in passes:
        ends.append(call([sys.executable, "-m", "pytest", "-q", *options]))
        if ends[-1] == pytest.ExitCode.INTERRUPTED:
            return ends[-1]
    wrong = [end for end in ends if end not in (pytest.ExitCode.OK, NOTHING_CHOSEN)]
    return wrong[0] if wrong else min(ends)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
